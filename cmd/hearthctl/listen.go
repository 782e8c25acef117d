package main

import (
	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
)

func listenCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{Use: "listen", Short: "Listen now, as if a button was pressed"}
	return ctl.Order(c, cmd, "/v1/listen", struct{}{})
}
