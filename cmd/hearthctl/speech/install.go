package speech

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/speech/catalogue"
	"hearthd/speech/model"
	"hearthd/speech/store"
)

// installation is what install was asked for.
type installation struct {
	*site
	st     *store.Store
	in     *bufio.Reader
	from   string
	named  []string // languages
	yes    bool
	anyway bool
	only   bool // nothing is used
}

func installCommand(s *site) *cobra.Command {
	in := &installation{site: s}
	cmd := &cobra.Command{
		Use:   "install [NAME...]",
		Short: "Install models, and have hearthd use them",
		Long: `Install models by their names (hearthctl speech list), and the library that runs
them, and have hearthd use them. Without a name models are proposed for the languages of
this house, measured here, and the best that answers within a second is taken.

A model is fetched, goes on where it was cut, and is unpacked only when its SHA-256 is
the one of the catalogue. Memory and disk are looked at before. With --from nothing is
fetched: the archives lie in a folder, of a stick for example; those of the library may
also be its Python or Node package. A NAME with a slash in it is a folder with a model
of your own, which nobody has checked, and a model.yaml.

Then a sentence is spoken and recognised, and hearthd's configuration is changed
(conf.d/90-set.yaml) and hearthd restarted. If it cannot use the models, the
configuration is as it was.`,
		Example: "  sudo hearthctl speech install\n  sudo hearthctl speech install zipformer-de piper-de\n" +
			"  sudo hearthctl speech install --from /media/stick moonshine-tiny-en",
		ValidArgsFunction: s.named(false),
		RunE:              func(cmd *cobra.Command, args []string) error { return in.run(cmd.Context(), args) },
	}
	cmd.Flags().StringVar(&in.from, "from", "", "`folder` with the archives; nothing is fetched")
	cmd.Flags().StringSliceVar(&in.named, "language", nil, "`codes` of the languages that models are proposed for, "+
		"such as en,de")
	cmd.Flags().BoolVar(&in.yes, "yes", false, "ask nothing")
	cmd.Flags().BoolVar(&in.anyway, "anyway", false, "install what is said not to fit this machine")
	cmd.Flags().BoolVar(&in.only, "no-use", false, "only install: use nothing, and leave hearthd as it is")
	return cmd
}

func (in *installation) run(ctx context.Context, names []string) (err error) {
	syscall.Umask(0o022) // the service has to read it
	in.in = bufio.NewReader(in.cmd.InOrStdin())
	if !in.only {
		if err := in.mayConfigure(); err != nil {
			return err
		}
	}
	if err := in.mayInstall(names); err != nil {
		return err
	}
	bar := &ctl.Progress{Out: in.cmd.ErrOrStderr()}
	in.st, err = store.Open(store.Options{State: in.state, Catalogue: in.cat, From: in.from,
		Agent: "hearthctl/" + in.c.Version,
		Progress: func(doing, name string, have, of int64) {
			if bar.Name != doing+" "+name {
				bar.End()
				bar = &ctl.Progress{Out: bar.Out, Name: doing + " " + name}
			}
			bar.Show(have, of)
		},
		Notice: func(text string) { bar.End(); fmt.Fprintln(bar.Out, ctl.Visible(text)) }})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.st.Close()) }()
	defer func() { bar.End() }()
	if !store.HasLibrary(in.state, in.cat) {
		if err := in.st.Library(ctx); err != nil {
			return err
		}
		bar.End()
		fmt.Fprintf(in.out, "The library is installed: sherpa-onnx %s.\n", in.cat.Library.Release)
	}
	if len(names) == 0 {
		return in.propose(ctx)
	}
	var chosen []*model.Manifest
	for _, name := range names {
		m, err := in.one(ctx, name)
		if err != nil {
			return err
		}
		chosen = append(chosen, m)
	}
	if in.only {
		return nil
	}
	return in.take(ctx, chosen)
}

// one installs a model that a person has named.
func (in *installation) one(ctx context.Context, name string) (*model.Manifest, error) {
	if strings.Contains(name, "/") {
		m, err := in.st.Own(ctx, name)
		if err == nil {
			fmt.Fprintf(in.out, "%s is installed, as it was in %s.\n", m.Name, ctl.Visible(name))
		}
		return m, err
	}
	return in.get(ctx, in.cat.Find(name))
}

// mayInstall refuses, before anything is fetched, models that are not known or do not fit.
func (in *installation) mayInstall(names []string) error {
	for _, name := range names {
		if strings.Contains(name, "/") {
			continue // a folder
		}
		m := in.cat.Find(name)
		if m == nil {
			return fmt.Errorf("there is no model %q; hearthctl speech list names them", ctl.Visible(name))
		}
		if why := catalogue.Here(in.root).Refuse(m); why != "" && !in.anyway {
			return fmt.Errorf("%s does not fit this machine: %s; --anyway installs it all the same", name, why)
		}
	}
	return nil
}

// get installs a model of the catalogue, unless it is there.
func (in *installation) get(ctx context.Context, m *catalogue.Model) (*model.Manifest, error) {
	folder := filepath.Join(in.state, model.ModelsFolder, m.Name)
	if there, err := model.Read(folder); err == nil && there.Source == in.cat.URL(m.Archive) {
		fmt.Fprintf(in.out, "%s is installed already.\n", m.Name)
		return there, nil
	}
	if err := in.st.Model(ctx, m); err != nil {
		return nil, err
	}
	fmt.Fprintf(in.out, "%s is installed. Licence: %s.\n", m.Name, m.Licence)
	return model.Read(folder)
}

// propose finds, for each language, what speaks and what hears best here. The voice comes first: what it
// says is what the recognisers are tried with.
func (in *installation) propose(ctx context.Context) error {
	var chosen []*model.Manifest
	for _, language := range in.languages(in.named) {
		for _, task := range []model.Task{model.Speak, model.Hear} {
			m, err := in.best(ctx, task, language)
			if err != nil {
				return err
			}
			if m != nil {
				chosen = append(chosen, m)
			}
		}
	}
	if in.only || len(chosen) == 0 {
		return nil
	}
	return in.take(ctx, chosen)
}

// best installs and measures what is proposed for a task and a language, from the best to the
// lightest, until something answers in time. Nothing is an answer too.
func (in *installation) best(ctx context.Context, task model.Task, language string) (*model.Manifest, error) {
	board := catalogue.Here(in.root)
	offers := in.cat.Propose(task, language, board)
	what := fmt.Sprintf("%s, language %s", tasks()[task], ctl.Visible(language))
	var found []result
	if there, err := in.measure(ctx, task, language, nil); err != nil {
		return nil, err
	} else if len(there) > 0 {
		found = there
		if r := in.quickest(found); r.quick() {
			fmt.Fprintf(in.out, "%s: %s, which is installed, answers within %v.\n", what, r.Name, r.answer())
			return r.manifest, nil
		}
	}
	lightest := 1 << 30
	for _, m := range offers {
		if m.NetworksMB >= lightest || slices.ContainsFunc(found, func(r result) bool { return r.Name == m.Name }) {
			continue
		}
		lightest = m.NetworksMB
		ok, err := in.agree(fmt.Sprintf("%s: install %s (%s)?", what, m.Name, said(m.About,
			fmt.Sprintf("%d MB to fetch, about %d MB of memory", m.Archive.Size/1_000_000, m.MemoryMB()), m.Licence)))
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		there, err := in.get(ctx, m)
		if err != nil {
			return nil, err
		}
		r, err := in.measure(ctx, task, language, []*model.Manifest{there})
		if err != nil {
			return nil, err
		}
		if found = append(found, r...); r[0].quick() {
			return r[0].manifest, nil
		}
		fmt.Fprintf(in.out, "That is more than a second; something lighter is tried.\n")
	}
	if len(found) == 0 {
		fmt.Fprintf(in.out, "%s: nothing suits this box. hearthctl speech list shows what there is.\n", what)
		return nil, nil
	}
	r := in.quickest(found)
	if r.Error != "" {
		return nil, fmt.Errorf("%s: %s: %s", what, r.Name, ctl.Visible(r.Error))
	}
	fmt.Fprintf(in.out, "%s: nothing answers within a second here; %s is the quickest.\n", what, r.Name)
	return r.manifest, nil
}

// quickest is the first of the results that answers in time, as they are ordered, else the quickest.
func (in *installation) quickest(list []result) result {
	rank := func(r result) int {
		i := slices.IndexFunc(in.cat.Models, func(m catalogue.Model) bool { return m.Name == r.Name })
		if i < 0 {
			return len(in.cat.Models)
		}
		return i
	}
	return slices.MinFunc(list, func(a, b result) int {
		switch {
		case a.quick() && b.quick():
			return rank(a) - rank(b)
		case (a.Error == "") != (b.Error == ""):
			return map[bool]int{true: -1, false: 1}[a.Error == ""]
		}
		return int(a.answer() - b.answer())
	})
}

// agree asks for a yes, of who sits before a terminal.
func (in *installation) agree(question string) (bool, error) {
	if in.yes {
		fmt.Fprintln(in.out, question, "Yes.")
		return true, nil
	}
	fmt.Fprintf(in.out, "%s [Y/n] ", question)
	line, err := ctl.Typed(in.cmd.Context(), func() (string, error) { return in.in.ReadString('\n') })
	if errors.Is(err, ctl.ErrInterrupted) {
		return false, err
	}
	if err != nil {
		return false, errors.New("nobody answers; --yes asks nothing")
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "", "y", "yes":
		return true, nil
	}
	return false, nil
}

// take uses the models that were installed, for each language the first of a task.
func (in *installation) take(ctx context.Context, chosen []*model.Manifest) error {
	use, err := model.ReadUse(in.state)
	if err != nil {
		return err
	}
	set := map[string]bool{}
	for _, m := range chosen {
		if next := nextSteps()[m.Task()]; next != "" {
			fmt.Fprintf(in.out, "%s: %s\n", m.Name, next)
			continue
		}
		for _, language := range spoken(m) {
			if key := string(m.Task()) + language; !set[key] {
				set[key] = true
				choose(&use, m.Task(), language, m.Name)
			}
		}
	}
	if len(set) == 0 {
		return in.refresh(ctx)
	}
	return in.change(ctx, use)
}

// nextSteps say how a model is used that neither hears nor speaks.
func nextSteps() map[model.Task]string {
	return map[model.Task]string{
		model.Wake: "the next step is sudo hearthctl speech tune PHRASE",
		model.Recognise: "the next steps are memory.voices, with the address of hearth-speech, and hearthctl voice enroll " +
			"NAME",
	}
}
