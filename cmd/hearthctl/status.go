package main

import (
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

// status is what hearthctl reads of the answer to GET /v1/status.
type status struct {
	Node       string      `json:"node"`
	Version    string      `json:"version"`
	State      string      `json:"state"`
	Muted      bool        `json:"muted"`
	Volume     int         `json:"volume"`
	Turns      uint64      `json:"turns"`
	UptimeS    int64       `json:"uptime_s"`
	Frames     uint64      `json:"frames"`
	Dropped    uint64      `json:"dropped"`
	Broker     string      `json:"broker"`
	Conditions []condition `json:"conditions"`
	Timers     []timer     `json:"timers"`
}

type condition struct {
	Code     string    `json:"code"`
	Severity string    `json:"severity"`
	Text     string    `json:"text"`
	Since    time.Time `json:"since"`
}

func statusCommand(c *client) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show what the speaker does and what is wrong with it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s status
			if err := c.call(cmd.Context(), http.MethodGet, "/v1/status", nil, &s); err != nil {
				return err
			}
			return c.print(cmd.OutOrStdout(), s, func() { s.show(cmd) })
		},
	}
}

func (s *status) show(cmd *cobra.Command) {
	cmd.Printf("%s: %s, volume %d %%, hearthd %s, up %v, %d turns\n",
		s.Node, s.State, s.Volume, s.Version, time.Duration(s.UptimeS)*time.Second, s.Turns)
	cmd.Printf("microphone: %d frames, %d samples dropped; broker: %s\n", s.Frames, s.Dropped, s.Broker)
	for _, k := range s.Conditions {
		cmd.Printf("%s %s since %s: %s\n", k.Severity, k.Code, k.Since.Local().Format(time.DateTime), k.Text)
	}
	if len(s.Conditions) == 0 {
		cmd.Println("nothing is wrong")
	}
	showTimers(cmd, s.Timers)
}

// timer is a running timer.
type timer struct {
	ID    int64     `json:"id"`
	Label string    `json:"label,omitempty"`
	Ends  time.Time `json:"ends"`
}

func timersCommand(c *client) *cobra.Command {
	return &cobra.Command{
		Use:   "timers",
		Short: "List the running timers",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list []timer
			if err := c.call(cmd.Context(), http.MethodGet, "/v1/timers", nil, &list); err != nil {
				return err
			}
			return c.print(cmd.OutOrStdout(), list, func() {
				if len(list) == 0 {
					cmd.Println("no timers")
				}
				showTimers(cmd, list)
			})
		},
	}
}

func showTimers(cmd *cobra.Command, list []timer) {
	for _, t := range list {
		name := t.Label
		if name == "" {
			name = fmt.Sprintf("number %d", t.ID)
		}
		cmd.Printf("timer %s: %v left, until %s\n",
			name, time.Until(t.Ends).Round(time.Second), t.Ends.Local().Format(time.TimeOnly))
	}
}
