package e2e

import (
	"encoding/json"
	"sync"
	"time"
)

// happening is an event of the daemon, with the fields of all kinds.
type happening struct {
	Type     string    `json:"type"`
	Time     time.Time `json:"time"`
	Turn     uint64    `json:"turn"`
	From     string    `json:"from"`
	To       string    `json:"to"`
	By       string    `json:"by"`
	Text     string    `json:"text"`
	Reason   string    `json:"reason"`
	Tool     string    `json:"tool"`
	Outcome  string    `json:"outcome"`
	Route    string    `json:"route"`
	Code     string    `json:"code"`
	Active   bool      `json:"active"`
	Muted    bool      `json:"muted"`
	Missed   bool      `json:"missed"`
	WaitedMS int64     `json:"waited_ms"`
	PlayedMS int       `json:"played_ms"`
	Timer    Timer     `json:"timer"`

	raw []byte
}

// lost reports whether a card was lost.
func (h *happening) lost() bool {
	return h.Type == "condition" && h.Active && (h.Code == "microphone" || h.Code == "speaker")
}

// diary keeps the events of a house. A test reads it from front to back.
type diary struct {
	mu   sync.Mutex
	all  []happening
	read int
	more chan struct{} // closed and replaced when all grows
}

func newDiary() *diary { return &diary{more: make(chan struct{})} }

// add takes an event as the control API sends it.
func (d *diary) add(data []byte) {
	h := happening{raw: data}
	if json.Unmarshal(data, &h) != nil {
		h.Type = "missed" // the count of missed events: a test waits for the event in vain
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, h)
	close(d.more)
	d.more = make(chan struct{})
}

// next finds the first event that fits and is not read, and reads up to it.
// Without one it returns what to wait for.
func (d *diary) next(fits func(happening) bool) (happening, bool, <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, h := range d.all[d.read:] {
		if fits(h) {
			d.read += i + 1
			return h, true, nil
		}
	}
	return happening{}, false, d.more
}

// has reports whether an event that is not read fits.
func (d *diary) has(fits func(happening) bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, h := range d.all[d.read:] {
		if fits(h) {
			return true
		}
	}
	return false
}

// unread reads what is not read.
func (d *diary) unread() []happening {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.all[d.read:]
	d.read = len(d.all)
	return list
}

// count gives how many events fit, whether they are read or not.
func (d *diary) count(fits func(happening) bool) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, h := range d.all {
		if fits(h) {
			n++
		}
	}
	return n
}

// tail is the end of the diary, for a failed test.
func (d *diary) tail() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	text := ""
	for _, h := range d.all[max(0, len(d.all)-30):] {
		text += string(h.raw) + "\n"
	}
	return text
}
