package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"
	"hearthd/tools"
)

const (
	// toolLimit is more than the longest tool may take.
	toolLimit = 11 * time.Minute
	// toolFolder is where the service looks for declared tools.
	toolFolder = "/etc/hearthd/tools.d"
)

func toolsCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{
		Use: "tools", Short: "See, run and check what hearthd can do",
	}
	cmd.AddCommand(toolsListCommand(c), toolsShowCommand(c), toolsRunCommand(c), toolsAcceptCommand(c),
		toolsCheckCommand(c))
	return cmd
}

func toolsListCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the tools that work now"}
	return ctl.Show(c, cmd, ctl.Request{Path: "/v1/tools"}, func(w io.Writer, list []api.Tool) {
		for _, t := range list {
			line, _, _ := strings.Cut(t.Description, "\n")
			fmt.Fprintf(w, "%s: %s%s\n", ctl.Visible(t.Name), ctl.Visible(line), toolMarks(&t))
		}
	})
}

// toolMarks are what a person has to know of a tool before it is called.
func toolMarks(t *api.Tool) string {
	var marks []string
	if t.Origin != "built in" {
		marks = append(marks, ctl.Visible(t.Origin))
	}
	if t.Confirm {
		marks = append(marks, "asks first")
	}
	if t.Person {
		marks = append(marks, "needs a person")
	}
	if len(marks) == 0 {
		return ""
	}
	return " (" + strings.Join(marks, ", ") + ")"
}

func toolsShowCommand(c *ctl.Client) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Show a tool with its parameters", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var list []api.Tool
			if err := c.Ask(cmd.Context(), ctl.Request{Path: "/v1/tools"}, &list); err != nil {
				return err
			}
			for _, t := range list {
				if t.Name == args[0] {
					return c.Print(cmd, t, func(w io.Writer) { showTool(w, &t) })
				}
			}
			return fmt.Errorf("there is no tool %q; hearthctl tools list names them", args[0])
		},
	}
}

func showTool(w io.Writer, t *api.Tool) {
	fmt.Fprintf(w, "%s: %s\norigin: %s\n", ctl.Visible(t.Name), ctl.Visible(t.Description), ctl.Visible(t.Origin))
	for _, s := range t.Triggers {
		fmt.Fprintf(w, "sentence: %s\n", ctl.Visible(s))
	}
	for _, l := range []struct {
		name    string
		seconds float64
	}{{"timeout", t.TimeoutS}, {"cooldown", t.CooldownS}} {
		if l.seconds > 0 {
			fmt.Fprintf(w, "%s: %v\n", l.name, time.Duration(l.seconds*float64(time.Second)))
		}
	}
	for _, is := range []struct {
		name string
		yes  bool
	}{{"asks first", t.Confirm}, {"needs a person", t.Person}, {"only reads", t.ReadOnly}} {
		if is.yes {
			fmt.Fprintln(w, is.name)
		}
	}
	fmt.Fprint(w, "parameters: ")
	_ = ctl.PrintJSON(w, t.Parameters) // it was JSON
}

func toolsRunCommand(c *ctl.Client) *cobra.Command {
	var run api.ToolRun
	var yes bool
	cmd := &cobra.Command{
		Use:   "run NAME [ARGUMENTS]",
		Short: "Run a tool with arguments as a JSON object",
		Long: "Run a tool with arguments as a JSON object, and print what it says.\n" +
			"A tool that asks first does so on the terminal. The exit status is 1 when it was not done.",
		Example: `  hearthctl tools run timer_set '{"duration_s": 300, "label": "tea"}'`,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			run.Name = args[0]
			if len(args) == 2 {
				if run.Arguments = json.RawMessage(args[1]); !json.Valid(run.Arguments) {
					return errors.New("the arguments are no JSON object")
				}
			}
			out, err := runTool(c, cmd, run)
			for err == nil && out.Outcome == "asked" && (yes || agreed(cmd, out.Question)) {
				yes = false // it answers only the first question
				run.Confirmed, run.Question = true, out.Question
				out, err = runTool(c, cmd, run)
			}
			if err == nil && out.Outcome != "ok" {
				err = fmt.Errorf("it was not done: %s", ctl.Visible(out.Outcome))
			}
			return err
		},
	}
	cmd.Flags().StringVar(&run.As, "as", "", "`person` of memory.people who asks")
	cmd.Flags().BoolVar(&yes, "yes", false, "answer yes to what the tool asks first")
	return cmd
}

func runTool(c *ctl.Client, cmd *cobra.Command, run api.ToolRun) (api.ToolOutcome, error) {
	var out api.ToolOutcome
	err := c.Call(cmd, ctl.Request{Path: "/v1/tools/run", Limit: toolLimit, Body: run}, &out, func(w io.Writer) {
		if out.Outcome != "asked" {
			fmt.Fprintln(w, ctl.Visible(out.Text))
		}
	})
	return out, err
}

// agreed asks on the terminal. The next line of a script's input is no answer to what it may not have expected.
func agreed(cmd *cobra.Command, question string) bool {
	if in, ok := cmd.InOrStdin().(*os.File); !ok || !term.IsTerminal(int(in.Fd())) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s (there is no terminal to ask on; --yes agrees)\n", ctl.Visible(question))
		return false
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", ctl.Visible(question))
	in := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), 100))
	line, err := ctl.Typed(cmd.Context(), func() (string, error) { return in.ReadString('\n') })
	if err != nil && line == "" {
		fmt.Fprintln(cmd.ErrOrStderr())
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

func toolsCheckCommand(c *ctl.Client) *cobra.Command {
	return &cobra.Command{
		Use:   "check [FILE|FOLDER]",
		Short: "Check declared tools, without a daemon",
		Long: "Check declared tools, without a daemon: a manifest, or all of a folder (default " + toolFolder + ").\n" +
			"The exit status is 1 when there is a mistake. Nothing is run: hearthctl tools run NAME does that, within\n" +
			"what the service may do (DECLARED TOOLS in hearthd.yaml(5)).",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := toolFolder
			if len(args) == 1 {
				path = args[0]
			}
			return checkTools(c, cmd, path)
		},
	}
}

// checked is the result of checking one manifest.
type checked struct {
	File    string   `json:"file"`
	Tool    string   `json:"tool,omitempty"`
	Missing []string `json:"missing,omitempty"`
	Mistake string   `json:"mistake,omitempty"`
}

func checkTools(c *ctl.Client, cmd *cobra.Command, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("check tools: %w", err)
	}
	var loaded []*tools.Command
	var mistakes []*tools.ManifestError
	if info.IsDir() {
		loaded, mistakes = tools.LoadDir(tools.NewRegistry(nil), path)
	} else if t, wrong := tools.CheckFile(path); len(wrong) > 0 {
		mistakes = wrong
	} else {
		loaded = []*tools.Command{t}
	}
	list := []checked{}
	for _, t := range loaded {
		list = append(list, checked{File: t.Origin(), Tool: t.Spec().Name, Missing: t.Missing()})
	}
	for _, m := range mistakes {
		list = append(list, checked{File: m.File, Mistake: m.Error()})
	}
	err = c.Print(cmd, list, func(w io.Writer) { printChecked(w, list) })
	if n := len(mistakes); err == nil && n > 0 {
		err = fmt.Errorf("mistakes in declared tools: %d", n)
	}
	return err
}

func printChecked(w io.Writer, list []checked) {
	if len(list) == 0 {
		fmt.Fprintln(w, "no declared tools")
	}
	for _, k := range list {
		switch {
		case k.Mistake != "":
			fmt.Fprintln(w, ctl.Visible(k.Mistake))
		case len(k.Missing) > 0:
			fmt.Fprintf(w, "%s: %s is not offered: it lacks %s\n", ctl.Visible(k.File), ctl.Visible(k.Tool),
				ctl.Visible(strings.Join(k.Missing, ", ")))
		default:
			fmt.Fprintf(w, "%s: %s is fine\n", ctl.Visible(k.File), ctl.Visible(k.Tool))
		}
	}
}

func toolsAcceptCommand(c *ctl.Client) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "accept SERVER [TOOL]", Short: "Agree to tools that a server (MCP) has changed",
		Long: "Agree to tools that a server (MCP) has changed. They are not offered until then.\n" +
			"What each says of itself now is shown first, and one that changes meanwhile is not taken.",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var list []api.ToolChange
			if err := c.Ask(cmd.Context(), ctl.Request{Path: "/v1/tools/changes"}, &list); err != nil {
				return err
			}
			found := false
			for _, t := range list {
				if t.Server != args[0] || len(args) == 2 && t.Tool != args[1] {
					continue
				}
				found = true
				fmt.Fprintf(cmd.OutOrStdout(), "%s\n", describe(&t))
				if !yes && !agreed(cmd, "Offer it?") {
					return errors.New("it is not offered")
				}
				accept := ctl.Request{Path: "/v1/tools/accept", Body: api.ToolAcceptance{Server: t.Server, Tool: t.Tool,
					Hash: t.Hash}}
				if err := c.Ask(cmd.Context(), accept, nil); err != nil {
					return err
				}
			}
			if !found {
				return fmt.Errorf("no tool of %q waits for you", args[0])
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "agree without being asked")
	return cmd
}

func describe(t *api.ToolChange) string {
	what := "changed"
	if t.New {
		what = "new"
	}
	return fmt.Sprintf("%s of %s (%s): %s", ctl.Visible(t.Tool), ctl.Visible(t.Server),
		what, ctl.Visible(t.Description))
}
