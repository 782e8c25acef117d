package mic

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"
)

// Reading is one level of the microphone.
type Reading struct {
	api.Meter
	Raw json.RawMessage // as received: it may have fields that this version of hearthctl does not know
}

// Readings is the stream of readings until ctx ends. The sequence ends after the first error; the
// end of the time is none.
func Readings(ctx context.Context, c *ctl.Client) iter.Seq2[Reading, error] {
	return func(yield func(Reading, error) bool) {
		for e, err := range c.Stream(ctx, "/v1/meter", nil) {
			if ctx.Err() != nil {
				return
			}
			r := Reading{Raw: e.Data}
			if err == nil {
				if err = json.Unmarshal(e.Data, &r.Meter); err != nil {
					err = fmt.Errorf("read level: %w", err)
				}
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
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
		text += fmt.Sprintf(", %s %.2f", ctl.Visible(name), scores[name])
	}
	return text
}

// Display shows readings on a terminal as one line that changes, and elsewhere as
// a line a second, the loudest of it.
type Display struct {
	w        io.Writer
	terminal bool
	n        int
	loudest  api.Meter
}

// NewDisplay makes one that writes to w.
func NewDisplay(w io.Writer) *Display {
	return &Display{w: w, terminal: ctl.IsTerminal(w)}
}

// perLine is how many readings a plain line stands for.
const perLine = 10

func (d *Display) Show(r api.Meter) {
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

// End leaves the line that changes.
func (d *Display) End() {
	if d.terminal {
		fmt.Fprintln(d.w)
	}
}
