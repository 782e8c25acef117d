package main

import (
	"errors"
	"fmt"
	"io"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"

	"github.com/spf13/cobra"
)

func consoleCommand(c *ctl.Client) *cobra.Command {
	var metrics bool
	cmd := &cobra.Command{
		Use: "console", Short: "Show where the web console is, and its token",
		Long: "Shows the addresses of the web console, and its token. An address carries the token and opens the " +
			"console " +
			"at once; the browser keeps a session and forgets the token, and no server sees what stands behind the " +
			"#. With --metrics, shows the token that opens /metrics and nothing else, for Prometheus.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s api.Console
			err := c.Call(cmd, ctl.Request{Path: "/v1/console"}, &s, func(w io.Writer) { showConsole(w, &s, metrics) })
			switch {
			case err != nil:
				return err
			case s.Problem != "":
				return fmt.Errorf("the console is not served: %s", ctl.Visible(s.Problem))
			case len(s.URLs) == 0:
				return errors.New("there is no console: console.listen is empty")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&metrics, "metrics", false, "show the token of /metrics")
	return cmd
}

// showConsole prints the addresses and the token, or only that of /metrics.
func showConsole(w io.Writer, s *api.Console, metrics bool) {
	switch {
	case len(s.URLs) == 0:
	case metrics:
		fmt.Fprintln(w, ctl.Visible(s.Metrics))
	default:
		for _, u := range s.URLs {
			fmt.Fprintln(w, ctl.Visible(u+"#token="+s.Token))
		}
		fmt.Fprintf(w, "token: %s\n", ctl.Visible(s.Token))
	}
}
