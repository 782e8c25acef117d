package ctl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// IsTerminal reports whether a person looks at w.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// ErrInterrupted says that somebody pressed Ctrl-C at a question.
var ErrInterrupted = errors.New("interrupted")

// Typed is what read reads of a person, or ErrInterrupted as soon as ctx ends: the signal of Ctrl-C ends ctx,
// and no read. That read is left behind, and the program has to end.
func Typed[T any](ctx context.Context, read func() (T, error)) (text T, err error) {
	if ctx.Err() != nil {
		return text, ErrInterrupted
	}
	done := make(chan struct{})
	var got T
	var failed error
	go func() {
		defer close(done)
		got, failed = read()
	}()
	select {
	case <-done:
		return got, failed
	case <-ctx.Done():
		return text, ErrInterrupted
	}
}

// Hidden reads a line from a terminal without showing it. The terminal is switched over before the
// prompt, so that nothing is shown of what somebody types early.
func Hidden(ctx context.Context, in *os.File, prompt func()) ([]byte, error) {
	fd := int(in.Fd())
	shown, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return nil, fmt.Errorf("read terminal: %w", err)
	}
	quiet := *shown
	quiet.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &quiet); err != nil {
		return nil, fmt.Errorf("set terminal: %w", err)
	}
	prompt()
	text, err := Typed(ctx, func() ([]byte, error) { return term.ReadPassword(fd) })
	return text, errors.Join(err, unix.IoctlSetTermios(fd, unix.TCSETS, shown))
}

const (
	// progressCells is the width of a progress bar.
	progressCells = 30
	// progressStep is how often a bar is drawn that moves slowly, for its rate, and a line is
	// written where nobody sees a bar.
	progressStep, lineStep = 200 * time.Millisecond, 10 * time.Second
	// firstRate is how long something goes on before its rate says anything.
	firstRate = time.Second
)

// Progress shows how far something long is: as a bar on a terminal, elsewhere as a line now and then.
type Progress struct {
	Out  io.Writer
	Name string

	drawn bool
	whole bool
	begun time.Time
	first int64 // what was there when it began
	last  time.Time
}

// Show draws the bar, or writes a line, when there is something new to see.
func (p *Progress) Show(have, of int64) {
	if of <= 0 || p.whole {
		return
	}
	p.whole = have >= of
	have = min(max(have, 0), of)
	now := time.Now()
	if p.begun.IsZero() {
		p.begun, p.first, p.last = now, have, now
	}
	step := lineStep
	if IsTerminal(p.Out) {
		step = progressStep
	}
	if now.Sub(p.last) < step && have < of && (p.drawn || step == lineStep) {
		return
	}
	p.last = now
	text := progressText(have, of, p.first, now.Sub(p.begun))
	if step == lineStep {
		fmt.Fprintf(p.Out, "%s: %s\n", Visible(p.Name), text)
		return
	}
	p.drawn = true
	done := int(have * progressCells / of)
	fmt.Fprintf(p.Out, "\r%s [%s%s] %s\x1b[K", Visible(p.Name), strings.Repeat("#", done),
		strings.Repeat(".", progressCells-done), text)
}

// progressText says how much there is, how fast more comes, and how long the rest takes.
func progressText(have, of, first int64, took time.Duration) string {
	text := fmt.Sprintf("%3d %% of %s", 100*have/of, size(of))
	if took < firstRate || have <= first {
		return text
	}
	rate := float64(have-first) / took.Seconds()
	left := time.Duration(float64(of-have) / rate * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("%s, %s/s, %v left", text, size(int64(rate)), left)
}

func size(n int64) string {
	if n < 1_000_000 {
		return fmt.Sprintf("%d kB", n/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func (p *Progress) End() {
	if p.drawn {
		fmt.Fprintln(p.Out)
		p.drawn = false
	}
}

// Visible makes s fit for a terminal: words that a model, a feed or a person
// made up must not move the cursor or write to the clipboard.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// PrintJSON prints v as a person reads it.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
