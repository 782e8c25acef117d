package ctl

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// IsTerminal reports whether a person looks at w.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Hidden reads a line from a terminal without showing it. The terminal is switched over before the
// prompt, so that nothing is shown of what somebody types early.
func Hidden(in *os.File, prompt func()) ([]byte, error) {
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
	text, err := term.ReadPassword(fd)
	return text, errors.Join(err, unix.IoctlSetTermios(fd, unix.TCSETS, shown))
}

// progressCells is the width of a progress bar.
const progressCells = 30

// Progress draws how far a download is, on a terminal only.
type Progress struct {
	Out   io.Writer
	Name  string
	shown bool
	last  int // percent
}

// Show draws the bar when there is something new to see.
func (p *Progress) Show(have, of int64) {
	if !IsTerminal(p.Out) || of <= 0 {
		return
	}
	have = min(max(have, 0), of)
	percent := int(100 * have / of)
	if p.shown && percent == p.last {
		return
	}
	p.shown, p.last = true, percent
	done := percent * progressCells / 100
	fmt.Fprintf(p.Out, "\r%s [%s%s] %3d %% of %d kB", Visible(p.Name), strings.Repeat("#", done),
		strings.Repeat(".", progressCells-done), percent, of/1000)
}

func (p *Progress) End() {
	if p.shown {
		fmt.Fprintln(p.Out)
		p.shown = false
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
