package main

import (
	"fmt"
	"io"
	"strings"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"

	"github.com/spf13/cobra"
)

func thinkersCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{Use: "thinkers", Short: "List the thinkers, with their tools and models"}
	return ctl.Show(c, cmd, ctl.Request{Path: "/v1/thinkers"}, showThinkers)
}

func showThinkers(w io.Writer, list []api.Thinker) {
	if len(list) == 0 {
		fmt.Fprintln(w, "no thinkers: thinker.url is empty")
	}
	for _, t := range list {
		showThinker(w, t)
	}
}

func showThinker(w io.Writer, t api.Thinker) {
	with := "no tools installed, so it gets nothing"
	switch {
	case len(t.Tools) > 0:
		with = strings.Join(t.Tools, " ")
	case t.Live:
		with = "no tools"
	}
	fmt.Fprintf(w, "%s: %s\n    %s, %s\n    %s\n", ctl.Visible(t.Name), ctl.Visible(t.Description),
		ctl.Visible(t.Model),
		ctl.Visible(t.Origin), ctl.Visible(with))
}
