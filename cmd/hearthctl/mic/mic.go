// Package mic measures the microphone for a person: it asks hearthd for levels, shows
// them, and says the one thing to change. The command is mic test; doctor and setup
// listen with it too.
package mic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"hearthd/cmd/hearthctl/configfile"
	"hearthd/cmd/hearthctl/ctl"

	"github.com/spf13/cobra"
)

func Command(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{Use: "mic", Short: "Look after the microphone", Args: cobra.NoArgs}
	cmd.AddCommand(testCommand(c))
	return cmd
}

// testSound is what the speaker says for the echo. It is long enough for the
// canceller to learn the room.
const testSound = "This is a test of the microphone. While I speak, the microphone hears me, and what it hears " +
	"of me is taken away again, so that you can interrupt me at any time. Now it is your turn."

// Durations of a test: without a sound, and with one.
const (
	testSeconds = 10
	playSeconds = 25
	MaxSeconds  = 3600
)

func testCommand(c *ctl.Client) *cobra.Command {
	var seconds int
	var play bool
	cmd := &cobra.Command{
		Use:   "test",
		Short: "Show the level of the microphone, and say what to change",
		Long: `Show the level of the microphone, and say what to change.

Stand where you usually stand, and speak as you usually do. When the time is over,
or at Ctrl-C, the last line says what to change, or that nothing need be. Levels
are dBFS: 0 is as loud as the converter can take, speech should be around -26.

With --play the speaker says a few sentences first, which shows how much of it the
microphone hears and how much of that is taken away. With --json each line is a
reading, and the last one the result.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if play && !cmd.Flags().Changed("seconds") {
				seconds = playSeconds
			}
			if seconds < 1 || seconds > MaxSeconds {
				return fmt.Errorf("--seconds %d is not from 1 to %d", seconds, MaxSeconds)
			}
			return testMicrophone(c, cmd, time.Duration(seconds)*time.Second, play)
		},
	}
	cmd.Flags().IntVar(&seconds, "seconds", testSeconds,
		"`number` of seconds; with --play "+fmt.Sprint(playSeconds)+" unless given")
	cmd.Flags().BoolVar(&play, "play", false, "let the speaker say something first")
	return cmd
}

func testMicrophone(c *ctl.Client, cmd *cobra.Command, length time.Duration, play bool) error {
	out := cmd.OutOrStdout()
	ctx, cancel := context.WithTimeout(cmd.Context(), length)
	defer cancel()
	m, err := State(ctx, c)
	if err != nil {
		return err
	}
	if m.Muted || m.Trouble != "" {
		return m.print(c, out)
	}
	// A hearthd that does not tell its configuration may be listened to all the same.
	if engine, err := configfile.Setting(ctx, c, "wake.engine"); err == nil && engine == "off" {
		return errors.New("wake.engine is off, so the microphone stays closed; to open it: sudo hearthctl config set " +
			"wake.engine phrase (or button), sudo systemctl restart hearthd")
	}
	m.Played = play
	if play {
		if err := c.Say(ctx, testSound); err != nil {
			return err
		}
	}
	if !c.JSON {
		fmt.Fprintln(out, invitation(length, play))
	}
	d := NewDisplay(out)
	err = m.Listen(ctx, c, func(r Reading) {
		if c.JSON {
			fmt.Fprintf(out, "%s\n", r.Raw)
		} else {
			d.Show(r.Meter)
		}
	})
	if err != nil {
		return err
	}
	if cmd.Context().Err() != nil && m.N == 0 {
		return errors.New("interrupted")
	}
	if !c.JSON {
		d.End()
	}
	return m.print(c, out)
}

// print prints the result: in one line with --json, as the readings are.
func (m *Test) print(c *ctl.Client, w io.Writer) error {
	if c.JSON {
		return json.NewEncoder(w).Encode(m.result())
	}
	m.Show(w)
	return nil
}

func invitation(length time.Duration, play bool) string {
	if play {
		return fmt.Sprintf("Be quiet while the speaker speaks; then speak as usual, from where you usually stand. "+
			"%v in all.", length)
	}
	return fmt.Sprintf("Speak as usual, from where you usually stand, for %v.", length)
}
