package main

import "github.com/spf13/cobra"

func muteCommand(c *client) *cobra.Command {
	return setMuted(c, "mute", "Close the microphone until unmute", true)
}

func unmuteCommand(c *client) *cobra.Command {
	return setMuted(c, "unmute", "Open the microphone again", false)
}

func setMuted(c *client, name, short string, muted bool) *cobra.Command {
	return &cobra.Command{
		Use:   name,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.do(cmd, "/v1/mute", map[string]bool{"muted": muted})
		},
	}
}
