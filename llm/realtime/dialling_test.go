package realtime

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/llm"
	"hearthd/rigs/llmtest"
)

// dialling runs a rig that calls hook once it has what a new session is told, and
// before the connection stands.
func dialling(t *testing.T, hook func(*rig), test func(*rig)) {
	synctest.Test(t, func(t *testing.T) {
		c := llmtest.NewCable()
		r := &rig{T: t, server: llmtest.NewRealtimeOn(t, c, says("hi"))}
		once := sync.OnceFunc(func() { hook(r) })
		r.via = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, a, b string) (net.Conn,
			error) {
			once()
			synctest.Wait() // what a session before was told has come
			return c.Dial(ctx, a, b)
		}}}
		r.run()
		test(r)
	})
}

func TestWhatIsForgottenWhileConnectingIsNotTold(t *testing.T) {
	secret := []llm.Message{{Role: llm.User, Content: "the surprise is a bicycle"}}
	dialling(t, func(r *rig) { // "forget that"
		r.mu.Lock()
		r.history = nil
		r.mu.Unlock()
		r.client.End()
	}, func(r *rig) {
		r.mu.Lock()
		r.history = secret
		r.mu.Unlock()
		turn := r.open()
		r.speak(turn, time.Second)
		r.hear(turn)
		if items := r.inSession(); len(items) != 0 {
			r.Errorf("the session knows %v", items)
		}
	})
}

// inSession are the items that the newest session was told.
func (r *rig) inSession() (items []string) {
	for _, raw := range r.server.Events() {
		switch e := string(raw); {
		case strings.Contains(e, `"session.update"`):
			items = nil
		case strings.Contains(e, `"conversation.item.create"`):
			items = append(items, e)
		}
	}
	return items
}

func TestWhatIsSaidWhileConnectingIsTold(t *testing.T) {
	said := []llm.Message{{Role: llm.User, Content: "ten minutes for the eggs"},
		{Role: llm.Assistant, Content: "Ten minutes."}}
	dialling(t, func(r *rig) {
		r.mu.Lock()
		r.history = said
		r.mu.Unlock()
		r.client.Note(said)
	}, func(r *rig) {
		turn := r.open()
		r.speak(turn, time.Second)
		r.hear(turn)
		if items := r.inSession(); len(items) != 2 {
			r.Errorf("the session knows %v", items)
		}
	})
}
