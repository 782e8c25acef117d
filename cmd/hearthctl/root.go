package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// newRoot is hearthctl of a version with commands, which share one client.
func newRoot(version string, commands ...func(*client) *cobra.Command) *cobra.Command {
	c := &client{version: version}
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
	for _, command := range commands {
		cmd.AddCommand(command(c))
	}
	return cmd
}

// execute runs cmd with the arguments of the process, until it ends or is interrupted.
func execute(cmd *cobra.Command) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := cmd.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "hearthctl:", err)
		stop()
		os.Exit(1)
	}
}
