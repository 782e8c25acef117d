package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"
)

// console is the answer to GET /v1/console.
type console struct {
	URLs    []string `json:"urls"`
	Token   string   `json:"token"`
	Metrics string   `json:"metrics"`
	Problem string   `json:"problem"`
}

func consoleCommand(c *client) *cobra.Command {
	var metrics bool
	cmd := &cobra.Command{
		Use: "console", Short: "Show where the web console is, and its token",
		Long: "Shows the addresses of the web console, and its token. An address carries the token and opens the console at " +
			"once; the browser keeps a session and forgets the token, and no server sees what stands behind the #. " +
			"With --metrics, shows the token that opens /metrics and nothing else, for Prometheus.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s console
			show := s.show
			if metrics {
				show = s.showMetrics
			}
			if err := c.call(cmd, request{method: http.MethodGet, path: "/v1/console", limit: callLimit}, &s, show); err != nil {
				return err
			}
			switch {
			case s.Problem != "":
				return fmt.Errorf("the console is not served: %s", visible(s.Problem))
			case len(s.URLs) == 0:
				return errors.New("there is no console: console.listen is empty")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&metrics, "metrics", false, "show the token of /metrics")
	return cmd
}

func (s *console) showMetrics(w io.Writer) {
	if len(s.URLs) > 0 {
		fmt.Fprintln(w, visible(s.Metrics))
	}
}

func (s *console) show(w io.Writer) {
	for _, u := range s.URLs {
		fmt.Fprintln(w, visible(u+"#token="+s.Token))
	}
	if len(s.URLs) > 0 {
		fmt.Fprintf(w, "token: %s\n", visible(s.Token))
	}
}
