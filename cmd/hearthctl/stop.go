package main

import (
	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
)

func stopCommand(c *ctl.Client) *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "Be quiet and end the turn that is going on",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.Do(cmd, "/v1/stop", struct{}{})
		},
	}
}
