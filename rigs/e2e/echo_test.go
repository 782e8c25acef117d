package e2e

import (
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
	k.post("/v1/say", map[string]string{"text": longAnswer})
	k.moves("speaking")
	k.hears(make([]int16, 2*testcard.Rate), k.synthesise("what time is it?"))
	if doc := k.turn("announcement"); doc.Outcome != "interrupted" || len(doc.Answer) >= len(longAnswer)/2 {
		t.Errorf("interrupted: %+v", doc)
	}
	if doc := k.turn("voice"); doc.WokenBy != "barge_in" || doc.Intent != "time_now" {
		t.Errorf("what interrupted: %+v", doc)
	}
}
