package realtime

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/llm"
	"hearthd/rigs/llmtest"
)

// The answer is played for longer than it takes to come.
func TestIdleTimeBeginsWhenTheAnswerWasHeard(t *testing.T) {
	onCable(t, says("hi"), func(r *rig, c *llmtest.Cable) {
		turn := r.open()
		r.speak(turn, time.Second)
		if h := r.hear(turn); h.err != nil {
			r.Fatal(h.err)
		}
		time.Sleep(rigIdle + 10*time.Second) // the speaker still sounds
		synctest.Wait()
		if _, open := r.server.Sessions(); open != 1 {
			r.Errorf("%d sessions while the answer is still heard", open)
		}
		turn.Cut(time.Hour) // all of it was
		time.Sleep(rigIdle - time.Second)
		synctest.Wait()
		if _, open := r.server.Sessions(); open != 1 {
			r.Errorf("%d sessions %v after the answer", open, rigIdle-time.Second)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if _, open := r.server.Sessions(); open != 0 {
			r.Errorf("%d sessions %v after the answer", open, rigIdle+time.Second)
		}
	})
}

// Nobody has asked for anything when a service is probed.
func TestProbeTellsTheServiceNothing(t *testing.T) {
	onCable(t, says("hi"), func(r *rig, c *llmtest.Cable) {
		r.server.Refuse(http.StatusServiceUnavailable)
		if _, err := r.client.Open(r.Context()); err == nil {
			r.Fatal("opened")
		}
		r.mu.Lock()
		r.history = []llm.Message{{Role: llm.User, Content: "my PIN is 4711"}, {Role: llm.Assistant, Content: "Noted."}}
		r.mu.Unlock()
		r.server.Refuse(0)
		time.Sleep(time.Minute)
		synctest.Wait()
		if !r.client.Available() {
			r.Error("it was not probed")
		}
		if items := r.sent("conversation.item.create"); len(items) != 0 {
			r.Errorf("a probe tells the service %v", items)
		}
		for _, u := range r.sent("session.update") {
			if s := u["session"].(map[string]any); s["instructions"] != "" {
				r.Errorf("a probe tells the service %q", s["instructions"])
			}
		}
	})
}
