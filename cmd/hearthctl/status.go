package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// status is what hearthctl reads of the answer to GET /v1/status.
type status struct {
	Node       string      `json:"node"`
	Version    string      `json:"version"`
	State      string      `json:"state"`
	Muted      bool        `json:"muted"`
	Volume     int         `json:"volume"` // percent
	Turns      uint64      `json:"turns"`
	UptimeS    int64       `json:"uptime_s"`
	Frames     uint64      `json:"frames"`
	Dropped    uint64      `json:"dropped"` // samples
	Broker     string      `json:"broker"`
	Boxes      []string    `json:"boxes"`
	Conditions []condition `json:"conditions"`
	Timers     []timer     `json:"timers"`
	Responder  *spending   `json:"responder"`
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
			return c.call(cmd, request{method: http.MethodGet, path: "/v1/status", limit: callLimit}, &s, s.show)
		},
	}
}

func (s *status) show(w io.Writer) {
	muted := ""
	if s.Muted && s.State != "muted" {
		muted = ", muted"
	}
	fmt.Fprintf(w, "%s: %s%s, volume %d %%, hearthd %s, up %v, %d turns\n",
		visible(s.Node), visible(s.State), muted, s.Volume, visible(s.Version),
		time.Duration(s.UptimeS)*time.Second, s.Turns)
	fmt.Fprintf(w, "microphone: %d frames, %d samples dropped; broker: %s\n", s.Frames, s.Dropped, visible(s.Broker))
	if len(s.Boxes) > 0 {
		fmt.Fprintf(w, "other boxes: %s\n", visible(strings.Join(s.Boxes, ", ")))
	}
	for _, k := range s.Conditions {
		fmt.Fprintf(w, "%s %s since %s: %s\n",
			visible(k.Severity), visible(k.Code), k.Since.Local().Format(time.DateTime), visible(k.Text))
	}
	if len(s.Conditions) == 0 {
		fmt.Fprintln(w, "nothing is wrong")
	}
	showTimers(w, s.Timers)
}
