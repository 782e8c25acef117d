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
		with := ""
		if t.Station != "" {
			with = ", with " + ctl.Visible(t.Station)
		}
		fmt.Fprintf(w, "%s: %s%s\n", named(&t), due(&t), with)
	}
}

// named is what t is called.
func named(t *event.Timer) string {
	kind := cmp.Or(t.Kind, "timer") // an older hearthd says none
	return ctl.Visible(kind + " " + cmp.Or(t.Label, fmt.Sprintf("number %d", t.ID)))
}

// due says when t rings, in the zone of the household, as hearthd writes it.
func due(t *event.Timer) string {
	ends := t.Ends
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
