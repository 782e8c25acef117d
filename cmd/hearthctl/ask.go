package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"
	"hearthd/daemon/event"

	"github.com/spf13/cobra"
)

// askLimit is more than hearthd takes for the longest turn.
const askLimit = 6 * time.Minute

func askCommand(c *ctl.Client) *cobra.Command {
	var q api.Ask
	cmd := &cobra.Command{
		Use:   "ask TEXT...",
		Short: "Ask as if by voice; the answer is spoken and printed",
		Long: "Ask as if by voice; the answer is spoken, and printed with what it rests on.\n" +
			"What wants a yes first is asked on the terminal. The exit status is 1 when the request was not\n" +
			"fulfilled.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Text = strings.Join(args, " ")
			t, err := askOnce(c, cmd, q)
			for err == nil && t.Question != "" && agreed(cmd, t.Question) {
				q.Text, q.Question = "yes", t.Question
				t, err = askOnce(c, cmd, q)
			}
			if err != nil || t.Outcome == "answered" {
				return err
			}
			why := t.Outcome
			if t.Reason != "" && t.Reason != t.Outcome {
				why += ", " + t.Reason
			}
			return fmt.Errorf("the request was not fulfilled: %s", ctl.Visible(why))
		},
	}
	cmd.Flags().StringVar(&q.As, "as", "", "`person` of memory.people who asks, whose memory is used")
	return cmd
}

func askOnce(c *ctl.Client, cmd *cobra.Command, q api.Ask) (t event.Turn, err error) {
	err = c.Call(cmd, ctl.Request{Path: "/v1/ask", Limit: askLimit, Body: q}, &t, func(w io.Writer) {
		if t.Answer != "" {
			fmt.Fprintln(w, ctl.Visible(t.Answer))
		}
		for _, s := range t.Sources {
			fmt.Fprintln(w, strings.TrimSpace(ctl.Visible("from: "+s.Title+" "+s.URL)))
		}
	})
	return t, err
}
