package main

import (
	"errors"
	"fmt"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"

	"github.com/spf13/cobra"
)

func toolsAcceptCommand(c *ctl.Client) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "accept SERVER [TOOL]", Short: "Agree to tools that a server (MCP) has changed",
		Long: "Agree to tools that a server (MCP) has changed. They are not offered until then.\n" +
			"What each says of itself now is shown first, and one that changes meanwhile is not taken.",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var list []api.ToolChange
			if err := c.Ask(cmd.Context(), ctl.Request{Path: "/v1/tools/changes"}, &list); err != nil {
				return err
			}
			found := false
			for _, t := range list {
				if t.Server != args[0] || len(args) == 2 && t.Tool != args[1] {
					continue
				}
				found = true
				fmt.Fprintf(cmd.OutOrStdout(), "%s\n", describe(&t))
				if !yes && !agreed(cmd, "Offer it?") {
					return errors.New("it is not offered")
				}
				accept := ctl.Request{Path: "/v1/tools/accept", Body: api.ToolAcceptance{Server: t.Server, Tool: t.Tool, Hash: t.Hash}}
				if err := c.Ask(cmd.Context(), accept, nil); err != nil {
					return err
				}
			}
			if !found {
				return fmt.Errorf("no tool of %q waits for you", args[0])
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "agree without being asked")
	return cmd
}

func describe(t *api.ToolChange) string {
	what := "changed"
	if t.New {
		what = "new"
	}
	return fmt.Sprintf("%s of %s (%s): %s", ctl.Visible(t.Tool), ctl.Visible(t.Server), what, ctl.Visible(t.Description))
}
