package main

import (
	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
)

func muteCommand(c *ctl.Client) *cobra.Command {
	return setMuted(c, "mute", "Close the microphone until unmute", true)
}

func unmuteCommand(c *ctl.Client) *cobra.Command {
	return setMuted(c, "unmute", "Open the microphone again", false)
}

func setMuted(c *ctl.Client, name, short string, muted bool) *cobra.Command {
	return &cobra.Command{
		Use:   name,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.Do(cmd, "/v1/mute", map[string]bool{"muted": muted})
		},
	}
}
