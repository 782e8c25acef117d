// Command hearthctl talks to hearthd over its control socket. It needs no sound
// card, no configuration and no cgo; it must not import the daemon. Answers go to
// standard output and everything else to standard error.
//
// Exit status: 0 when the request was fulfilled, 1 when not.
package main

import (
	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/backup"
	"hearthd/cmd/hearthctl/ctl"
	"hearthd/cmd/hearthctl/doctor"
	"hearthd/cmd/hearthctl/logs"
	"hearthd/cmd/hearthctl/mic"
	"hearthd/cmd/hearthctl/radio"
	"hearthd/cmd/hearthctl/setup"
	"hearthd/cmd/hearthctl/speech"
	"hearthd/cmd/hearthctl/voice"
	"hearthd/cmd/hearthctl/wake"
)

// version is set by the build.
var version = "development"

func main() { ctl.Execute(root()) }

func root() *cobra.Command {
	return ctl.Root(version,
		askCommand, announceCommand, backup.Command, configCommand, consoleCommand, costCommand, doctor.Command,
		entrancesCommand, eventsCommand, fleetCommand, intentsCommand, listenCommand, listsCommand, logs.Command,
		manCommand, mediaCommand, memoryCommand, mic.Command, mqttCommand, muteCommand, radio.Command, reloadCommand,
		backup.RestoreCommand, sayCommand, setup.Command, speech.Command, statusCommand, stopCommand, thinkersCommand,
		timersCommand, toolsCommand, unmuteCommand, updateCommand, voice.Command, volumeCommand, wake.Command,
	)
}
