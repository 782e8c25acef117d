package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/probe"
)

// probeCommand makes the checks that hearthctl doctor cannot make itself, for when no daemon runs
// that could. Its output is JSON for hearthctl: the findings of a check, or a line for each reading
// of the microphone.
func probeCommand(load func() (config.Config, error)) *cobra.Command {
	var cold bool
	var text string
	var pause time.Duration
	cmd := &cobra.Command{
		Use: "probe CHECK", Short: "Make a check for hearthctl doctor", Args: cobra.ExactArgs(1), Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := load()
			if err != nil {
				return err
			}
			state, run, err := folders()
			if err != nil {
				return err
			}
			o := probe.Options{Config: &c, Version: version, StateDir: state, RuntimeDir: run,
				Log: slog.New(slog.DiscardHandler), NoCredentials: os.Getenv("CREDENTIALS_DIRECTORY") == "", Cold: cold}
			// hearthctl may also end it by closing the pipe.
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGPIPE)
			defer stop()
			lines := json.NewEncoder(cmd.OutOrStdout())
			if args[0] == "sound" {
				return probeSound(ctx, o, pause, text, lines)
			}
			found, err := probe.Run(ctx, o, args[0])
			if err != nil {
				return err
			}
			return lines.Encode(found)
		},
	}
	cmd.Flags().BoolVar(&cold, "cold", false, "unload the model first")
	cmd.Flags().StringVar(&text, "say", "", "say this `text`, to be heard by the microphone")
	cmd.Flags().DurationVar(&pause, "pause", 0, "wait so long before that")
	return cmd
}

// probeSound writes what comes from microphone and speaker until ctx ends, or nobody
// reads it.
func probeSound(ctx context.Context, o probe.Options, pause time.Duration, text string, lines *json.Encoder) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return probe.Sound(ctx, o, pause, text, func(s api.Sounding) {
		if err := lines.Encode(s); err != nil {
			cancel()
		}
	})
}
