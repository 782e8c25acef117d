package main

import (
	"bufio"
	"errors"
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

// maxTyped is more than hearthd takes of a request, in bytes.
const maxTyped = 8 << 10

func askCommand(c *ctl.Client) *cobra.Command {
	var q api.Ask
	var yes bool
	cmd := &cobra.Command{
		Use:   "ask [TEXT...]",
		Short: "Ask as if by voice; the answer is spoken and printed",
		Long: "Ask as if by voice; the answer is spoken, and printed with what it rests on.\n" +
			"What wants a yes first is asked on the terminal. The exit status is 1 when there was no answer or\n" +
			"something failed; a question back, or a sentence that says why nothing is done, is an answer.\n" +
			"Without a TEXT it is a line of standard input.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.Text = strings.Join(args, " "); len(args) == 0 {
				var err error
				if q.Text, err = typed(cmd); err != nil {
					return err
				}
			}
			t, err := askOnce(c, cmd, q)
			for err == nil && t.Question != "" && (yes || agreed(cmd, t.Question)) {
				q.Text, q.Question = "yes", t.Question
				t, err = askOnce(c, cmd, q)
			}
			switch {
			case err != nil:
				return err
			case t.Question != "":
				return errors.New("it was not done: nobody said yes")
			case t.Outcome == "answered", t.Answer != "" && t.Outcome != "failed": // who cut what is said did not unsay it
				return nil
			case t.Answer != "":
				return ctl.ErrTold
			}
			why := t.Outcome
			if t.Reason != "" && t.Reason != t.Outcome {
				why += ", " + t.Reason
			}
			return fmt.Errorf("the request was not fulfilled: %s", ctl.Visible(why))
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "agree to what is asked first")
	cmd.Flags().StringVar(&q.As, "as", "", "`person` of memory.people who asks, whose memory is used")
	return cmd
}

// typed is a line that a person types.
func typed(cmd *cobra.Command) (string, error) {
	if ctl.IsTerminal(cmd.ErrOrStderr()) {
		fmt.Fprint(cmd.ErrOrStderr(), "What is it? ")
	}
	in := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), maxTyped))
	line, err := ctl.Typed(cmd.Context(), func() (string, error) { return in.ReadString('\n') })
	if line = strings.TrimSpace(line); line == "" {
		if err == nil || errors.Is(err, io.EOF) {
			err = errors.New("nothing was asked; for example: hearthctl ask what time is it")
		}
		return "", err
	}
	return line, nil
}

func askOnce(c *ctl.Client, cmd *cobra.Command, q api.Ask) (t event.Turn, err error) {
	err = c.Call(cmd, ctl.Request{Path: "/v1/ask", Limit: askLimit, Body: q}, &t, func(w io.Writer) {
		// The question is asked with its [y/N].
		if said := strings.TrimSpace(strings.TrimSuffix(t.Answer, t.Question)); said != "" {
			fmt.Fprintln(w, ctl.Visible(said))
		}
		for _, s := range t.Sources {
			fmt.Fprintln(w, strings.TrimSpace(ctl.Visible("from: "+s.Title+" "+s.URL)))
		}
	})
	return t, err
}
