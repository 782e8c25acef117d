package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"hearthd/cmd/hearthctl/ctl"

	"github.com/spf13/cobra"
)

// updateLimit is long enough for apt, whose lists are on a memory card or have to be fetched again.
const updateLimit = 2 * time.Minute

func updateCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{Use: "update", Short: "Find out about newer versions"}
	var refresh bool
	check := &cobra.Command{
		Use:   "check",
		Short: "Say which version is installed, and which one apt would install",
		Long: `Say which version is installed, and which one apt would install from the sources
of this machine. Nothing is installed, and nothing is asked of the internet but
with --refresh, which has apt fetch its lists anew and needs root.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), updateLimit)
			defer cancel()
			if refresh {
				// Without this option a list that could not be fetched, or is signed by another key, is a warning.
				if _, err := apt(ctx, "apt-get", "update", "-q", "--error-on=any"); err != nil {
					return err
				}
			}
			text, err := apt(ctx, "apt-cache", "policy", "hearthd")
			if err != nil {
				return err
			}
			u, err := readPolicy(text)
			if err != nil {
				return err
			}
			return c.Print(cmd, u, func(w io.Writer) { fmt.Fprintln(w, u) })
		},
	}
	check.Flags().BoolVar(&refresh, "refresh", false, "let apt fetch its lists first")
	cmd.Args, cmd.RunE = cobra.NoArgs, check.RunE
	cmd.AddCommand(check)
	return cmd
}

// apt runs a program of apt, in the language that is parsed below.
func apt(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("run %s: hearthd was not installed as a Debian package here", name)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("run %s: %w: %s", name, err, ctl.Visible(strings.TrimSpace(string(exit.Stderr))))
	}
	if err != nil {
		return "", fmt.Errorf("run %s: %w", name, err)
	}
	return string(out), nil
}

// offer is what apt knows of hearthd.
type offer struct {
	Installed string `json:"installed"` // empty: not as a package
	Candidate string `json:"candidate"` // what apt would install; empty: nothing
	Offered   bool   `json:"offered"`   // a source has some version of it
	Newer     bool   `json:"newer"`     // the candidate is not what is installed
}

// readPolicy reads what apt-cache policy prints in the language C: "Installed: V",
// "Candidate: V", and for each version the places that have it, indented by eight.
func readPolicy(text string) (offer, error) {
	var u offer
	value := func(s string) string {
		if s = strings.TrimSpace(s); s == "(none)" {
			return ""
		}
		return s
	}
	seen := false
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		line := lines.Text()
		if v, ok := strings.CutPrefix(line, "  Installed:"); ok {
			u.Installed, seen = value(v), true
		} else if v, ok := strings.CutPrefix(line, "  Candidate:"); ok {
			u.Candidate = value(v)
		} else if strings.HasPrefix(line, "        ") && !strings.HasSuffix(line, "/dpkg/status") {
			u.Offered = true
		}
	}
	if !seen && strings.TrimSpace(text) != "" {
		return u, errors.New("read apt-cache policy: no version stands there")
	}
	u.Newer = u.Candidate != "" && u.Candidate != u.Installed
	return u, nil
}

func (u offer) String() string {
	switch {
	case u.Installed == "" && u.Candidate == "":
		return "hearthd is not installed as a Debian package, and no source of apt offers it."
	case u.Installed == "":
		return fmt.Sprintf("hearthd is not installed as a Debian package; apt install hearthd installs %s.",
			ctl.Visible(u.Candidate))
	case u.Newer:
		return fmt.Sprintf("hearthd %s is installed, and %s can be: apt install hearthd", ctl.Visible(u.Installed),
			ctl.Visible(u.Candidate))
	case !u.Offered:
		return fmt.Sprintf("hearthd %s is installed, and no source of apt offers another. A newer package that you "+
			"have is installed by: sudo apt install ./hearthd_*.deb",
			ctl.Visible(u.Installed))
	}
	return fmt.Sprintf("hearthd %s is installed, the newest that apt knows of.", ctl.Visible(u.Installed))
}
