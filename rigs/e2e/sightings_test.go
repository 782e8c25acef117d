package e2e

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// sightings are the states that Home Assistant has told since it was asked to.
type sightings struct {
	a    *assist
	mu   sync.Mutex
	all  []sighting
	from int
	now  map[string]sighting
	more chan struct{}
}

// sighting is one state of an entity, with its attributes.
type sighting struct {
	ID         string `json:"entity_id"`
	State      string
	Attributes map[string]any
}

// String is its state, or for an event its type and what came with it.
func (s sighting) String() string {
	if !strings.HasPrefix(s.ID, "event.") {
		return s.State
	}
	data, _ := json.Marshal(s.Attributes) // it came as JSON
	return string(data)
}

// watches follows all states until Home Assistant or the test ends.
func (a *assist) watches() *sightings {
	a.t.Helper()
	s := &sightings{a: a, now: map[string]sighting{}, more: make(chan struct{})}
	var known []sighting
	ctx := a.t.Context()
	c, err := a.dial(ctx, a.token)
	check(a.t, err)
	check(a.t, wsjson.Write(ctx, c, map[string]any{"id": 1, "type": "subscribe_events", "event_type": "state_changed"}))
	var begun struct{ Success bool }
	check(a.t, wsjson.Read(ctx, c, &begun))
	a.asks("get_states", nil, &known)
	for _, k := range known {
		s.now[k.ID] = k
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.read(ctx, c)
	}()
	a.t.Cleanup(func() { _ = c.CloseNow(); <-done })
	return s
}

func (s *sightings) read(ctx context.Context, c *websocket.Conn) {
	for {
		var v struct {
			Event struct {
				Data struct {
					ID  string    `json:"entity_id"`
					New *sighting `json:"new_state"`
				}
			}
		}
		if wsjson.Read(ctx, c, &v) != nil {
			return // over
		}
		s.mu.Lock()
		if n := v.Event.Data.New; n != nil {
			s.all = append(s.all, *n)
			s.now[n.ID] = *n
		} else {
			delete(s.now, v.Event.Data.ID)
		}
		close(s.more)
		s.more = make(chan struct{})
		s.mu.Unlock()
	}
}

// act begins something that shows is asked about next.
func (s *sightings) act() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from = len(s.all)
}

// shows waits until an entity shows what fits, now or at any time since act.
func (s *sightings) shows(entity, want string) {
	s.a.t.Helper()
	fits := regexp.MustCompile("^(?s:" + want + ")$")
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		s.mu.Lock()
		now, there := s.now[entity]
		seen, more := s.all[s.from:], s.more
		s.mu.Unlock()
		if there && fits.MatchString(now.String()) {
			return
		}
		for _, one := range seen {
			if one.ID == entity && fits.MatchString(one.String()) {
				return
			}
		}
		select {
		case <-more:
		case <-deadline.C:
			s.a.t.Errorf("%s shows %q, want %s", entity, now, want)
			return
		}
	}
}

func matches(want, got string) bool { return regexp.MustCompile(want).MatchString(got) }

// gives waits a little until a state or an attribute fits.
func (s *sightings) gives(entity, attribute, want string) bool {
	fits := regexp.MustCompile("^(?:" + want + ")$")
	if attribute != "" {
		fits = regexp.MustCompile("^" + regexp.QuoteMeta(want) + "$")
	}
	deadline := time.NewTimer(patience / 18)
	defer deadline.Stop()
	for {
		s.mu.Lock()
		more := s.more
		s.mu.Unlock()
		if fits.MatchString(s.shown(entity, attribute)) {
			return true
		}
		select {
		case <-more:
		case <-deadline.C:
			return false
		}
	}
}
