package main

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/event"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

func timersCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{Use: "timers", Short: "List timers, alarms and reminders"}
	return ctl.Show(c, cmd, ctl.Request{Path: "/v1/timers"}, func(w io.Writer, list []event.Timer) {
		if len(list) == 0 {
			fmt.Fprintln(w, "no timers")
		}
		showTimers(w, list)
	})
}

func showTimers(w io.Writer, list []event.Timer) {
	for _, t := range list {
		kind := cmp.Or(t.Kind, "timer") // an older hearthd says none
		name := cmp.Or(t.Label, fmt.Sprintf("number %d", t.ID))
		with := ""
		if t.Station != "" {
			with = ", with " + ctl.Visible(t.Station)
		}
		fmt.Fprintf(w, "%s %s: %s%s\n", ctl.Visible(kind), ctl.Visible(name), due(&t), with)
	}
}

// due says when t rings.
func due(t *event.Timer) string {
	ends := t.Ends.Local()
	left := max(0, time.Until(t.Ends).Round(time.Second))
	switch {
	case t.LeftS > 0:
		return fmt.Sprintf("paused, %v left", time.Duration(t.LeftS*float64(time.Second)).Round(time.Second))
	case t.Repeat != "":
		return fmt.Sprintf("%s, again %s", ends.Format("Mon 2 Jan 15:04"),
			ctl.Visible(cmp.Or(phrase.English().Often(when.Repeat(t.Repeat).Parts()), "by "+t.Repeat)))
	case t.Kind != "" && t.Kind != "timer":
		return ends.Format("Mon 2 Jan 15:04")
	}
	return fmt.Sprintf("%v left, until %s", left, ends.Format(time.TimeOnly))
}
