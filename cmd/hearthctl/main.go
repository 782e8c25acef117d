// Command hearthctl talks to hearthd over its control socket. It needs no sound
// card, no configuration and no cgo; it must not import the daemon. Answers go to
// standard output and everything else to standard error.
//
// Exit status: 0 when the request was fulfilled, 1 when not.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// version is set by the build.
var version = "development"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := root().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "hearthctl:", err)
		stop()
		os.Exit(1)
	}
}

func root() *cobra.Command {
	c := &client{}
	cmd := &cobra.Command{
		Use:           "hearthctl",
		Short:         "Talk to the hearthd kitchen speaker",
		Long:          "hearthctl talks to hearthd, the kitchen speaker daemon, over its control socket.",
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.SetOut(os.Stdout)
	cmd.PersistentFlags().StringVar(&c.socket, "socket", "",
		"control `socket` of hearthd (default "+serviceSocket+", or else the one of the user's own daemon)")
	cmd.PersistentFlags().BoolVar(&c.json, "json", false, "print JSON")
	cmd.AddCommand(
		statusCommand(c), sayCommand(c, "say", "Speak a text", "/v1/say"), sayCommand(c, "announce", "Announce a text, with a chime", "/v1/announce"), askCommand(c), listenCommand(c), stopCommand(c),
		muteCommand(c, "mute", true), muteCommand(c, "unmute", false), volumeCommand(c),
		timersCommand(c), listsCommand(c), memoryCommand(c), thinkersCommand(c), costCommand(c), toolsCommand(c), entrancesCommand(c), intentsCommand(c), eventsCommand(c), mqttCommand(c), fleetCommand(c), micCommand(c), wakeCommand(c), logsCommand(c), doctorCommand(c), manCommand(),
		configCommand(c), reloadCommand(c), consoleCommand(c),
		backupCommand(c), restoreCommand(c), setupCommand(c), updateCommand(c),
	)
	return cmd
}
