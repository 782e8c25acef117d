package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"hearthd/rigs/testcard"
)

// bargedIn reports whether speech has cut an answer.
func (k *kitchen) bargedIn() (said string) {
	k.diary.mu.Lock()
	defer k.diary.mu.Unlock()
	for _, h := range k.diary.all {
		if h.Type == "barge_in" {
			return string(h.raw)
		}
	}
	return ""
}

// The microphone hears the speaker 14 dB softer. hearthd must not interrupt
// itself, while a person may.
func TestPersonInterruptsThroughTheEchoAndTheSpeakerDoesNot(t *testing.T) {
	k := newEchoes(t, "HEARTHD_AUDIO_VOLUME=100", "HEARTHD_WAKE_ENGINE=button", "HEARTHD_WAKE_FOLLOW_UP=0s")
	k.begin()
	k.post("/v1/say", map[string]string{"text": longAnswer})
	if doc := k.turn("announcement"); doc.Outcome != "answered" {
		t.Fatalf("it interrupted itself: %s, %+v", k.bargedIn(), doc)
	}
	for range 3 { // a busy machine may hear too late to understand; then they say it again
		k.post("/v1/say", map[string]string{"text": longAnswer})
		k.moves("speaking")
		k.hears(make([]int16, 2*testcard.Rate), k.synthesise("what time is it?"))
		if doc := k.turn("announcement"); doc.Outcome != "interrupted" || len(doc.Answer) >= len(longAnswer)/2 {
			t.Errorf("interrupted: %+v", doc)
		}
		h := k.event("what interrupted", func(h happening) bool {
			return h.Type == "ignored" || h.Type == "turn" && strings.Contains(string(h.raw), `"source":"voice"`)
		})
		if h.Type == "turn" {
			var doc Turn
			check(t, json.Unmarshal(h.raw, &doc))
			if doc.WokenBy != "barge_in" || doc.Intent != "time_now" {
				t.Errorf("what interrupted: %+v", doc)
			}
			return
		}
		k.turn("announcement") // that it was not understood
	}
	t.Error("what interrupts is never understood")
}
