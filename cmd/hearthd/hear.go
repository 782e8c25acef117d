package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"hearthd/config"
	"hearthd/daemon/ears"
	"hearthd/daemon/engines"
)

// hearOptions are the flags of hearthd hear.
type hearOptions struct {
	reference string
	detector  string
	silero    string
	words     []string
	json      bool
}

func hearCommand(load func() (config.Config, error)) *cobra.Command {
	var o hearOptions
	cmd := &cobra.Command{
		Use:   "hear FILE.wav",
		Short: "Take the daemon's ears over a recording and show what they made of it",
		Long: `Take the daemon's ears over a recording and show what they made of it: the same
stages in the same order as for the microphone, from the same configuration,
faster than real time. Nothing is sent anywhere and no daemon need run.

It prints what was decided, and a summary. With --json it prints one object for
each frame of the detector: at_s, speech (0 to 1), level_dbfs, floor_dbfs, gain_db
of the automatic gain, wake (how sure each wake word is, 0 to 1), echo (how much
of the reference was taken away, its delay, whether speech is heard through what
is left) and what was decided in that frame as events; the summary goes to
standard error.

To report a wake word that was missed, or a turn that nobody began, record the
microphone with

  arecord -f S16_LE -r 16000 -c 1 -d 20 kitchen.wav

while hearthd is muted, and send the file or what this command prints for it. A
WAV of 16 bits is read at any rate, and with several channels as their mean.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := load()
			if err != nil {
				return err
			}
			state, _, err := folders()
			if err != nil {
				return err
			}
			o.apply(&c)
			if ps := c.Validate(); len(ps) > 0 {
				return ps
			}
			return o.hear(cmd, args[0], ears.HearOptions{Setup: engines.Ears(&c, state)})
		},
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON object for each frame of the detector")
	cmd.Flags().StringVar(&o.reference, "reference", "",
		"what the speaker played meanwhile, as a `WAV` that begins with the recording")
	cmd.Flags().StringVar(&o.detector, "detector", "",
		"`engine` that rates speech, neural or silero, instead of the configured one")
	cmd.Flags().StringVar(&o.silero, "silero-model", "",
		"`path` of Silero's network, silero_vad_16k_op15.onnx; implies --detector silero")
	cmd.Flags().StringArrayVar(&o.words, "wake", nil,
		"listen for this `model` too: a microWakeWord .json, or the name of one that is installed")
	return cmd
}

// apply changes the configuration by the flags. A wake server hears the house and not a file, so
// its words are left out. A model for a word that is configured replaces the configured model.
func (o *hearOptions) apply(c *config.Config) {
	c.Wake.Words = slices.DeleteFunc(slices.Clone(c.Wake.Words), func(w config.WakeWord) bool { return w.Server != "" })
	configured := len(c.Wake.Words)
	for _, model := range o.words {
		more := config.WakeWord{Model: model}
		i := slices.IndexFunc(c.Wake.Words[:configured],
			func(w config.WakeWord) bool { return w.Called() == more.Called() })
		if i < 0 {
			c.Wake.Words = append(c.Wake.Words, more)
			continue
		}
		c.Wake.Words[i].Model = model
	}
	if o.silero != "" {
		c.Listen.Detector, c.Listen.Silero = "silero", o.silero
	}
	if o.detector != "" {
		c.Listen.Detector = o.detector
	}
}

// hear opens the files and prints what is heard.
func (o *hearOptions) hear(cmd *cobra.Command, file string, h ears.HearOptions) (err error) {
	near, err := ears.OpenRecording(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, near.Close()) }()
	h.Near = near
	if o.reference != "" {
		far, err := ears.OpenRecording(o.reference)
		if err != nil {
			return err
		}
		defer far.Close()
		h.Reference = far
	}
	w := bufio.NewWriter(cmd.OutOrStdout())
	err = o.print(w, file, cmd.ErrOrStderr(), ears.Hear(cmd.Context(), h))
	return errors.Join(err, w.Flush())
}

// print writes what is heard to w; with JSON the summary goes to aside.
func (o *hearOptions) print(w io.Writer, file string, aside io.Writer, list iter.Seq2[ears.Heard, error]) error {
	encoder := json.NewEncoder(w)
	sum := summary{loudest: math.Inf(-1), begun: time.Now()}
	for heard, err := range list {
		if err != nil {
			return err
		}
		sum.add(&heard)
		if o.json {
			err = encoder.Encode(heard)
		} else {
			err = showFacts(w, heard.Events)
		}
		if err != nil {
			return fmt.Errorf("print what was heard: %w", err)
		}
	}
	if o.json {
		w = aside
	}
	sum.show(w, file)
	return nil
}

// showFacts prints a line for each fact.
func showFacts(w io.Writer, list []ears.HeardFact) error {
	for _, f := range list {
		line := fmt.Sprintf("%9.2f s  %-9s", f.At, f.Type)
		switch f.Type {
		case "wake":
			line += fmt.Sprintf(" %s, score %.2f", f.Word, f.Score)
		case "end", "discard":
			line += fmt.Sprintf(" of utterance %d: %s", f.Utterance, f.Reason)
		default:
			line += fmt.Sprintf(" of utterance %d", f.Utterance)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// summary is what a person wants to know first.
type summary struct {
	begun                     time.Time
	seconds                   float64
	frames, loud              int
	loudest, speech, floor    float64 // dBFS; speech and floor are sums
	utterances, nothing, wake int
}

// speechFrom is the probability from which a frame counts for the level of speech.
const speechFrom = 0.5

func (s *summary) add(h *ears.Heard) {
	s.seconds = h.At
	s.frames++
	s.loudest = math.Max(s.loudest, float64(h.Level))
	s.floor += float64(h.Floor)
	if h.Speech >= speechFrom {
		s.loud++
		s.speech += float64(h.Level)
	}
	for _, f := range h.Events {
		switch f.Type {
		case "wake":
			s.wake++
		case "end":
			s.utterances++
		case "discard":
			s.nothing++
		}
	}
}

func (s *summary) show(w io.Writer, file string) {
	took := time.Since(s.begun).Seconds()
	fmt.Fprintf(w, "%s: %.1f s, %.0f times as fast as real time\n", file, s.seconds, s.seconds/math.Max(took, 1e-3))
	fmt.Fprintf(w, "%d utterances, %d discarded, %d wake words\n", s.utterances, s.nothing, s.wake)
	if s.frames == 0 {
		return
	}
	fmt.Fprintf(w, "level: loudest %.0f dBFS, noise floor %.0f", s.loudest, s.floor/float64(s.frames))
	if s.loud > 0 {
		fmt.Fprintf(w, ", speech %.0f in %.0f %% of the time", s.speech/float64(s.loud),
			100*float64(s.loud)/float64(s.frames))
	}
	fmt.Fprintln(w)
}
