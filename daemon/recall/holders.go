package recall

import "sync"

// Holders are the parts of the process that hold what was said and looked up. Once all of
// them have forgotten, nothing of that is written any more. Any goroutine may use it.
type Holders struct {
	mu   sync.Mutex
	list []func()
}

// Add adds what some of them do to forget.
func (h *Holders) Add(forget ...func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, forget...)
}

// Forget has all of them forget.
func (h *Holders) Forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, forget := range h.list {
		forget()
	}
}
