// Command hearthctl talks to hearthd over its control socket. It needs no sound
// card, no configuration and no cgo; it must not import the daemon. Answers go to
// standard output and everything else to standard error.
//
// Exit status: 0 when the request was fulfilled, 1 when not.
package main

import (
	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
)

// version is set by the build.
var version = "development"

func main() { ctl.Execute(root()) }

func root() *cobra.Command {
	return ctl.Root(version,
		askCommand, announceCommand, backupCommand, configCommand, consoleCommand, costCommand, doctorCommand,
		entrancesCommand, eventsCommand, fleetCommand, intentsCommand, listenCommand, listsCommand, logsCommand,
		manCommand, memoryCommand, micCommand, mqttCommand, muteCommand, reloadCommand, restoreCommand, sayCommand,
		setupCommand, statusCommand, stopCommand, thinkersCommand, timersCommand, toolsCommand, unmuteCommand,
		updateCommand, volumeCommand, wakeCommand,
	)
}
