package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// reading is what hearthctl reads of the stream of GET /v1/meter: a tenth of a
// second of the microphone, in dBFS.
type reading struct {
	At      float64            `json:"at_s"`
	Level   float64            `json:"level_dbfs"`
	Quiet   float64            `json:"quiet_dbfs"`
	Peak    float64            `json:"peak_dbfs"`
	Clipped int                `json:"clipped"`
	Speech  float64            `json:"speech"`
	Speaks  bool               `json:"speaks"`
	Held    bool               `json:"held"`
	Wake    map[string]float64 `json:"wake"`
	Echo    *struct {
		Active      bool     `json:"active"`
		Suppression float64  `json:"suppression_db"`
		Delay       *float64 `json:"delay_ms"`
	} `json:"echo"`
}

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
func bar(r *reading) string {
	cell := func(dbfs float64) int {
		return max(0, min(barCells, int((dbfs-barFloor)*barCells/-barFloor)))
	}
	cells := []byte(strings.Repeat("#", cell(r.Level)) + strings.Repeat(" ", barCells-cell(r.Level)))
	if p := cell(r.Peak); p > 0 {
		cells[p-1] = '|'
	}
	return string(cells)
}

// line is one reading for a person.
func (r *reading) line() string {
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
func scoresText(scores map[string]float64) string {
	var text string
	for _, name := range sortedKeys(scores) {
		text += fmt.Sprintf(", %s %.2f", visible(name), scores[name])
	}
	return text
}

func sortedKeys(m map[string]float64) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// display shows readings on a terminal as one line that changes, and elsewhere as
// a line a second, the loudest of it.
type display struct {
	w        io.Writer
	terminal bool
	n        int
	loudest  reading
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

func (d *display) show(r reading) {
	if d.terminal {
		fmt.Fprintf(d.w, "\r\x1b[K%s", r.line())
		return
	}
	clipped := d.loudest.Clipped + r.Clipped
	if d.n == 0 || r.Level > d.loudest.Level {
		d.loudest = r
	}
	d.loudest.Clipped = clipped
	if d.n++; d.n == perLine {
		fmt.Fprintln(d.w, d.loudest.line())
		d.n, d.loudest = 0, reading{}
	}
}

// end leaves the line that changes.
func (d *display) end() {
	if d.terminal {
		fmt.Fprintln(d.w)
	}
}
