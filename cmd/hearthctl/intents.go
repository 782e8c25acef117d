package main

import (
	"context"
	"encoding/json"
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
	"hearthd/daemon/api"
	"hearthd/tools/intent"
)

// sentences says which intents to load: the same files as the daemon's, but no
// daemon need run.
type sentences struct {
	language, dir string
	names         []string // "vocabulary=name"
}

func intentsCommand(c *ctl.Client) *cobra.Command {
	var s sentences
	cmd := &cobra.Command{
		Use: "intents", Short: "See and try the sentences that need no model",
		Long: "The sentences that hearthd understands without a model are data: those that are built in, and those " +
			"in the folder " +
			"of the language under --dir (/usr/share/doc/hearthd/guide/sentences.md has the format and an example). These " +
			"commands read the same files and need no running daemon; coverage " +
			"asks it " +
			"for its tools.",
	}
	cmd.PersistentFlags().StringVar(&s.language, "language", "en", "`language` of the sentences")
	cmd.PersistentFlags().StringVar(&s.dir, "dir", "/etc/hearthd/intents", "`folder` with a folder per language")
	cmd.AddCommand(intentsListCommand(c, &s), intentsTryCommand(c, &s), intentsCheckCommand(c, &s),
		intentsCoverageCommand(c, &s))
	return cmd
}

// open loads the sentences, with the names of the examples in place of those of
// the house.
func (s *sentences) open() (*intent.Matcher, error) {
	o := intent.Options{Language: s.language}
	dir := filepath.Join(s.dir, s.language)
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		o.Extra = os.DirFS(dir)
	}
	m, err := intent.New(o)
	if err != nil {
		return nil, err
	}
	m.SetSamples()
	byVocab := map[string][]intent.Name{}
	for _, n := range s.names {
		vocab, name, ok := strings.Cut(n, "=")
		if !ok {
			return nil, fmt.Errorf("use name %q: it is VOCABULARY=NAME, such as device=Kitchen light", n)
		}
		byVocab[vocab] = append(byVocab[vocab], intent.Name{Value: name})
	}
	for vocab, names := range byVocab {
		m.SetNames(vocab, names)
	}
	return m, nil
}

func intentsListCommand(c *ctl.Client, s *sentences) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the intents, with their tools and a sentence", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := s.open()
			if err != nil {
				return err
			}
			list := m.Summaries()
			return c.Print(cmd, list, func(w io.Writer) {
				for _, i := range list {
					fmt.Fprintf(w, "%s (%s, %s): %s\n", ctl.Visible(i.Intent), ctl.Visible(i.Tool), ctl.Visible(i.File),
						ctl.Visible(i.Example))
				}
			})
		},
	}
}

func intentsTryCommand(c *ctl.Client, s *sentences) *cobra.Command {
	cmd := &cobra.Command{
		Use: "try SENTENCE...", Short: "Tell what a sentence starts, and why", Args: cobra.MinimumNArgs(1),
		Example: `  hearthctl intents try "set a timer for ten minutes"
  hearthctl intents try "turn on the reading lamp" --name "device=Reading lamp"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := s.open()
			if err != nil {
				return err
			}
			text := strings.Join(args, " ")
			if rest, ok := m.Wake(text); ok && rest != "" {
				text = rest
			}
			e := m.Explain(text)
			if err := c.Print(cmd, e, func(w io.Writer) {
				for line := range strings.SplitSeq(e.String(), "\n") {
					fmt.Fprintln(w, ctl.Visible(line))
				}
			}); err != nil {
				return err
			}
			if !e.Understood {
				return errors.New("the sentence is not understood without a model")
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&s.names, "name", nil, "`VOCABULARY=NAME` of something in the house; may be repeated")
	return cmd
}

// verdict is what a check of the sentences found.
type verdict struct {
	Intents  int      `json:"intents"`
	Examples int      `json:"examples"`
	States   int      `json:"states"` // of the recogniser's grammar, without the names of a house
	Arcs     int      `json:"arcs"`   // with a word
	Mistakes []string `json:"mistakes"`
}

func intentsCheckCommand(c *ctl.Client, s *sentences) *cobra.Command {
	return &cobra.Command{
		Use: "check", Short: "Check the files of a language and their examples", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := s.open()
			if err != nil {
				return err
			}
			g := m.Grammar()
			found := verdict{Mistakes: s.unheard(cmd.Context(), m), States: g.States, Arcs: g.Arcs}
			for _, err := range m.CheckExamples() {
				found.Mistakes = append(found.Mistakes, err.Error())
			}
			for _, i := range m.Summaries() {
				found.Intents++
				found.Examples += i.Examples
			}
			if err := c.Print(cmd, found, found.show); err != nil {
				return err
			}
			if n := len(found.Mistakes); n > 0 {
				return fmt.Errorf("sentences that are left out, that can only be typed, or that are not understood "+
					"as their "+
					"examples say: %d", n)
			}
			return nil
		},
	}
}

// unheard names the sentences that are left out or can only be typed. hearthd knows the
// words of the recogniser; without it that is not looked at.
func (s *sentences) unheard(ctx context.Context, m *intent.Matcher) (list []string) {
	out, err := exec.CommandContext(ctx, ctl.Program(), "check-sentences", s.dir, s.language).Output()
	if err == nil && json.Unmarshal(out, &list) == nil {
		return list
	}
	list = []string{}
	for _, err := range m.Mistakes() {
		list = append(list, err.Error())
	}
	for _, l := range m.Grammar().Left {
		list = append(list, l.String()+", so that it can only be typed")
	}
	return list
}

func (v verdict) show(w io.Writer) {
	for _, text := range v.Mistakes {
		fmt.Fprintln(w, ctl.Visible(text))
	}
	if len(v.Mistakes) == 0 {
		fmt.Fprintf(w, "the recogniser's grammar has %d states and %d arcs\n", v.States, v.Arcs)
		if v.Examples > 0 { // those that are built in have none: the program's own tests have them
			fmt.Fprintf(w, "all that your examples say is understood so: %d\n", v.Examples)
		}
		fmt.Fprintf(w, "%d intents are right\n", v.Intents)
	}
}

// covered says which tools a sentence can start.
type covered struct {
	With    []string `json:"with"`    // tools that sentences start
	Without []string `json:"without"` // tools of the daemon that none starts
	Absent  []string `json:"absent"`  // tools that sentences start and that the daemon does not have now
}

func intentsCoverageCommand(c *ctl.Client, s *sentences) *cobra.Command {
	return &cobra.Command{
		Use: "coverage", Short: "Show which tools no sentence starts", Args: cobra.NoArgs,
		Long: "Asks the running hearthd for its tools and shows which of them only a model can call.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := s.open()
			if err != nil {
				return err
			}
			var list []api.Tool
			if err := c.Ask(cmd.Context(), ctl.Request{Path: "/v1/tools"}, &list); err != nil {
				return err
			}
			cov := coverage(m.Tools(), list)
			return c.Print(cmd, cov, func(w io.Writer) {
				fmt.Fprintf(w, "%d of %d tools start with a sentence\n", len(cov.With), len(cov.With)+len(cov.Without))
				for _, name := range cov.Without {
					fmt.Fprintf(w, "only a model can call %s\n", ctl.Visible(name))
				}
				for _, name := range cov.Absent {
					fmt.Fprintf(w, "sentences for %s, which is not there now\n", ctl.Visible(name))
				}
			})
		},
	}
}

func coverage(started []string, list []api.Tool) covered {
	cov := covered{With: []string{}, Without: []string{}, Absent: []string{}}
	for _, t := range list {
		if slices.Contains(started, t.Name) || len(t.Triggers) > 0 {
			cov.With = append(cov.With, t.Name)
		} else {
			cov.Without = append(cov.Without, t.Name)
		}
	}
	taken := []string{"ask", "confirm", "reply"} // the dialogue handles these: they are in no registry
	for _, name := range started {
		if !slices.Contains(taken, name) && !slices.ContainsFunc(list,
			func(t api.Tool) bool { return t.Name == name }) {
			cov.Absent = append(cov.Absent, name)
		}
	}
	return cov
}
