package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"
	"hearthd/daemon/event"
)

// mediaCommand shows what plays, and its commands run the tools that a voice would.
func mediaCommand(c *ctl.Client) *cobra.Command {
	cmd := ctl.Show(c, &cobra.Command{
		Use: "media", Short: "See and change what plays: radio, music",
	}, ctl.Request{Path: "/v1/media"}, showMedia)
	play := mediaOrder(c, "play [NAME]", "Play a station, a podcast or music by name, or what played last",
		"media_play",
		func(args []string) map[string]any {
			if len(args) == 0 {
				return map[string]any{}
			}
			return map[string]any{"name": strings.Join(args, " ")}
		})
	play.Args = cobra.ArbitraryArgs
	cmd.AddCommand(play)
	for _, do := range []struct{ name, short string }{
		{"pause", "Pause what plays"}, {"resume", "Let what is paused go on"}, {"stop", "Stop what plays"},
		{"next", "Play the next station or track"}, {"previous", "Play the previous station or track"},
		{"shuffle", "Mix up what is to come"},
	} {
		cmd.AddCommand(mediaOrder(c, do.name, do.short, "media_control",
			func([]string) map[string]any { return map[string]any{"do": do.name} }))
	}
	cmd.AddCommand(mediaVolumeCommand(c), mediaSleepCommand(c))
	return cmd
}

func showMedia(w io.Writer, m event.Media) {
	what := []string{m.State}
	for _, part := range []string{m.Station, m.Source, m.Title, m.Artist, m.Album} {
		if part != "" {
			what = append(what, part)
		}
	}
	fmt.Fprintf(w, "%s; media volume %d %%, under the speaker's\n", ctl.Visible(strings.Join(what, ", ")), m.Percent)
	if !m.Until.IsZero() {
		fmt.Fprintf(w, "until %s\n", m.Until.Local().Format(time.TimeOnly))
	}
}

func mediaOrder(c *ctl.Client, use, short, tool string, arguments func(args []string) map[string]any) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runMedia(c, cmd, tool, arguments(args)) },
	}
}

func runMedia(c *ctl.Client, cmd *cobra.Command, tool string, arguments map[string]any) error {
	data, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	out, err := runTool(c, cmd, api.ToolRun{Name: tool, Arguments: data})
	if err == nil && out.Outcome != "ok" {
		err = fmt.Errorf("it was not done: %s", ctl.Visible(out.Outcome))
	}
	return err
}

func mediaVolumeCommand(c *ctl.Client) *cobra.Command {
	return &cobra.Command{
		Use: "volume PERCENT", Short: "Set how loud radio and music are, under the speaker's volume",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 0 || n > 100 {
				return fmt.Errorf("volume %q is not a whole number from 0 to 100", args[0])
			}
			return runMedia(c, cmd, "media_volume", map[string]any{"percent": n})
		},
	}
}

func mediaSleepCommand(c *ctl.Client) *cobra.Command {
	return &cobra.Command{
		Use: "sleep DURATION", Short: "Stop what plays after a while, such as 30m; 0: let it go on", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := time.ParseDuration(args[0])
			if err != nil {
				return fmt.Errorf("want a duration such as 30m: %w", err)
			}
			if d < 0 || d > 24*time.Hour {
				return fmt.Errorf("duration %v is not within 0 and 24h", d)
			}
			return runMedia(c, cmd, "media_sleep", map[string]any{"duration_s": int(d.Seconds())})
		},
	}
}
