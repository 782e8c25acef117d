// Package speech gets modern speech onto the box: it installs the library and models that
// hearth-speech runs, measures them, chooses between them and has hearthd use them.
//
// Everything below hearth-speech's folder is root's; the service only reads it. What hearthd is told
// goes through its configuration, which is as it was before when hearthd cannot use what it says.
package speech

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/config"
	"hearthd/speech/catalogue"
	"hearthd/speech/model"
	"hearthd/speech/store"
)

// site is where a command works.
type site struct {
	c       *ctl.Client
	cmd     *cobra.Command
	out     io.Writer
	state   string // folder of hearth-speech
	config  string // file of hearthd
	program string // hearth-speech
	root    string // of /proc
	cat     *catalogue.Catalogue
}

func Command(c *ctl.Client) *cobra.Command {
	s := &site{c: c}
	var own string
	cmd := &cobra.Command{
		Use:   "speech",
		Short: "Get modern speech to text and text to speech onto this box",
		Long: `Get modern speech to text and text to speech onto this box: install models and the
library that runs them, measure them, and choose which of them hearthd uses. They run in
the service hearth-speech, beside hearthd, and nothing of what is said leaves the box.

The first step is: sudo hearthctl speech install`,
		Args: cobra.NoArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) (err error) {
			s.cmd, s.out = cmd, cmd.OutOrStdout()
			s.program = cmp.Or(s.program, beside())
			if own == "" {
				s.cat, err = catalogue.Load()
				return err
			}
			text, err := os.ReadFile(own)
			if err == nil {
				s.cat, err = catalogue.Parse(text)
			}
			return err
		},
	}
	flags := cmd.PersistentFlags()
	flags.StringVar(&s.state, "state", model.State, "`folder` of the library and the models")
	flags.StringVar(&s.config, "config", ctl.ConfigFile, "configuration `file` of hearthd")
	flags.StringVar(&s.program, "program", "", "`path` of hearth-speech (default: beside hearthctl)")
	flags.StringVar(&s.root, "root", "/", "look for /proc below this `folder`")
	flags.StringVar(&own, "catalogue", "", "`file` with another catalogue")
	for _, name := range []string{"root", "catalogue", "program"} {
		if err := flags.MarkHidden(name); err != nil {
			panic(err) // the flag exists
		}
	}
	cmd.AddCommand(listCommand(s), installCommand(s), removeCommand(s), useCommand(s), testCommand(s), benchCommand(s),
		tuneCommand(s))
	return cmd
}

// named completes the names of models: those that are installed, or those that can be.
func (s *site) named(installed bool) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
		if there, err := model.List(s.state); err == nil && installed {
			for _, m := range there {
				names = append(names, m.Name)
			}
		}
		if c, err := catalogue.Load(); err == nil && !installed {
			for i := range c.Models {
				names = append(names, c.Models[i].Name+"\t"+c.Models[i].About)
			}
		}
		return names, cobra.ShellCompDirectiveDefault
	}
}

// beside is the hearth-speech that lies beside hearthctl, or else the one that PATH has.
func beside() string {
	if self, err := os.Executable(); err == nil {
		path := filepath.Join(filepath.Dir(self), "hearth-speech")
		if _, err := exec.LookPath(path); err == nil {
			return path
		}
	}
	return "hearth-speech"
}

// languages are those of the house, or those that were named.
func (s *site) languages(named []string) []string {
	if len(named) > 0 {
		return named
	}
	c, err := config.Load(config.Source{File: s.config, Environ: os.Environ()})
	if err != nil {
		return []string{"en"}
	}
	return []string{cmp.Or(c.STT.Language, c.Tools.Intents.Language, "en")}
}

// installed are the models that are there, and a line on those that cannot be read.
func (s *site) installed() ([]*model.Manifest, error) {
	list, err := model.List(s.state)
	if err != nil {
		fmt.Fprintf(s.cmd.ErrOrStderr(), "hearthctl: %v\n", err)
	}
	if list == nil && err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return list, nil
}

// entry is a line of the list.
type entry struct {
	Name      string     `json:"name"`
	Task      model.Task `json:"task"`
	Languages []string   `json:"languages"` // none: many
	About     string     `json:"about,omitempty"`
	Licence   string     `json:"licence,omitempty"`
	FetchMB   int        `json:"download_mb,omitempty"`
	MemoryMB  int        `json:"memory_mb,omitempty"`
	Installed bool       `json:"installed"`
	Used      []string   `json:"used,omitempty"`  // in these languages; "" is in every other one
	Doubt     string     `json:"doubt,omitempty"` // why it is not proposed here
}

func listCommand(s *site) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the models that are installed or can be, and whether they suit this box",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := s.list()
			if err != nil {
				return err
			}
			return s.c.Print(cmd, list, func(w io.Writer) { s.show(w, list) })
		},
	}
}

func (s *site) list() (list []entry, err error) {
	board := catalogue.Here(s.root)
	there, err := s.installed()
	if err != nil {
		return nil, err
	}
	use, err := model.ReadUse(s.state)
	if err != nil {
		return nil, err
	}
	for i := range s.cat.Models {
		m := &s.cat.Models[i]
		list = append(list, entry{Name: m.Name, Task: m.Task(), Languages: m.Languages, About: m.About,
			Licence: m.Licence, FetchMB: int(m.Archive.Size / 1_000_000), MemoryMB: m.MemoryMB(), Doubt: board.Doubt(m)})
	}
	for _, m := range there {
		i := slices.IndexFunc(list, func(e entry) bool { return e.Name == m.Name })
		if i < 0 {
			i = len(list)
			list = append(list, entry{Name: m.Name, Task: m.Task(), Languages: m.Languages, About: "your own",
				Licence: m.Licence, MemoryMB: m.MemoryMB})
		}
		list[i].Installed = true
		list[i].Used = usedFor(use, m)
	}
	return list, nil
}

// usedFor lists the languages in which a model was chosen.
func usedFor(use model.Use, m *model.Manifest) (languages []string) {
	chosen := use.Hear
	if m.Task() == model.Speak {
		chosen = use.Speak
	}
	for language, as := range chosen {
		if name, _, _ := strings.Cut(as, "/"); name == m.Name {
			languages = append(languages, language)
		}
	}
	slices.Sort(languages)
	return languages
}

// tasks are those that models are installed for, as a person is told.
func tasks() map[model.Task]string {
	return map[model.Task]string{model.Hear: "Speech to text", model.Speak: "Text to speech",
		model.Recognise: "Who speaks", model.Wake: "Wake words in text"}
}

func (s *site) show(w io.Writer, list []entry) {
	b := catalogue.Here(s.root)
	fmt.Fprintf(w, "This is a %s with %d MB of memory, %d of them free. ", cmp.Or(b.Name, "machine"), b.MemoryMB,
		b.FreeMB)
	if store.HasLibrary(s.state, s.cat) {
		fmt.Fprintf(w, "The library (sherpa-onnx %s) is installed.\n", s.cat.Library.Release)
	} else {
		fmt.Fprintln(w, "The library is not installed yet; the first model brings it.")
	}
	for _, task := range []model.Task{model.Hear, model.Speak, model.Recognise, model.Wake} {
		if !slices.ContainsFunc(list, func(e entry) bool { return e.Task == task }) {
			continue // there is none in the catalogue
		}
		fmt.Fprintf(w, "\n%s\n", tasks()[task])
		for _, e := range list {
			if e.Task == task {
				fmt.Fprintln(w, e.line())
			}
		}
	}
}

func (e *entry) line() string {
	mark, state := " ", ""
	switch {
	case len(e.Used) > 0:
		mark, state = "*", "used"
	case e.Installed:
		mark, state = "+", "installed"
	case e.Doubt != "":
		state = e.Doubt
	default:
		state = "suits this box"
	}
	size := "     –"
	if e.FetchMB > 0 {
		size = fmt.Sprintf("%3d MB", e.FetchMB)
	}
	return strings.TrimRight(fmt.Sprintf("%s %-18s %-4s %s, %3d MB in memory  %-28s %s", mark, ctl.Visible(e.Name),
		ctl.Visible(cmp.Or(strings.Join(e.Languages, ","), "many")), size, e.MemoryMB, ctl.Visible(state),
		ctl.Visible(said(e.About, e.Licence))), " ")
}

// said joins what is not empty.
func said(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), "; ")
}
