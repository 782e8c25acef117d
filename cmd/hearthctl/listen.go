package main

import (
	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
)

func listenCommand(c *ctl.Client) *cobra.Command {
	return &cobra.Command{
		Use:   "listen",
		Short: "Listen now, as if a button was pressed",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.Do(cmd, "/v1/listen", struct{}{})
		},
	}
}
