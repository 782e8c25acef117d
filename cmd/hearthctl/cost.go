package main

import (
	"fmt"
	"io"

	"hearthd/daemon/api"

	"github.com/spf13/cobra"
)

func costCommand(c *client) *cobra.Command {
	return &cobra.Command{
		Use:   "cost",
		Short: "Show what the responder has cost, and what it may",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s api.Status
			if err := c.ask(cmd.Context(), request{path: "/v1/status"}, &s); err != nil {
				return err
			}
			return c.print(cmd, s.Responder, func(w io.Writer) { showSpending(w, s.Responder) })
		},
	}
}

func showSpending(w io.Writer, s *api.Spending) {
	if s == nil {
		fmt.Fprintln(w, "There is no responder: nothing is spent. See responder.url.")
		return
	}
	fmt.Fprintf(w, "today:      %8.2f of %.2f %s\n", s.Day, s.Daily, visible(s.Currency))
	fmt.Fprintf(w, "this month: %8.2f of %.2f %s\n", s.Month, s.Monthly, visible(s.Currency))
}
