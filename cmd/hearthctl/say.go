package main

import (
	"strings"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"

	"github.com/spf13/cobra"
)

func sayCommand(c *ctl.Client) *cobra.Command {
	return speakCommand(c, "say", "Speak a text", "/v1/say")
}

func announceCommand(c *ctl.Client) *cobra.Command {
	return speakCommand(c, "announce", "Announce a text, with a chime", "/v1/announce")
}

// speakCommand speaks a text; path is the one of the API.
func speakCommand(c *ctl.Client, use, short, path string) *cobra.Command {
	var chime, urgent bool
	cmd := &cobra.Command{
		Use:   use + " TEXT...",
		Short: short,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			body := api.Speech{Text: strings.Join(args, " ")}
			if cmd.Flags().Changed("chime") {
				body.Chime = &chime
			}
			if urgent {
				body.Priority = "urgent"
			}
			return c.Do(cmd, path, body)
		},
	}
	cmd.Flags().BoolVar(&chime, "chime", use == "announce", "play an earcon before")
	cmd.Flags().BoolVar(&urgent, "urgent", false, "before what else waits, and in quiet hours too")
	return cmd
}
