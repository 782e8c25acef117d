package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"hearthd/daemon/event"

	"github.com/spf13/cobra"
)

// askLimit is more than hearthd takes for the longest turn.
const askLimit = 6 * time.Minute

func askCommand(c *client) *cobra.Command {
	var as string
	cmd := &cobra.Command{
		Use:   "ask TEXT...",
		Short: "Ask as if by voice; the answer is spoken and printed",
		Long: "Ask as if by voice; the answer is spoken, and printed with what it rests on.\n" +
			"The exit status is 1 when the request was not fulfilled.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var t event.Turn
			body := map[string]string{"text": strings.Join(args, " ")}
			if as != "" {
				body["as"] = as
			}
			err := c.call(cmd, request{method: http.MethodPost, path: "/v1/ask", limit: askLimit, body: body}, &t, func(w io.Writer) {
				if t.Answer != "" {
					fmt.Fprintln(w, visible(t.Answer))
				}
				for _, s := range t.Sources {
					fmt.Fprintln(w, strings.TrimSpace(visible("from: "+s.Title+" "+s.URL)))
				}
			})
			if err != nil || t.Outcome == "answered" {
				return err
			}
			why := t.Outcome
			if t.Reason != "" && t.Reason != t.Outcome {
				why += ", " + t.Reason
			}
			return fmt.Errorf("the request was not fulfilled: %s", visible(why))
		},
	}
	cmd.Flags().StringVar(&as, "as", "", "`person` of memory.people who asks, whose memory is used")
	return cmd
}
