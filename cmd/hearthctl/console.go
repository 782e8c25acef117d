package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"hearthd/daemon/api"

	"github.com/spf13/cobra"
)

func consoleCommand(c *client) *cobra.Command {
	return &cobra.Command{
		Use: "console", Short: "Show where the web console is, and its token",
		Long: "Shows the addresses of the web console, and the token where one is needed. An address that carries the token " +
			"opens the console at once; the browser keeps a session and forgets the token.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s api.Console
			if err := c.call(cmd, request{method: http.MethodGet, path: "/v1/console", limit: callLimit}, &s, func(w io.Writer) { showConsole(w, &s) }); err != nil {
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
}

func showConsole(w io.Writer, s *api.Console) {
	for _, u := range s.URLs {
		if s.Token != "" {
			u += "#token=" + s.Token
		}
		fmt.Fprintln(w, visible(u))
	}
	if s.Token != "" {
		fmt.Fprintf(w, "token: %s\n", visible(s.Token))
	}
}
