package wake

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"
	"hearthd/daemon/refusal"

	"github.com/spf13/cobra"
)

func enrollCommand(c *ctl.Client) *cobra.Command {
	return &cobra.Command{
		Use:   "enroll WORD...",
		Short: "Record a wake word of your own",
		Long: `Record a wake word of your own, such as "hey hearth", with hearthd's microphone.

Say it when you are asked to, alone and in your usual voice, from where you usually
stand. When three recordings agree the word is kept. It will know the voices that
recorded it, and hardly any other; a word of three syllables or more is heard best.
A word that is recorded again takes the place of what was recorded before under its
name, so another person records it under another one.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return enroll(c, cmd, strings.Join(args, " "))
		},
	}
}

func enroll(c *ctl.Client, cmd *cobra.Command, word string) error {
	return Follow(c, cmd, "/v1/wake/enroll", api.Enroll{Name: word}, func(w io.Writer, s *api.EnrollStep) {
		showStep(w, s, word)
	})
}

// Follow asks for an enrolment, and shows its steps until it is done.
func Follow(c *ctl.Client, cmd *cobra.Command, path string, body any, show func(io.Writer, *api.EnrollStep)) error {
	out := cmd.OutOrStdout()
	for e, err := range c.Stream(cmd.Context(), path, body) {
		if err != nil {
			return err
		}
		var s struct {
			api.EnrollStep
			refusal.Failure // instead of a step
		}
		if err := json.Unmarshal(e.Data, &s); err != nil {
			return fmt.Errorf("read step: %w", err)
		}
		switch {
		case s.Error != "":
			return errors.New(ctl.Visible(s.Error))
		case c.JSON:
			fmt.Fprintf(out, "%s\n", e.Data)
		default:
			show(out, &s.EnrollStep)
		}
		if s.State == "done" {
			return nil
		}
	}
	return nil
}

func showStep(w io.Writer, s *api.EnrollStep, word string) {
	switch {
	case s.State == "say":
		fmt.Fprintf(w, "Say “%s” (%d of %d) … ", ctl.Visible(word), s.Good+1, s.Of)
	case s.State == "heard" && s.Problem != "":
		fmt.Fprintf(w, "%s\n", ctl.Visible(s.Problem))
	case s.State == "heard":
		fmt.Fprintf(w, "good: %.1f s at %.0f dBFS\n", s.Seconds, s.Level)
	case s.State == "done":
		fmt.Fprintf(w, "%d recordings agree %s. Kept as %s.\n%s\n", s.Good, agreement(s.Spread), ctl.Visible(s.Model),
			useText(s.Model))
	}
}

// agreement is the spread of the recordings in words: recordings of one synthetic
// voice differ by 0.15 to 0.48 (package enrolled).
func agreement(spread float32) string {
	switch {
	case spread < 0.35:
		return "very well"
	case spread < 0.5:
		return "well"
	}
	return "just so; say the word more alike for a better one"
}
