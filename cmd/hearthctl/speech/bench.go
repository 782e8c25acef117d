package speech

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/speech/model"
	"hearthd/speech/trial"
)

// quickLimit is within what an answer has to begin for people not to think that they were not heard.
const quickLimit = time.Second

// builtIn is who speaks where no installed voice does.
const builtIn = "a built-in voice"

// result is what was measured of a model.
type result struct {
	Name     string     `json:"name"`
	Task     model.Task `json:"task"`
	Language string     `json:"language"`
	// Factor is the time that it takes for a second of speech.
	Factor   float64 `json:"real_time_factor"`
	MemoryMB int     `json:"memory_mb"` // of the process, at most
	LoadMS   int64   `json:"load_ms"`   // of the first sentence beyond the next one
	// FirstMS is to the first word, from the beginning of the speech; of a voice to its first sound.
	FirstMS  int64   `json:"first_ms,omitempty"`
	AnswerMS int64   `json:"answer_ms,omitempty"` // from the end of the speech to all its words
	Right    float64 `json:"right,omitempty"`     // share of the words
	Heard    string  `json:"heard,omitempty"`
	SaidBy   string  `json:"said_by,omitempty"` // the voice of the sentence, which is to blame too for what is wrong
	Error    string  `json:"error,omitempty"`

	manifest *model.Manifest
}

// answer is what a person waits for.
func (r *result) answer() time.Duration {
	if r.Task == model.Speak {
		return time.Duration(r.FirstMS) * time.Millisecond
	}
	return time.Duration(r.AnswerMS) * time.Millisecond
}

func (r *result) quick() bool { return r.Error == "" && r.answer() <= quickLimit }

func benchCommand(s *site) *cobra.Command {
	var named []string
	cmd := &cobra.Command{
		Use:   "bench [NAME...]",
		Short: "Measure the installed models on this box",
		Long: `Measure models that are installed, or those that are named: each is loaded into a
hearth-speech of its own and given a sentence, first as fast as it takes it, then as a
microphone gives it. That takes about ten seconds for each.

"x real time" below 1 is faster than speech. What counts is how long the answer takes
after the last word; of a voice, how long its first sound takes.`,
		ValidArgsFunction: s.named(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := s.bench(cmd.Context(), args, named)
			if err != nil {
				return err
			}
			if s.c.JSON {
				return ctl.PrintJSON(s.out, list)
			}
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&named, "language", nil, "`codes` of the languages that are tried")
	return cmd
}

func (s *site) bench(ctx context.Context, names, named []string) ([]result, error) {
	there, err := s.installed()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !slices.ContainsFunc(there, func(m *model.Manifest) bool { return m.Name == name }) {
			return nil, fmt.Errorf("%s is not installed", ctl.Visible(name))
		}
	}
	list := []result{}
	for _, task := range []model.Task{model.Hear, model.Speak} {
		for _, language := range s.languages(named) {
			those := slices.DeleteFunc(slices.Clone(there), func(m *model.Manifest) bool {
				return len(names) > 0 && !slices.Contains(names, m.Name)
			})
			if len(those) == 0 {
				continue
			}
			found, err := s.measure(ctx, task, language, those)
			if err != nil {
				return nil, err
			}
			list = append(list, found...)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("nothing is installed for this language: hearthctl speech install")
	}
	return list, nil
}

// measure measures models, or those that are installed, one after the other, and says what came of it.
func (s *site) measure(ctx context.Context, task model.Task, language string, those []*model.Manifest) ([]result,
	error) {
	if those == nil {
		var err error
		if those, err = s.installed(); err != nil {
			return nil, err
		}
	}
	those = slices.DeleteFunc(slices.Clone(those), func(m *model.Manifest) bool {
		return m.Task() != task || !m.Speaks(language)
	})
	if len(those) == 0 {
		return nil, nil
	}
	var speech []int16
	var voice string
	if task == model.Hear {
		var err error
		if speech, voice, err = s.example(ctx, language); err != nil {
			return nil, err
		}
	}
	var list []result
	for _, m := range those {
		r := result{Name: m.Name, Task: task, Language: language, SaidBy: voice, manifest: m}
		if err := s.try(ctx, &r, speech); err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			r.Error = err.Error()
		}
		if !s.c.JSON {
			r.show(s.out)
		}
		list = append(list, r)
	}
	return list, nil
}

// example is a sentence in a language, and who says it: an installed voice, else a program.
func (s *site) example(ctx context.Context, language string) ([]int16, string, error) {
	there, err := s.installed()
	if err != nil {
		return nil, "", err
	}
	use, err := model.ReadUse(s.state)
	if err != nil {
		return nil, "", err
	}
	if m, _ := use.Choose(there, model.Speak, language); m != nil {
		server, err := trial.Start(ctx, s.program, s.state)
		if err != nil {
			return nil, "", err
		}
		spoken, err := trial.Speak(ctx, server.Address, m.Name, trial.Sentence(language))
		if err := errors.Join(err, server.Close()); err == nil {
			return spoken.Samples, m.Name, nil
		}
	}
	spoken, err := trial.Example(ctx, language)
	return spoken.Samples, builtIn, err
}

// try loads a model into a server of its own.
func (s *site) try(ctx context.Context, r *result, speech []int16) error {
	server, err := trial.Start(ctx, s.program, s.state)
	if err != nil {
		return err
	}
	if r.Task == model.Hear {
		err = r.hear(ctx, server.Address, speech)
	} else {
		err = r.speak(ctx, server.Address)
	}
	r.MemoryMB = server.PeakMB()
	return errors.Join(err, server.Close())
}

func (r *result) hear(ctx context.Context, address string, speech []int16) error {
	cold, err := trial.Hear(ctx, address, r.Name, r.Language, speech, false)
	if err != nil {
		return err
	}
	warm, err := trial.Hear(ctx, address, r.Name, r.Language, speech, false)
	if err != nil {
		return err
	}
	paced, err := trial.Hear(ctx, address, r.Name, r.Language, speech, true)
	if err != nil {
		return err
	}
	r.Factor = warm.Took.Seconds() / warm.Length.Seconds()
	r.LoadMS = max(0, (cold.Took - warm.Took).Milliseconds())
	r.FirstMS, r.AnswerMS = paced.First.Milliseconds(), paced.Answer.Milliseconds()
	r.Heard, r.Right = paced.Text, trial.Right(trial.Sentence(r.Language), paced.Text)
	return nil
}

func (r *result) speak(ctx context.Context, address string) error {
	cold, err := trial.Speak(ctx, address, r.Name, trial.Sentence(r.Language))
	if err != nil {
		return err
	}
	warm, err := trial.Speak(ctx, address, r.Name, trial.Sentence(r.Language))
	if err != nil {
		return err
	}
	r.Factor = warm.Took.Seconds() / warm.Length.Seconds()
	r.LoadMS, r.FirstMS = max(0, (cold.First-warm.First).Milliseconds()), warm.First.Milliseconds()
	return nil
}

func (r *result) show(w io.Writer) {
	if r.Error != "" {
		fmt.Fprintf(w, "%-18s %-3s does not work: %s\n", r.Name, ctl.Visible(r.Language), ctl.Visible(r.Error))
		return
	}
	text := fmt.Sprintf("%-18s %-3s %.2f x real time, %d MB, loaded in %d ms", r.Name, ctl.Visible(r.Language), r.Factor,
		r.MemoryMB, r.LoadMS)
	if r.Task == model.Speak {
		fmt.Fprintf(w, "%s, first sound after %d ms\n", text, r.FirstMS)
		return
	}
	first := "no word before the end"
	if r.FirstMS > 0 {
		first = fmt.Sprintf("first word after %d ms", r.FirstMS)
	}
	fmt.Fprintf(w, "%s, %s, all of them %d ms after the last; %.0f %% of what %s said: “%s”\n", text, first,
		r.AnswerMS, 100*r.Right, ctl.Visible(r.SaidBy), ctl.Visible(strings.TrimSpace(r.Heard)))
}
