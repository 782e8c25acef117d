package main

import "github.com/spf13/cobra"

// muteCommand is "mute" and "unmute".
func muteCommand(c *client, name string, muted bool) *cobra.Command {
	short := "Close the microphone until unmute"
	if !muted {
		short = "Open the microphone again"
	}
	return &cobra.Command{
		Use:   name,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.do(cmd, "/v1/mute", map[string]bool{"muted": muted})
		},
	}
}
