package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"hearthd/daemon/api"

	"golang.org/x/sys/unix"
)

// meter is the stream of readings until ctx ends. The sequence ends after the
// first error; that the time is over is none.
func (c *client) meter(ctx context.Context) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		rc, err := c.open(ctx, http.MethodGet, "/v1/meter", nil)
		if err != nil {
			if ctx.Err() == nil {
				yield(nil, err)
			}
			return
		}
		defer rc.Close()
		for data, err := range c.data(rc) {
			if ctx.Err() != nil || !yield(data, err) {
				return
			}
		}
	}
}

// data is the data of each event of the stream r. Its last element is an error:
// a stream has no end.
func (c *client) data(r io.Reader) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, maxEvent)
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && !yield(json.RawMessage(data), nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, explain(err, c.socket))
			return
		}
		yield(nil, errors.New("hearthd has ended the stream"))
	}
}

// barCells is the width of the bar: 2 dB a cell, from barFloor dBFS to 0.
const (
	barCells = 35
	barFloor = -70
)

// bar draws the level as cells, and the peak as a stroke.
func bar(r *api.Meter) string {
	cell := func(dbfs float32) int {
		return max(0, min(barCells, int((dbfs-barFloor)*barCells/-barFloor)))
	}
	cells := []byte(strings.Repeat("#", cell(r.Level)) + strings.Repeat(" ", barCells-cell(r.Level)))
	if p := cell(r.Peak); p > 0 {
		cells[p-1] = '|'
	}
	return string(cells)
}

// meterLine is one reading for a person.
func meterLine(r *api.Meter) string {
	text := fmt.Sprintf("[%s] %4.0f dBFS, peak %4.0f", bar(r), r.Level, r.Peak)
	if r.Held {
		text += ", speaker sounds"
	} else {
		text += fmt.Sprintf(", speech %3.0f %%", 100*r.Speech)
	}
	if r.Clipped > 0 {
		text += ", CLIPPED"
	}
	if r.Echo != nil && r.Echo.Active {
		text += fmt.Sprintf(", echo %.0f dB down", r.Echo.Suppression)
	}
	return text + scoresText(r.Wake)
}

// scoresText names each wake word with how sure it is.
func scoresText(scores map[string]float32) string {
	var text string
	for _, name := range slices.Sorted(maps.Keys(scores)) {
		text += fmt.Sprintf(", %s %.2f", visible(name), scores[name])
	}
	return text
}

// display shows readings on a terminal as one line that changes, and elsewhere as
// a line a second, the loudest of it.
type display struct {
	w        io.Writer
	terminal bool
	n        int
	loudest  api.Meter
}

func newDisplay(w io.Writer) *display {
	return &display{w: w, terminal: isTerminal(w)}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// perLine is how many readings a plain line stands for.
const perLine = 10

func (d *display) show(r api.Meter) {
	if d.terminal {
		fmt.Fprintf(d.w, "\r\x1b[K%s", meterLine(&r))
		return
	}
	clipped := d.loudest.Clipped + r.Clipped
	if d.n == 0 || r.Level > d.loudest.Level {
		d.loudest = r
	}
	d.loudest.Clipped = clipped
	if d.n++; d.n == perLine {
		fmt.Fprintln(d.w, meterLine(&d.loudest))
		d.n, d.loudest = 0, api.Meter{}
	}
}

// end leaves the line that changes.
func (d *display) end() {
	if d.terminal {
		fmt.Fprintln(d.w)
	}
}
