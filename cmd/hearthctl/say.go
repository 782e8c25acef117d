package main

import (
	"strings"

	"github.com/spf13/cobra"
)

func sayCommand(c *client) *cobra.Command {
	return &cobra.Command{
		Use:   "say TEXT...",
		Short: "Speak a text",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			body := map[string]string{"text": strings.Join(args, " ")}
			return c.do(cmd, "/v1/say", body)
		},
	}
}
