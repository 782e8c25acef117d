package main

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"
)

// turn is what hearthctl reads of the answer to POST /v1/ask.
type turn struct {
	Turn    uint64 `json:"turn"`
	Route   string `json:"route"`
	Intent  string `json:"intent,omitempty"`
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
	Answer  string `json:"answer"`
}

func askCommand(c *client) *cobra.Command {
	return &cobra.Command{
		Use:   "ask TEXT...",
		Short: "Ask as if by voice; the answer is spoken and printed",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var t turn
			body := map[string]string{"text": strings.Join(args, " ")}
			if err := c.call(cmd.Context(), http.MethodPost, "/v1/ask", body, &t); err != nil {
				return err
			}
			if err := c.print(cmd.OutOrStdout(), t, func() { cmd.Println(t.Answer) }); err != nil {
				return err
			}
			if t.Outcome != "answered" {
				return fmt.Errorf("the request was not fulfilled: %s %s", t.Outcome, t.Reason)
			}
			return nil
		},
	}
}
