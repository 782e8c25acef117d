package e2e

import (
	"slices"
	"strings"
	"testing"

	"hearthd/rigs/testcard"
)

// longAnswer takes about ten seconds to say.
var longAnswer = strings.Repeat("The neighbours are coming for dinner tonight. ", 4)

// newDuplex is a kitchen whose microphone cancels the echo itself, in which the
// daemon has begun to speak.
func newDuplex(t *testing.T) *kitchen {
	k := newKitchen(t, "HEARTHD_AUDIO_AEC=device", "HEARTHD_AUDIO_VOLUME=100")
	k.begin()
	k.post("/v1/say", map[string]string{"text": longAnswer})
	k.moves("speaking")
	return k
}

func TestVoiceOverAnAnswerSilencesItAndIsAnswered(t *testing.T) {
	k := newDuplex(t)
	k.hears(make([]int16, testcard.Rate), k.synthesise("what time is it?"))
	if doc := k.turn("announcement"); doc.Outcome != "interrupted" || !strings.HasSuffix(doc.Answer, "…") {
		t.Errorf("interrupted: %+v", doc)
	}
	if doc := k.turn("voice"); doc.WokenBy != "barge_in" || doc.Intent != "time_now" || doc.Outcome != "answered" {
		t.Errorf("what interrupted: %+v", doc)
	}
}

// cough is a fifth of a second of voice.
func (k *kitchen) cough() []int16 {
	sound := k.synthesise("uh oh")
	begin := slices.IndexFunc(sound, func(v int16) bool { return v > 3000 })
	return sound[begin:][:testcard.Rate/5]
}

func TestCoughDucksAnAnswerThatGoesOn(t *testing.T) {
	k := newDuplex(t)
	for try := range 3 { // of what a busy machine tells late, the quiet is over
		k.hears(make([]int16, testcard.Rate/2), k.cough())
		k.event("onset", func(h happening) bool { return h.Type == "speech_started" })
		from := k.played()
		end := k.event("end of the cough", func(h happening) bool { return h.Type == "speech_ended" })
		// 200 ms of a cough, and the silence that shows that it was one.
		least := k.quietest(from)
		if least <= loud {
			break
		}
		if try == 2 {
			t.Errorf("%s: the speaker was at %d at least", end.raw, least)
		}
	}
	k.audible(k.played())
	if doc := k.turn("announcement"); doc.Outcome != "answered" || doc.Answer != strings.TrimSpace(longAnswer) {
		t.Errorf("%+v", doc)
	}
}

// quietest is the loudness of the quietest tenth of a second that the card played
// after from bytes.
func (k *kitchen) quietest(from int64) int {
	least := 1 << 15
	for part := range slices.Chunk(k.sound(from), testcard.Rate/10) {
		if len(part) == testcard.Rate/10 {
			least = min(least, peak(part))
		}
	}
	return least
}

func TestBargeInIsToldSoonAfterTheOnset(t *testing.T) {
	k := newDuplex(t)
	k.hears(make([]int16, testcard.Rate), k.synthesise("wait a moment please"))
	onset := k.event("onset", func(h happening) bool { return h.Type == "speech_started" })
	cut := k.event("barge-in", func(h happening) bool { return h.Type == "barge_in" })
	t.Logf("cut %v after the onset was told", cut.Time.Sub(onset.Time))
	if doc := k.turn("announcement"); doc.Outcome != "interrupted" || cut.PlayedMS < 500 {
		t.Errorf("%s: %+v", cut.raw, doc)
	}
}
