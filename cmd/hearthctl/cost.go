package main

import (
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"
)

// spending is what hearthctl reads of the responder's cost.
type spending struct {
	Day      float64 `json:"day"`
	Month    float64 `json:"month"`
	Daily    float64 `json:"daily_budget"`
	Monthly  float64 `json:"monthly_budget"`
	Currency string  `json:"currency"`
}

func costCommand(c *client) *cobra.Command {
	return &cobra.Command{
		Use:   "cost",
		Short: "Show what the responder has cost, and what it may",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s status
			if err := c.call(cmd, request{method: http.MethodGet, path: "/v1/status", limit: callLimit}, &s, nil); err != nil {
				return err
			}
			return c.print(cmd, s.Responder, s.Responder.show)
		},
	}
}

func (s *spending) show(w io.Writer) {
	if s == nil {
		fmt.Fprintln(w, "There is no responder: nothing is spent. See responder.url.")
		return
	}
	fmt.Fprintf(w, "today:      %8.2f of %.2f %s\n", s.Day, s.Daily, visible(s.Currency))
	fmt.Fprintf(w, "this month: %8.2f of %.2f %s\n", s.Month, s.Monthly, visible(s.Currency))
}
