package main

import (
	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
)

func stopCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{Use: "stop", Short: "Be quiet and end the turn that is going on"}
	return ctl.Order(c, cmd, "/v1/stop", struct{}{})
}
