package main

import "github.com/spf13/cobra"

func listenCommand(c *client) *cobra.Command {
	return &cobra.Command{
		Use:   "listen",
		Short: "Listen now, as if a button was pressed",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.do(cmd, "/v1/listen", struct{}{})
		},
	}
}
