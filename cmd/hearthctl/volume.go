package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"
)

func volumeCommand(c *ctl.Client) *cobra.Command {
	return &cobra.Command{
		Use:   "volume [PERCENT]",
		Short: "Show the speaker's volume, or set it, 0 to 100",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				var s api.Status
				if err := c.Ask(cmd.Context(), ctl.Request{Path: "/v1/status"}, &s); err != nil {
					return err
				}
				return c.Print(cmd, api.Volume{Percent: &s.Volume}, func(w io.Writer) { fmt.Fprintln(w, s.Volume, "%") })
			}
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 0 || n > 100 {
				return fmt.Errorf("volume %q is not a whole number from 0 to 100", args[0])
			}
			return c.Do(cmd, "/v1/volume", api.Volume{Percent: &n})
		},
	}
}
