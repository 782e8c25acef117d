package main

import (
	"fmt"
	"io"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"

	"github.com/spf13/cobra"
)

func costCommand(c *ctl.Client) *cobra.Command {
	return &cobra.Command{
		Use:   "cost",
		Short: "Show what the responder has cost, and what it may",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s api.Status
			if err := c.Ask(cmd.Context(), ctl.Request{Path: "/v1/status"}, &s); err != nil {
				return err
			}
			return c.Print(cmd, s.Responder, func(w io.Writer) { showSpending(w, s.Responder) })
		},
	}
}

func showSpending(w io.Writer, s *api.Spending) {
	if s == nil {
		fmt.Fprintln(w, "There is no responder: nothing is spent. See responder.url.")
		return
	}
	fmt.Fprintf(w, "today:      %8.2f of %.2f %s\n", s.Day, s.Daily, ctl.Visible(s.Currency))
	fmt.Fprintf(w, "this month: %8.2f of %.2f %s\n", s.Month, s.Monthly, ctl.Visible(s.Currency))
}
