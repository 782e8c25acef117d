package main

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"hearthd/cmd/hearthctl/ctl"

	"github.com/spf13/cobra"
)

func eventsCommand(c *ctl.Client) *cobra.Command {
	var follow bool
	cmd := &cobra.Command{
		Use:   "events",
		Short: "Show what happens; with --follow until interrupted, else the next event",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			stream, err := c.Open(cmd.Context(), "/v1/events", nil)
			if err != nil {
				return err
			}
			defer stream.Close()
			if !follow && !c.JSON {
				fmt.Fprintln(cmd.ErrOrStderr(), "hearthctl: waiting for the next event; with --follow for all that come")
			}
			err = showEvents(c, cmd, ctl.ReadStream(stream), follow)
			if follow && cmd.Context().Err() != nil {
				return nil // a person leaves by interrupting
			}
			return err
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on until interrupted")
	return cmd
}

// showEvents prints the events of a stream, or the first one only.
func showEvents(c *ctl.Client, cmd *cobra.Command, stream iter.Seq2[ctl.Event, error], follow bool) error {
	for e, err := range stream {
		switch {
		case err != nil:
			return err
		case e.Name == "missed":
			fmt.Fprintf(cmd.ErrOrStderr(), "hearthctl: %s events were missed\n", ctl.Visible(string(e.Data)))
			continue
		case c.JSON:
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n", e.Data)
		default:
			if err := showEvent(cmd.OutOrStdout(), e.Data); err != nil {
				return err
			}
		}
		if !follow {
			return nil
		}
	}
	return nil
}

// showEvent prints one event as a line: time, turn, type, and the rest by name.
func showEvent(w io.Writer, data []byte) error {
	var head struct {
		Type string    `json:"type"`
		Time time.Time `json:"time"`
		Turn uint64    `json:"turn"`
	}
	var all map[string]json.RawMessage
	err := json.Unmarshal(data, &head)
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		return fmt.Errorf("read event: %w", err)
	}
	var rest []string
	for k, v := range all {
		if !slices.Contains([]string{"type", "time", "turn", "seq", "session"}, k) {
			rest = append(rest, k+"="+string(v))
		}
	}
	slices.Sort(rest)
	turn := "        " // what happens outside of turns
	if head.Turn != 0 {
		turn = fmt.Sprintf("turn %-3d", head.Turn)
	}
	line := fmt.Sprintf("%s %s %-14s %s", head.Time.Local().Format("15:04:05.000"), turn, head.Type,
		strings.Join(rest, " "))
	_, err = fmt.Fprintln(w, strings.TrimRight(ctl.Visible(line), " "))
	return err
}
