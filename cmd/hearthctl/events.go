package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// maxEvent bounds one line of the event stream in bytes.
const maxEvent = 1 << 20

func eventsCommand(c *client) *cobra.Command {
	var follow bool
	cmd := &cobra.Command{
		Use:   "events",
		Short: "Show what happens; with --follow until interrupted, else the next event",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rc, err := c.open(cmd.Context(), http.MethodGet, "/v1/events", nil)
			if err != nil {
				return err
			}
			defer rc.Close()
			return c.showEvents(cmd, rc, follow)
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on until interrupted")
	return cmd
}

func (c *client) showEvents(cmd *cobra.Command, r io.Reader, follow bool) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxEvent)
	for missed := false; lines.Scan(); {
		line := lines.Text()
		if line == "event: missed" {
			missed = true
			continue
		}
		data, ok := strings.CutPrefix(line, "data: ")
		switch {
		case !ok:
			continue
		case missed:
			missed = false
			fmt.Fprintf(cmd.ErrOrStderr(), "hearthctl: %s events were missed\n", data)
			continue
		case c.json:
			cmd.Println(data)
		default:
			if err := showEvent(cmd, data); err != nil {
				return err
			}
		}
		if !follow {
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		return c.explain(err)
	}
	return io.ErrUnexpectedEOF
}

// showEvent prints one event as a line: time, turn, type, and the rest by name.
func showEvent(cmd *cobra.Command, data string) error {
	var head struct {
		Type string    `json:"type"`
		Time time.Time `json:"time"`
		Turn uint64    `json:"turn"`
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(data), &head); err != nil {
		return fmt.Errorf("read event: %w", err)
	}
	if err := json.Unmarshal([]byte(data), &all); err != nil {
		return fmt.Errorf("read event: %w", err)
	}
	var rest []string
	for k, v := range all {
		switch k {
		case "type", "time", "turn", "seq", "session":
		default:
			rest = append(rest, k+"="+string(v))
		}
	}
	slices.Sort(rest)
	cmd.Printf("%s turn %-4d %-14s %s\n", head.Time.Local().Format("15:04:05.000"), head.Turn, head.Type, strings.Join(rest, " "))
	return nil
}
