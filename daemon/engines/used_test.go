package engines

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"hearthd/config"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
)

// The journal tells the cause once, when the condition begins.
func TestWhyAnEngineFailedStandsInTheJournal(t *testing.T) {
	var journal bytes.Buffer
	c := config.Default()
	e := New(Options{Config: &c, Conditions: health.New(event.NewBus()), Log: slog.New(slog.NewTextHandler(&journal, nil))})
	for _, err := range []error{errors.New("the socket is closed"), errors.New("another"), nil, errors.New("the disk is full")} {
		e.Used("recogniser", err, "Speech to text does not work.")
	}
	for cause, times := range map[string]int{"the socket is closed": 1, "another": 0, "the disk is full": 1} {
		if n := strings.Count(journal.String(), cause); n != times {
			t.Errorf("%q stands there %d times, want %d: %s", cause, n, times, journal.String())
		}
	}
}
