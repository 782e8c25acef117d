// Package doctor examines a hearthd, running or not, and the box that it is on, and names
// the likely cause first. What is found and in which order is that of daemon/doctor.
package doctor

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/doctor"
)

// Examination says how hearthctl doctor looks.
type Examination struct {
	File  string // configuration, for when the daemon cannot be asked for its own
	Root  string // of /proc, /sys and /run
	Quiet bool   // no sound is made
	cold  bool
	fix   bool
}

// Report is its result.
type Report struct {
	Cause    string           `json:"cause,omitempty"` // the check that stands first, if something is wrong
	Running  bool             `json:"running"`
	User     string           `json:"user"`
	TookS    float64          `json:"took_s"`
	Fixed    []string         `json:"fixed,omitempty"`
	Findings []doctor.Finding `json:"findings"`

	about string // which daemon
}

func Command(c *ctl.Client) *cobra.Command {
	var x Examination
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Measure everything that hearthd needs, and name the likely cause first",
		Long: `Measure everything that hearthd needs, and name the likely cause first.

Each line is a verdict, what was looked at, what was measured, and, where something
is wrong, the command or the line of configuration that mends it. It works with
hearthd running or not, as root and as anybody else; what only root can see is then
skipped, and says so. The speaker says two sentences to hear how well the microphone
hears it, unless --quiet is given. It takes about 20 seconds, more where a model has
to be loaded. Nothing is changed without --fix.

Exit status: 0 when nothing failed, 1 otherwise.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := Examine(c, cmd, x)
			if err != nil {
				return err
			}
			return r.err()
		},
	}
	f := cmd.Flags()
	f.BoolVar(&x.fix, "fix", false, "mend what can be mended safely, then look again: rights, the time service, a "+
		"muted microphone, a stopped service")
	f.BoolVar(&x.Quiet, "quiet", false, "make no sound; delay and echo are not measured then")
	f.BoolVar(&x.cold, "cold", false, "unload the thinker's model first, to measure what loading it costs")
	f.StringVar(&x.File, "config", "",
		"configuration `file` (default that of the hearthd that runs, or "+ctl.ConfigFile+")")
	f.StringVar(&x.Root, "root", "/", "look for /proc, /sys and /run below this `folder`")
	if err := f.MarkHidden("root"); err != nil {
		panic(err) // the flag exists
	}
	return cmd
}

// Examine examines the box, mends what it is allowed to, and prints what was found. Progress is
// shown on standard error, if that is a terminal.
func Examine(c *ctl.Client, cmd *cobra.Command, x Examination) (*Report, error) {
	ctx, progress := cmd.Context(), cmd.ErrOrStderr()
	r := examine(ctx, c, x, progress)
	if x.fix && ctx.Err() == nil {
		if fixed := r.mend(ctx); len(fixed) > 0 {
			x.Quiet = true // it made a sound already
			r = examine(ctx, c, x, progress)
			r.Fixed = fixed
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return r, c.Print(cmd, r, r.show)
}

// mend mends what can be mended, and says what came of it.
func (r *Report) mend(ctx context.Context) (fixed []string) {
	for _, f := range r.Findings {
		if f.Repair == nil || f.Verdict != doctor.Fail && f.Verdict != doctor.Warn {
			continue
		}
		what := "mended: " + f.Check + ": " + f.Fix
		if err := f.Repair(ctx); err != nil {
			what = fmt.Sprintf("not mended: %s: %v", f.Check, err)
		}
		fixed = append(fixed, what)
	}
	return fixed
}

// examine runs all checks once.
func examine(ctx context.Context, c *ctl.Client, x Examination, progress io.Writer) *Report {
	begun := time.Now()
	p := newPatient(ctx, c, x)
	checks := p.checks()
	show := newWaiting(progress, checks)
	list := append(p.known, doctor.Run(ctx, checks, show.done)...)
	show.end()
	list = p.settle(list)
	doctor.Order(list)
	r := &Report{Running: p.running, Findings: list, TookS: float64(time.Since(begun).Milliseconds()) / 1000,
		about: p.about()}
	if u, err := user.Current(); err == nil {
		r.User = u.Username
	}
	if len(list) > 0 && (list[0].Verdict == doctor.Fail || list[0].Verdict == doctor.Warn) {
		r.Cause = list[0].Check
	}
	return r
}

// count is the number of findings of a verdict.
func (r *Report) count(v doctor.Verdict) (n int) {
	for _, f := range r.Findings {
		if f.Verdict == v {
			n++
		}
	}
	return n
}

// err explains an exit status other than 0.
func (r *Report) err() error {
	if n := r.count(doctor.Fail); n > 0 {
		return fmt.Errorf("%d of %d checks failed; the likely cause is the first: %s", n, len(r.Findings), r.Cause)
	}
	return nil
}

// show prints the report.
func (r *Report) show(w io.Writer) {
	for i := range r.Findings {
		r.Findings[i].Text, r.Findings[i].Fix = ctl.Visible(r.Findings[i].Text), ctl.Visible(r.Findings[i].Fix)
	}
	for _, f := range r.Fixed {
		fmt.Fprintln(w, ctl.Visible(f))
	}
	fmt.Fprintf(w, "%s; looked at as %s.\n\n", ctl.Visible(r.about), r.User)
	_ = doctor.Write(w, r.Findings, styleOf(w)) // a reader that has closed the page needs no error
	warnings := "warnings"
	if r.count(doctor.Warn) == 1 {
		warnings = "warning"
	}
	fmt.Fprintf(w, "\n%d failed, %d %s, %d well, %d skipped, in %.0f s.\n",
		r.count(doctor.Fail), r.count(doctor.Warn), warnings, r.count(doctor.OK), r.count(doctor.Skip), r.TookS)
}

// styleOf is how a page looks on w: in colour and broken at its width on a terminal
// (https://no-color.org), plain elsewhere.
func styleOf(w io.Writer) doctor.Style {
	f, ok := w.(*os.File)
	if !ok || !ctl.IsTerminal(w) {
		return doctor.Style{}
	}
	s := doctor.Style{Colour: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err == nil {
		s.Width = int(size.Col)
	}
	return s
}

// waiting shows on a terminal what is still being measured.
type waiting struct {
	w     io.Writer
	names []string
}

func newWaiting(w io.Writer, checks []doctor.Check) *waiting {
	if !ctl.IsTerminal(w) {
		w = io.Discard
	}
	s := &waiting{w: w}
	for _, c := range checks {
		s.names = append(s.names, c.Name)
	}
	s.done("")
	return s
}

// done is called by one goroutine at a time.
func (s *waiting) done(name string) {
	if i := slices.Index(s.names, name); i >= 0 {
		s.names = slices.Delete(s.names, i, i+1)
	}
	const room = 50 // columns for names, on a terminal of 80
	n := len(s.names)
	for n > 1 && len(strings.Join(s.names[:n], ", ")) > room {
		n--
	}
	more := ""
	if n < len(s.names) {
		more = fmt.Sprintf(" and %d more", len(s.names)-n)
	}
	fmt.Fprintf(s.w, "\r\x1b[Kmeasuring: %s%s", strings.Join(s.names[:n], ", "), more)
}

func (s *waiting) end() { fmt.Fprint(s.w, "\r\x1b[K") }
