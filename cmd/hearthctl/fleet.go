package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"

	"github.com/spf13/cobra"
)

// fleetLimit is how long a broker with many boxes may take to list them.
const fleetLimit = 30 * time.Second

func fleetCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Show all boxes on the broker: version, state, what is wrong, last turn",
		Long: `Show all boxes on the broker of the running daemon, under its mqtt.prefix: version,
state, what is wrong with them, and the last turn that somebody began, without its
words. A box that is off is shown as it was last.`,
	}
	return ctl.Show(c, cmd, ctl.Request{Path: "/v1/fleet", Limit: fleetLimit}, showFleet)
}

func showFleet(w io.Writer, list []api.Box) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NODE\tHOUSE\tVERSION\tSTATE\tLAST TURN\tWRONG")
	off, wrong := 0, 0
	for _, a := range list {
		state, last := a.State, "-"
		if !a.Online {
			state = "off"
			off++
		}
		if l := a.LastTurn; l != nil {
			last = fmt.Sprintf("%s %s %s", l.Time.Local().Format("2 Jan 15:04"), ctl.Visible(cmp.Or(l.Intent, l.Route)),
				ctl.Visible(l.Outcome))
		}
		var codes []string
		for _, k := range a.Conditions {
			codes = append(codes, ctl.Visible(k.Code))
		}
		if len(codes) > 0 {
			wrong++
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", ctl.Visible(a.Node), ctl.Visible(a.House), ctl.Visible(a.Version),
			ctl.Visible(state), last, cmp.Or(strings.Join(codes, " "), "-"))
	}
	_ = t.Flush() // the first print to w after this reports its error
	fmt.Fprintf(w, "boxes: %d, off: %d, with something wrong: %d\n", len(list), off, wrong)
}
