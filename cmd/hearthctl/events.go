package main

import (
	"bufio"
	"encoding/json"
	"errors"
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
			if err == nil {
				defer rc.Close()
				err = c.showEvents(cmd, rc, follow)
			}
			if follow && cmd.Context().Err() != nil {
				return nil // interrupting is how one leaves
			}
			return err
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on until interrupted")
	return cmd
}

// showEvents prints the events of the stream r, or the first one only.
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
			fmt.Fprintf(cmd.ErrOrStderr(), "hearthctl: %s events were missed\n", visible(data))
			continue
		case c.json:
			fmt.Fprintln(cmd.OutOrStdout(), data)
		default:
			if err := showEvent(cmd.OutOrStdout(), data); err != nil {
				return err
			}
		}
		if !follow {
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		return explain(err, c.socket)
	}
	return errors.New("hearthd has ended the stream")
}

// showEvent prints one event as a line: time, turn, type, and the rest by name.
func showEvent(w io.Writer, data string) error {
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
	turn := "        " // what happens outside of turns
	if head.Turn != 0 {
		turn = fmt.Sprintf("turn %-3d", head.Turn)
	}
	line := fmt.Sprintf("%s %s %-14s %s", head.Time.Local().Format("15:04:05.000"), turn, head.Type, strings.Join(rest, " "))
	_, err := fmt.Fprintln(w, strings.TrimRight(visible(line), " "))
	return err
}
