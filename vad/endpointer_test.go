package vad

import (
	"testing"
	"time"

	"hearthd/audio"
)

func anEndpointer(t *testing.T) *endpointer {
	t.Helper()
	e, err := newEndpointer(endpointerOptions{
		MinSpeech: 250 * time.Millisecond, EndSilence: 700 * time.Millisecond, MaxUtterance: 15 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// until pushes frames of 10 ms, voiced or not, from now on until the verdict is
// final, and returns when that is.
func until(e *endpointer, now audio.Position, voiced func(audio.Position) bool) (verdict, audio.Position) {
	for {
		now += 160
		voice := audio.Position(0)
		if voiced(now) {
			voice = 160
		}
		if v := e.Push(voice, 0, now); v != goOn {
			return v, now
		}
	}
}

func TestEndpointerEndsAfterTheSilence(t *testing.T) {
	e := anEndpointer(t)
	e.Open(0, 960, 8000, 0)
	v, at := until(e, 8000, func(p audio.Position) bool { return p <= 24000 })
	if v != ended || at != 24000+11200 || e.speechEnd != 24000 {
		t.Errorf("verdict %d at %d, speech end %d", v, at, e.speechEnd)
	}
}

func TestEndpointerCountsVoiceNotTime(t *testing.T) {
	// One frame of voice in four for a second is 250 ms with the onset, one in
	// five is less.
	for every, want := range map[audio.Position]verdict{4: ended, 5: tooShort} {
		e := anEndpointer(t)
		e.Open(0, 160, 160, 0)
		v, _ := until(e, 160, func(p audio.Position) bool { return p < 16160 && p/160%every == 0 })
		if v != want {
			t.Errorf("one in %d: verdict %d, want %d", every, v, want)
		}
	}
}

func TestEndpointerCapsTheUtteranceWithItsPreRoll(t *testing.T) {
	e := anEndpointer(t)
	e.Open(16000, 960, 24000, 0)
	v, at := until(e, 24000, func(audio.Position) bool { return true })
	if v != capped || at != 16000+15*audio.Rate {
		t.Errorf("verdict %d at %d", v, at)
	}
}

func TestEndpointerTakesNoSeriesOfClicksForSpeechAtTheCap(t *testing.T) {
	e := anEndpointer(t)
	e.Open(0, 160, 160, 0)
	// A hop of voice every 650 ms, so that the silence never lasts long enough.
	if v, _ := until(e, 160, func(p audio.Position) bool { return p/160%65 == 0 }); v != tooShort {
		t.Errorf("verdict %d", v)
	}
}

func TestEndpointerRefusesBadOptions(t *testing.T) {
	s := time.Second
	for _, o := range []endpointerOptions{
		{},
		{MinSpeech: -1, EndSilence: s, MaxUtterance: 10 * s},
		{MinSpeech: s, EndSilence: s, MaxUtterance: 2 * s},
		{MinSpeech: s, EndSilence: s, MaxUtterance: time.Hour},
	} {
		if _, err := newEndpointer(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}
