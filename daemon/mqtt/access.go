package mqtt

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"hearthd/daemon/health"
)

const (
	// maxDenied bounds the refused topics that are remembered, and shownDenied those that the condition names.
	maxDenied, shownDenied = 100, 5
)

// access keeps the condition "broker_access": the broker refuses some topics. It is safe for use by
// several goroutines.
type access struct {
	conditions *health.Conditions

	mu     sync.Mutex
	denied map[string]bool
}

// begin forgets the refusals of the last connection. The condition stays until settle.
func (a *access) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.denied = nil
}

// deny notes a topic that the broker refuses.
func (a *access) deny(topics ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := len(a.denied)
	for _, t := range topics {
		if a.denied == nil {
			a.denied = make(map[string]bool)
		}
		if len(a.denied) < maxDenied {
			a.denied[t] = true
		}
	}
	if len(a.denied) > before {
		a.tell()
	}
}

// settle updates the condition once the new connection has been tried out.
func (a *access) settle() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tell()
}

func (a *access) tell() {
	list := slices.Sorted(maps.Keys(a.denied))
	if len(list) == 0 {
		a.conditions.Clear("broker_access")
		return
	}
	more := ""
	if n := len(list) - shownDenied; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	shown := strings.Join(list[:min(len(list), shownDenied)], ", ")
	a.conditions.Set("broker_access", health.Warning,
		fmt.Sprintf("The MQTT broker does not let through %s%s; see its access list.", shown, more))
}
