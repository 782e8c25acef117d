// Package wake looks after the wake words: it lists, installs, records and tries them.
// A model from the internet is bounded and checked before hearthd is given it.
package wake

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"time"

	"hearthd/cmd/hearthctl/configfile"
	"hearthd/cmd/hearthctl/ctl"
	"hearthd/cmd/hearthctl/mic"
	"hearthd/daemon/api"

	"github.com/spf13/cobra"
)

func Command(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "wake",
		Short: "Look after the wake words",
		Long: `Look after the wake words that are heard in the sound itself.

A word is used when wake.words in hearthd.yaml(5) names its model and hearthd was
restarted. Models of microWakeWord, which ESPHome devices use, are installed from
their .json; other words are recorded here with enroll.`,
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(listCommand(c), installCommand(c), enrollCommand(c), testCommand(c))
	return cmd
}

func listCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the wake words that are configured or installed, and whether they are heard",
	}
	return ctl.Show(c, cmd, ctl.Request{Path: "/v1/wake"}, func(w io.Writer, list []api.Word) {
		engine, err := configfile.Setting(cmd.Context(), c, "wake.engine")
		switch {
		case err == nil && engine == "off":
			fmt.Fprintln(w, "wake.engine is off: the microphone stays closed, and no word is heard")
		case len(list) == 0 && engine == "button":
			fmt.Fprintln(w, "no wake words: a button opens a turn; hearthctl wake install or enroll adds one")
		case len(list) == 0:
			fmt.Fprintln(w, noWords)
		}
		for _, word := range list {
			fmt.Fprintln(w, wordLine(&word))
		}
	})
}

// noWords must not sound as if the box were deaf: most boxes have the wake phrase alone.
const noWords = "no wake words beside the wake phrase, which is heard in what is said (hearthctl config show wake); " +
	"hearthctl wake\ninstall or enroll adds one"

// wordLine is the word for a person.
func wordLine(w *api.Word) string {
	state := "not configured"
	switch {
	case w.Error != "":
		state = "NOT HEARD: " + ctl.Visible(w.Error)
	case w.Configured && w.Kind == "stop":
		state = "stops"
	case w.Configured:
		state = "wakes"
	}
	if w.Configured && w.Error == "" && w.Route != "" {
		state += ", only " + ctl.Visible(w.Route)
	}
	return fmt.Sprintf("%-20s %-20s %-9s %s", ctl.Visible(w.Model), ctl.Visible(w.Name), ctl.Visible(w.Type), state)
}

// useText says how a word that was just kept comes into use.
func useText(model string) string {
	return fmt.Sprintf("To use it, add it to wake.words in /etc/hearthd/hearthd.yaml, and restart hearthd:\n\nwake:\n "+
		" words:\n    - model: %s", ctl.Visible(model))
}

func testCommand(c *ctl.Client) *cobra.Command {
	var seconds int
	cmd := &cobra.Command{
		Use:   "test [FILE.wav]",
		Short: "Show how sure hearthd is of its wake words, live or over a recording",
		Long: `Show how sure hearthd is of each wake word while you say it, and when it was heard:
then it opens a turn as always. A model says how sure it is, 0 to 1; an enrolled
word and a server tell only that it was heard.

With a recording, hearthd hear is run over it, with the words of the configuration
that this user may read.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return hearFile(c, cmd, args[0])
			}
			if seconds < 1 || seconds > mic.MaxSeconds {
				return fmt.Errorf("--seconds %d is not from 1 to %d", seconds, mic.MaxSeconds)
			}
			return testWords(c, cmd, time.Duration(seconds)*time.Second)
		},
	}
	cmd.Flags().IntVar(&seconds, "seconds", 30, "`number` of seconds")
	return cmd
}

// hearFile runs hearthd hear.
func hearFile(c *ctl.Client, cmd *cobra.Command, file string) error {
	args := []string{"hear"}
	if c.JSON {
		args = append(args, "--json")
	}
	hear := exec.CommandContext(cmd.Context(), ctl.Program(), append(args, "--", file)...)
	hear.Stdout, hear.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
	if err := hear.Run(); err != nil {
		return fmt.Errorf("run hearthd hear: %w", err)
	}
	return nil
}

// testWords shows the scores of a while, and the words that were heard.
func testWords(c *ctl.Client, cmd *cobra.Command, length time.Duration) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), length)
	defer cancel()
	heard := make(chan string, 8)
	go followWords(ctx, c, heard)
	out := cmd.OutOrStdout()
	if !c.JSON {
		fmt.Fprintf(out, "Say a wake word; this ends after %v.\n", length)
	}
	d := mic.NewDisplay(out)
	for r, err := range mic.Readings(ctx, c) {
		if err != nil {
			return err
		}
		if c.JSON {
			fmt.Fprintf(out, "%s\n", r.Raw)
			continue
		}
		select {
		case word := <-heard:
			d.End()
			fmt.Fprintln(out, word)
		default:
		}
		d.Show(r.Meter)
	}
	if !c.JSON {
		d.End()
	}
	return nil
}

// followWords prints every wake word that the daemon acts on until ctx ends.
func followWords(ctx context.Context, c *ctl.Client, heard chan<- string) {
	for got, err := range c.Stream(ctx, "/v1/events", nil) {
		var e struct {
			Type  string  `json:"type"`
			By    string  `json:"by"`
			Score float64 `json:"score"`
		}
		if err != nil || json.Unmarshal(got.Data, &e) != nil {
			return // the meter will report the same error
		}
		if e.Score == 0 || e.Type != "woken" && e.Type != "hushed" {
			continue
		}
		select {
		case heard <- fmt.Sprintf("HEARD %s, score %.2f", ctl.Visible(e.By), e.Score):
		case <-ctx.Done():
			return
		}
	}
}
