package ctl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Root is hearthctl of a version with commands, which share one client.
func Root(version string, commands ...func(*Client) *cobra.Command) *cobra.Command {
	c := &Client{Version: version}
	cmd := &cobra.Command{
		Use:           "hearthctl",
		Short:         "Talk to the hearthd kitchen speaker",
		Long:          "hearthctl talks to hearthd, the kitchen speaker daemon, over its control socket.",
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.SetOut(os.Stdout)
	cmd.PersistentFlags().StringVar(&c.Socket, "socket", "",
		"control `socket` of hearthd (default "+ServiceSocket+", or else the one of the user's own daemon)")
	cmd.PersistentFlags().BoolVar(&c.JSON, "json", false, "print JSON")
	for _, command := range commands {
		cmd.AddCommand(command(c))
	}
	for _, group := range cmd.Commands() {
		strict(group)
	}
	return cmd
}

// strict makes what is no command of a group a mistake; cobra would show the help, and be content.
func strict(group *cobra.Command) {
	for _, cmd := range group.Commands() {
		strict(cmd)
	}
	if group.Runnable() || !group.HasSubCommands() {
		return
	}
	group.Args, group.DisableFlagsInUseLine = cobra.NoArgs, true
	group.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

// ErrTold is the failure of a command whose output says already what a person can know of it.
var ErrTold = errors.New("it was not done")

// Execute runs cmd with the arguments of the process, until it ends or is interrupted.
func Execute(cmd *cobra.Command) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := cmd.ExecuteContext(ctx); err != nil {
		if errors.Is(err, fs.ErrPermission) && os.Geteuid() != 0 && !strings.Contains(err.Error(), "sudo") {
			err = fmt.Errorf("%w; use sudo", err)
		}
		if !errors.Is(err, ErrTold) {
			fmt.Fprintln(os.Stderr, "hearthctl:", err)
		}
		stop()
		os.Exit(1)
	}
}
