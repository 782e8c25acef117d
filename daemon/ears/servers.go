package ears

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"hearthd/daemon/health"
	"hearthd/daemon/supervise"
	"hearthd/vad/wake"
	"hearthd/vad/wake/remote"
)

// wakeServers are the Wyoming servers that spot wake words.
type wakeServers struct {
	spotters []wake.Spotter
	parts    []supervise.Part

	mu    sync.Mutex
	wrong map[string]error // by address; set by the goroutines of the servers
}

// newWakeServers makes a spotter for each server that words name. A server that cannot be
// asked for its words is left out, with a condition.
func newWakeServers(words []Word, conditions *health.Conditions, log *slog.Logger) *wakeServers {
	s := &wakeServers{wrong: make(map[string]error)}
	names, called := make(map[string][]string), make(map[string]map[string]string)
	cutoffs := make(map[string]map[string]float64)
	var addresses []string
	for _, w := range words {
		if w.Server == "" {
			continue
		}
		if called[w.Server] == nil {
			addresses = append(addresses, w.Server)
			called[w.Server], cutoffs[w.Server] = make(map[string]string), make(map[string]float64)
		}
		names[w.Server] = append(names[w.Server], w.Model)
		called[w.Server][w.Model] = w.Name
		if w.Cutoff > 0 {
			cutoffs[w.Server][w.Model] = w.Cutoff
		}
	}
	for _, at := range addresses {
		r, err := remote.New(remote.Options{
			Address: at, Names: names[at], Cutoffs: cutoffs[at], Log: log.With("component", "wake"),
			Reachable: func(err error) { s.tell(conditions, at, err) },
		})
		if err != nil {
			s.tell(conditions, at, err)
			continue
		}
		s.spotters = append(s.spotters, renamed{r, called[at]})
		s.parts = append(s.parts, supervise.Part{Name: "wake " + at, Policy: supervise.Restart, Run: r.Run})
	}
	return s
}

// tell keeps the one condition for all servers.
func (s *wakeServers) tell(c *health.Conditions, at string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wrong[at] = err; err == nil {
		delete(s.wrong, at)
	}
	if len(s.wrong) == 0 {
		c.Clear("wake_server")
		return
	}
	var list []string
	for at, err := range s.wrong {
		list = append(list, fmt.Sprintf("%s: %v", at, err))
	}
	slices.Sort(list)
	c.Set("wake_server", health.Warning, "A wake word server is of no use: "+strings.Join(list, "; ")+".")
}
