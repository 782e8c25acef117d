package media

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// look is how often the file of stations is looked at: who has added one plays it next.
const look = time.Second

// Household is the stations of the household, as its file has them now.
type Household struct {
	path    string
	changed func([]Station, error)
	list    atomic.Pointer[[]Station]

	looking sync.Mutex
	seen    os.FileInfo // of the file that was read; nil: there was none
}

// NewHousehold reads the file at path, and calls changed with the stations, then and whenever Run finds others. A
// station with a mistake is left out; those of a file that cannot be read are the ones that were there before.
func NewHousehold(path string, changed func([]Station, error)) *Household {
	h := &Household{path: path, changed: changed}
	h.list.Store(new([]Station))
	h.seen, _ = os.Stat(path) // without a file there are no stations
	h.read()
	return h
}

// List is the stations. It belongs to nobody.
func (h *Household) List() []Station { return *h.list.Load() }

// Run follows the file until ctx ends.
func (h *Household) Run(ctx context.Context) error {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			h.Look()
		}
	}
}

// Look reads the file if it has changed.
func (h *Household) Look() {
	h.looking.Lock()
	defer h.looking.Unlock()
	now, _ := os.Stat(h.path)
	if same(h.seen, now) {
		return
	}
	h.seen = now
	h.read()
}

func same(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

func (h *Household) read() {
	list, err := ReadStations(h.path)
	if err == nil || list != nil {
		h.list.Store(&list)
	}
	h.changed(h.List(), err)
}
