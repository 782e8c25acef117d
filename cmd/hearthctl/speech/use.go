package speech

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/speech/model"
	"hearthd/speech/store"
	"hearthd/speech/trial"
)

// unit is the service, and door its socket.
const (
	unit = "hearth-speech"
	door = "run/hearth-speech/wyoming.sock"
)

// enough is the share of the words of a test that have to be right.
const enough = 0.5

func useCommand(s *site) *cobra.Command {
	var named []string
	var off bool
	cmd := &cobra.Command{
		Use:   "use NAME[/SPEAKER]...",
		Short: "Choose which of the installed models are used",
		Long: `Choose which of the installed models are used: in the languages of the model, or in
those that are named. A voice of several speakers is told which one: kokoro-en/bf_emma.
Then a sentence is tried, hearthd is configured and restarted; if it cannot use them,
everything is as it was.

With --off hearthd hears and speaks with its built-in engines again.`,
		ValidArgsFunction: s.named(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case off && len(args) == 0:
				return s.off(cmd.Context())
			case off || len(args) == 0:
				return errors.New("name models, or say --off")
			}
			return s.use(cmd.Context(), args, named)
		},
	}
	cmd.Flags().StringSliceVar(&named, "language", nil, "`codes` of the languages in which they are used")
	cmd.Flags().BoolVar(&off, "off", false, "use none of them")
	return cmd
}

func (s *site) use(ctx context.Context, names, named []string) error {
	if err := s.mayConfigure(); err != nil {
		return err
	}
	there, err := s.installed()
	if err != nil {
		return err
	}
	use, err := model.ReadUse(s.state)
	if err != nil {
		return err
	}
	for _, arg := range names {
		name, speaker, _ := strings.Cut(arg, "/")
		i := slices.IndexFunc(there, func(m *model.Manifest) bool { return m.Name == name })
		if i < 0 {
			if s.cat.Find(name) != nil {
				return fmt.Errorf("%s is not installed: hearthctl speech install %s", name, name)
			}
			return fmt.Errorf("%s is not installed; hearthctl speech list names what there is", ctl.Visible(name))
		}
		m := there[i]
		if _, ok := m.Speakers[speaker]; speaker != "" && !ok {
			return fmt.Errorf("%s has no speaker %q; it has %s", name, ctl.Visible(speaker),
				ctl.Visible(strings.Join(slices.Sorted(maps.Keys(m.Speakers)), ", ")))
		}
		languages := named
		if len(languages) == 0 {
			languages = spoken(m)
		}
		for _, l := range languages {
			if !m.Speaks(l) {
				return fmt.Errorf("%s is not good for %q", name, ctl.Visible(l))
			}
			if !choose(&use, m.Task(), l, arg) {
				return fmt.Errorf("%s is neither for hearing nor for speaking", name)
			}
		}
	}
	return s.change(ctx, use)
}

// spoken are the languages in which a model is used that nobody names others for.
func spoken(m *model.Manifest) []string {
	if len(m.Languages) == 0 {
		return []string{""}
	}
	return m.Languages
}

func choose(use *model.Use, task model.Task, language, as string) bool {
	to := map[model.Task]*map[string]string{model.Hear: &use.Hear, model.Speak: &use.Speak}[task]
	if to == nil {
		return false
	}
	if *to == nil {
		*to = map[string]string{}
	}
	(*to)[language] = as
	return true
}

// change uses models, tries them, and has hearthd use them. If that fails all is as it was.
func (s *site) change(ctx context.Context, use model.Use) error {
	before, err := model.ReadUse(s.state)
	if err != nil {
		return err
	}
	if err := use.Write(s.state); err != nil {
		return err
	}
	err = s.refresh(ctx)
	for _, language := range s.changed(before, use) {
		if err == nil {
			err = s.test(ctx, "", language)
		}
	}
	if err == nil {
		err = s.configure(ctx, len(use.Hear) > 0, len(use.Speak) > 0)
	}
	if err == nil {
		return nil
	}
	// Who is interrupted gets what was there before, too.
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), restartLimit)
	defer cancel()
	return errors.Join(fmt.Errorf("%w; what was used before still is", err), before.Write(s.state), s.refresh(back))
}

// changed are the languages in which something else is used than before. What is used in every
// other language is tried in that of the house.
func (s *site) changed(before, now model.Use) (languages []string) {
	for _, of := range []struct{ before, now map[string]string }{{before.Hear, now.Hear}, {before.Speak, now.Speak}} {
		for language, as := range of.now {
			if as != of.before[language] {
				languages = append(languages, cmp.Or(language, s.languages(nil)[0]))
			}
		}
	}
	slices.Sort(languages)
	return slices.Compact(languages)
}

// refresh opens the door of the service, which is shut without a library, and has it read what has
// changed. One that does not run reads it when it starts.
func (s *site) refresh(ctx context.Context) error {
	if !s.systemd() {
		return nil
	}
	return errors.Join(ctl.Systemctl(ctx, "start", unit+".socket"), ctl.Systemctl(ctx, "try-restart", unit+".service"))
}

// systemd reports whether it is the services of this machine that are changed.
func (s *site) systemd() bool {
	ours := s.config == ctl.ConfigFile && s.state == model.State && s.c.Socket == "" || s.root != "/"
	return ours && os.Geteuid() == 0 && ctl.Exists(filepath.Join(s.root, "run/systemd/system"))
}

// address is where the service serves hearthd.
func (s *site) address() string { return "unix:" + filepath.Join(s.root, door) }

func testCommand(s *site) *cobra.Command {
	var named []string
	var address string
	cmd := &cobra.Command{
		Use:   "test",
		Short: "Have the voice speak a sentence, and the recogniser recognise it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var all error
			for _, language := range s.languages(named) {
				all = errors.Join(all, s.test(cmd.Context(), address, language))
			}
			return all
		},
	}
	cmd.Flags().StringSliceVar(&named, "language", nil, "`codes` of the languages that are tried")
	cmd.Flags().StringVar(&address, "server", "", "try this Wyoming server, HOST:PORT or unix:/PATH")
	return cmd
}

// test tries what is used in a language, at the service's own door if there is one.
func (s *site) test(ctx context.Context, address, language string) (err error) {
	if address == "" && !store.HasLibrary(s.state, s.cat) {
		return errors.New("nothing is installed yet: sudo hearthctl speech install")
	}
	if address == "" && s.systemd() {
		address = s.address()
	}
	if address == "" {
		server, err := trial.Start(ctx, s.program, s.state)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, server.Close()) }()
		address = server.Address
	}
	text := trial.Sentence(language)
	voice := "the voice"
	said, err := trial.Speak(ctx, address, "", text)
	if err != nil {
		fmt.Fprintf(s.out, "No voice speaks there: %s\n", ctl.Visible(err.Error()))
		voice = builtIn
		if said, err = trial.Example(ctx, language); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.out, "Said by %s: “%s” (%.1f s; its first sound after %v, "+
		"with what had to be loaded)\n", voice, text, said.Length.Seconds(), said.First.Round(time.Millisecond))
	heard, err := trial.Hear(ctx, address, "", language, said.Samples, true)
	if err != nil {
		return fmt.Errorf("try the recogniser: %w", err)
	}
	right := trial.Right(text, heard.Text)
	fmt.Fprintf(s.out, "Heard: “%s” (%.0f %% of the words, %v after the last one)\n",
		ctl.Visible(strings.TrimSpace(heard.Text)), 100*right, heard.Answer.Round(time.Millisecond))
	if right < enough {
		return fmt.Errorf("only %.0f %% of the words were heard as they were said", 100*right)
	}
	return nil
}

func removeCommand(s *site) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "remove NAME...", Short: "Remove models, and what has come of one that was not fetched to its end",
		Args: cobra.MinimumNArgs(1), ValidArgsFunction: s.named(true),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			list, err := s.list()
			if err != nil {
				return err
			}
			for _, e := range list {
				if slices.Contains(args, e.Name) && len(e.Used) > 0 && !force {
					return fmt.Errorf("%s is used: choose another one, or none (hearthctl speech use --off), or say --force",
						e.Name)
				}
			}
			st, err := store.Open(store.Options{State: s.state, Catalogue: s.cat})
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, st.Close()) }()
			for _, name := range args {
				if err := st.Remove(name); err != nil {
					return err
				}
				fmt.Fprintf(s.out, "%s is removed.\n", ctl.Visible(name))
			}
			return s.refresh(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "remove what is used, too")
	return cmd
}
