package speech

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/configfile"
	"hearthd/cmd/hearthctl/ctl"
	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/refusal"
	"hearthd/speech/model"
	"hearthd/speech/trial"
	"hearthd/vad/wake/remote"
)

// settled is how long after its restart hearthd may take to find that a wake server refuses a phrase.
const settled = 5 * time.Second

// tuning is what tune was asked for.
type tuning struct {
	*site
	from   string
	server string
	want   time.Duration
	only   bool // nothing is used
}

func tuneCommand(s *site) *cobra.Command {
	t := &tuning{site: s}
	cmd := &cobra.Command{
		Use:   "tune PHRASE...",
		Short: "Make a phrase a wake word, as sure as talk demands",
		Long: `Make a phrase a wake word by typing it, such as "hey kitchen". It is waited for in an
hour of talk first, in which nobody says it, and heard there nowhere: how sure the model
has to be is raised until that is so. Then hearthd's configuration is changed
(wake.words in conf.d/90-set.yaml) and hearthd restarted.

The talk is what hearthd's microphone hears meanwhile; a radio or television in the room
will do, and pauses do not count. It goes to no other machine. With --from it is in the
WAV files of a folder.

A model that waits for phrases has to be installed (hearthctl speech list).`,
		Example: "  sudo hearthctl speech tune hey kitchen\n" +
			"  sudo hearthctl speech tune --from /media/stick/talk hey kitchen",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.run(cmd.Context(), strings.ToLower(strings.Join(args, " ")))
		},
	}
	cmd.Flags().StringVar(&t.from, "from", "", "`folder` with recordings of talk, WAV files")
	cmd.Flags().DurationVar(&t.want, "talk", time.Hour, "`length` of the talk")
	cmd.Flags().StringVar(&t.server, "server", "", "`address` of the hearth-speech, unix:/PATH (default: the service)")
	cmd.Flags().BoolVar(&t.only, "no-use", false, "only tune, and leave hearthd as it is")
	return cmd
}

func (t *tuning) run(ctx context.Context, phrase string) error {
	if t.server == "" {
		t.server = t.address()
	}
	if t.want <= 0 {
		return fmt.Errorf("--talk %v: want more", t.want)
	}
	if !t.only {
		if err := t.mayConfigure(); err != nil {
			return err
		}
	}
	there, err := t.installed()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(there, func(m *model.Manifest) bool { return m.Task() == model.Wake }) {
		return errors.New("no model that waits for phrases is installed: sudo hearthctl speech install keyword-en")
	}
	listen := t.hear
	if t.from != "" {
		listen = t.read
	}
	found, err := listen(ctx, phrase)
	if err != nil {
		return err
	}
	err = t.c.Print(t.cmd, found, func(w io.Writer) {
		fmt.Fprintf(w, "With a cutoff of %.2f “%s” is heard nowhere in %.0f minutes of talk.\n", found.Cutoff,
			ctl.Visible(phrase), found.Minutes)
	})
	if err != nil || t.only {
		return err
	}
	return t.use(ctx, phrase, found.Cutoff)
}

// read tunes with recordings, in a hearth-speech of its own.
func (t *tuning) read(ctx context.Context, phrase string) (found api.TuneStep, err error) {
	server, err := trial.Start(ctx, t.program, t.state)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	step := func(s remote.Tuned) api.TuneStep {
		return api.TuneStep{Minutes: s.Talk.Minutes(), Cutoff: s.Cutoff, Alarms: s.Alarms}
	}
	tuned, err := remote.Tune(ctx, server.Address, phrase, t.want, recorded(t.from), func(s remote.Tuned) {
		t.show(&found, step(s))
	})
	return step(tuned), err
}

// hear has hearthd tune with what it hears.
func (t *tuning) hear(ctx context.Context, phrase string) (found api.TuneStep, err error) {
	fmt.Fprintf(t.out, "Let people talk, or a radio, and do not say “%s”.\n", ctl.Visible(phrase))
	body := api.Tune{Phrase: phrase, Server: t.server, Minutes: t.want.Minutes()}
	for e, err := range t.c.Stream(ctx, "/v1/wake/tune", body) {
		if err != nil {
			return found, err
		}
		var s struct {
			api.TuneStep
			refusal.Failure // instead of a step
		}
		if err := json.Unmarshal(e.Data, &s); err != nil {
			return found, fmt.Errorf("read step: %w", err)
		}
		if s.Error != "" {
			return found, errors.New(ctl.Visible(s.Error))
		}
		if t.show(&found, s.TuneStep); s.Done {
			return s.TuneStep, nil
		}
	}
	return found, errors.New("hearthd has ended")
}

// show says how far it has come, with each minute of talk and each false alarm.
func (t *tuning) show(last *api.TuneStep, now api.TuneStep) {
	if !t.c.JSON && (int(now.Minutes) > int(last.Minutes) || now.Alarms > last.Alarms) {
		fmt.Fprintf(t.cmd.ErrOrStderr(), "%.1f of %.0f minutes of talk, taken for it %d times, cutoff %.2f\n",
			now.Minutes, t.want.Minutes(), now.Alarms, now.Cutoff)
	}
	*last = now
}

// use has hearthd wait for the phrase.
func (t *tuning) use(ctx context.Context, phrase string, cutoff float64) error {
	c, err := config.Load(config.Source{File: t.config, Environ: os.Environ()})
	if err != nil {
		return configfile.ReadError(err)
	}
	word := config.WakeWord{Model: phrase, Server: t.server, Cutoff: cutoff}
	i := slices.IndexFunc(c.Wake.Words, func(w config.WakeWord) bool {
		return w.Model == phrase && w.Server == t.server
	})
	if i < 0 {
		c.Wake.Words = append(c.Wake.Words, word)
	} else {
		c.Wake.Words[i].Cutoff = cutoff
	}
	return t.set(ctx, []setting{{"wake.words", c.Value("wake.words")}}, t.waits)
}

// waits sees whether the server takes the phrase from hearthd.
func (t *tuning) waits(ctx context.Context) error {
	if !t.systemd() {
		return nil // the hearthd that runs has not been restarted
	}
	ctx, cancel := context.WithTimeout(ctx, settled)
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		var status api.Status
		if err := t.c.Ask(ctx, ctl.Request{Path: "/v1/status"}, &status); err == nil {
			for _, c := range status.Conditions {
				if c.Code == "wake_server" {
					return errors.New(ctl.Visible(c.Text))
				}
			}
		}
		select {
		case <-ctx.Done():
			fmt.Fprintln(t.out, "hearthd waits for it.")
			return nil
		case <-tick.C:
		}
	}
}
