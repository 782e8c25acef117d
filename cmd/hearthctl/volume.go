package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"
)

func volumeCommand(c *ctl.Client) *cobra.Command {
	return &cobra.Command{
		Use:   "volume PERCENT",
		Short: "Set the speaker's volume, 0 to 100",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 0 || n > 100 {
				return fmt.Errorf("volume %q is not a whole number from 0 to 100", args[0])
			}
			return c.Do(cmd, "/v1/volume", api.Volume{Percent: &n})
		},
	}
}
