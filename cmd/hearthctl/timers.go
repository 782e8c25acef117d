package main

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

// timer is a running timer.
type timer struct {
	ID    int64     `json:"id"`
	Label string    `json:"label"`
	Ends  time.Time `json:"ends"`
}

func timersCommand(c *client) *cobra.Command {
	return &cobra.Command{
		Use:   "timers",
		Short: "List the running timers",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list []timer
			return c.call(cmd, request{method: http.MethodGet, path: "/v1/timers", limit: callLimit}, &list, func(w io.Writer) {
				if len(list) == 0 {
					fmt.Fprintln(w, "no timers")
				}
				showTimers(w, list)
			})
		},
	}
}

func showTimers(w io.Writer, list []timer) {
	for _, t := range list {
		name := visible(t.Label)
		if name == "" {
			name = fmt.Sprintf("number %d", t.ID)
		}
		left := max(0, time.Until(t.Ends).Round(time.Second))
		fmt.Fprintf(w, "timer %s: %v left, until %s\n", name, left, t.Ends.Local().Format(time.TimeOnly))
	}
}
