package main

import (
	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"
)

func muteCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{Use: "mute", Short: "Close the microphone until unmute"}
	return ctl.Order(c, cmd, "/v1/mute", api.Mute{Muted: new(true)})
}

func unmuteCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{Use: "unmute", Short: "Open the microphone again"}
	return ctl.Order(c, cmd, "/v1/mute", api.Mute{Muted: new(false)})
}
