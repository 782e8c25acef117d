package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"

	"github.com/spf13/cobra"
)

func statusCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{Use: "status", Short: "Show what the speaker does and what is wrong with it"}
	return ctl.Show(c, cmd, ctl.Request{Path: "/v1/status"}, showStatus)
}

func showStatus(w io.Writer, s api.Status) {
	muted := ""
	if s.Muted && s.State != "muted" {
		muted = ", muted"
	}
	fmt.Fprintf(w, "%s: %s%s, speaker volume %d %%, hearthd %s, up %v, %d turns\n",
		ctl.Visible(s.Node), ctl.Visible(string(s.State)), muted, s.Volume, ctl.Visible(s.Version),
		time.Duration(s.UptimeS)*time.Second, s.Turns)
	fmt.Fprintf(w, "microphone: %d frames, %d samples dropped; broker: %s\n", s.Frames, s.Dropped,
		ctl.Visible(s.Broker))
	if len(s.Boxes) > 0 {
		fmt.Fprintf(w, "other boxes: %s\n", ctl.Visible(strings.Join(s.Boxes, ", ")))
	}
	if len(s.Heard) > 0 {
		var by []string
		for _, name := range slices.Sorted(maps.Keys(s.Heard)) {
			by = append(by, fmt.Sprintf("%s %d", ctl.Visible(name), s.Heard[name]))
		}
		fmt.Fprintf(w, "of the last turns heard by: %s\n", strings.Join(by, ", "))
	}
	for _, k := range s.Conditions {
		fmt.Fprintf(w, "%s %s since %s: %s\n",
			ctl.Visible(string(k.Severity)), ctl.Visible(k.Code), k.Since.Local().Format(time.DateTime),
			ctl.Visible(k.Text))
	}
	if len(s.Conditions) == 0 {
		fmt.Fprintln(w, "nothing is wrong")
	} else {
		fmt.Fprintln(w, "what to do: sudo hearthctl doctor")
	}
	for _, t := range s.Ringing {
		fmt.Fprintf(w, "rings now: %s\n", named(&t))
	}
	showTimers(w, s.Timers)
}
