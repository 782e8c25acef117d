package main

import (
	"fmt"
	"io"
	"strings"
)

// progressCells is the width of a progress bar.
const progressCells = 30

// progress draws how far a download is, on a terminal only.
type progress struct {
	out   io.Writer
	name  string
	shown bool
	last  int // percent
}

// show draws the bar when there is something new to see.
func (p *progress) show(have, of int64) {
	if !isTerminal(p.out) || of <= 0 {
		return
	}
	have = min(max(have, 0), of)
	percent := int(100 * have / of)
	if p.shown && percent == p.last {
		return
	}
	p.shown, p.last = true, percent
	done := percent * progressCells / 100
	fmt.Fprintf(p.out, "\r%s [%s%s] %3d %% of %d kB", visible(p.name), strings.Repeat("#", done), strings.Repeat(".", progressCells-done), percent, of/1000)
}

func (p *progress) end() {
	if p.shown {
		fmt.Fprintln(p.out)
		p.shown = false
	}
}
