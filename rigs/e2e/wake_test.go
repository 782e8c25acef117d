package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/audio"
	"hearthd/rigs/testcard"
)

// models is the folder of wake words that are not in the repository.
func models(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("HEARTHD_TEST_MODELS")
	if dir == "" {
		t.Skip("HEARTHD_TEST_MODELS names no folder with wake/hey_jarvis.json, wake/stop.json and wake/clips")
	}
	return dir
}

// clip is a recording of a person, at the card's rate.
func clip(t testing.TB, path string) []int16 {
	t.Helper()
	sound, err := audio.ReadWAV(path, audio.WAVOptions{})
	check(t, err)
	conv, err := audio.NewResampler(sound.Rate, testcard.Rate)
	check(t, err)
	return conv.Flush(conv.Process(nil, sound.Samples))
}

// newWords is a kitchen with two wake words, and without the phrase.
func newWords(t *testing.T) (k *kitchen, jarvis []int16) {
	t.Helper()
	dir := models(t)
	k = newKitchen(t, "HEARTHD_WAKE_ENGINE=button", "HEARTHD_WAKE_FOLLOW_UP=0s", "HEARTHD_WAKE_WORDS=[{model: "+filepath.Join(dir, "wake", "hey_jarvis.json")+
		"}, {model: "+filepath.Join(dir, "wake", "stop.json")+", kind: stop}]")
	k.begin()
	return k, clip(t, filepath.Join(dir, "wake", "clips", "hey_jarvis_1.wav"))
}

// hears lets the person make a sound.
func (k *kitchen) hears(sound ...[]int16) {
	k.t.Helper()
	check(k.t, k.room.Speak(k.t.Context(), slices.Concat(sound...)))
}

// synthesise is text as the person speaks it.
func (k *kitchen) synthesise(text string) []int16 {
	k.t.Helper()
	sound, err := k.room.Synthesise(k.t.Context(), text)
	check(k.t, err)
	return sound
}

func TestWakeWordAndCommandInOneBreathAndAfterAPause(t *testing.T) {
	k, jarvis := newWords(t)
	command := k.synthesise("what time is it?")
	jarvis = jarvis[:testcard.Rate*5/4] // the word ends there, and most of a second of silence follows
	// The first is spoken beside the earcon, before any echo is cancelled.
	for _, pause := range []time.Duration{900 * time.Millisecond} {
		k.hears(jarvis, make([]int16, int(pause.Seconds()*testcard.Rate)), command)
		if doc := k.turn("voice"); doc.WokenBy != "hey jarvis" || doc.Transcript != "what time is it" || doc.Outcome != "answered" {
			t.Errorf("pause %v: %+v", pause, doc)
		}
		k.moves("idle")
	}
	k.hears(command)
	k.hears(make([]int16, 3*testcard.Rate))
	if s := k.status(); s.State != "idle" {
		t.Errorf("a command without a wake word: %+v", s)
	}
}

func TestStopWordSilencesTheSpeaker(t *testing.T) {
	k, _ := newWords(t)
	k.post("/v1/say", map[string]string{"text": strings.Repeat("The neighbours are coming for dinner tonight. ", 10)})
	k.moves("speaking")
	k.hears(make([]int16, testcard.Rate), k.synthesise("stop!"))
	if doc := k.turn("announcement"); doc.Outcome != "stopped" {
		t.Errorf("%+v", doc)
	}
}

// "Stop" is heard falsely now and then; only where something sounds may that matter.
// This one is any loud sound, also every word of the command.
func TestStopWordActsOnlyWhileSomethingSounds(t *testing.T) {
	k := newKitchen(t, "HEARTHD_WAKE_FOLLOW_UP=0s", "HEARTHD_WAKE_WORDS=[{model: "+loudModel(t, t.TempDir())+", name: bang, kind: stop}]")
	k.begin()
	k.hears(Clatter())
	k.tellsTime()
	k.moves("idle")
	k.post("/v1/say", map[string]string{"text": strings.Repeat("The neighbours are coming for dinner tonight. ", 10)})
	k.moves("speaking")
	k.hears(make([]int16, testcard.Rate), Clatter())
	if h := k.event("the stop word", func(h happening) bool { return h.Type == "hushed" }); h.By != "bang" {
		t.Errorf("%+v", h)
	}
	if doc := k.turn("announcement"); doc.Outcome != "stopped" {
		t.Errorf("%+v", doc)
	}
}

func TestWakeWordThatIsMissingIsAConditionAndTheRestWorks(t *testing.T) {
	k := newKitchen(t, "HEARTHD_WAKE_WORDS=[{model: hey_nobody}]")
	k.begin()
	if s := k.status(); !s.Has("wake") || !strings.Contains(s.Conditions[0].Text, "hey_nobody.json") {
		t.Errorf("conditions %+v", s.Conditions)
	}
	k.tellsTime()
}
