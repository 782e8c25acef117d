package vad

import (
	"testing"
	"time"

	"hearthd/audio"
)

func TestTwoSegmentersGoByTheSameSettings(t *testing.T) {
	det := &adjustable{}
	to, err := NewSettings(DefaultOptions(), det.FrameSamples())
	if err != nil {
		t.Fatal(err)
	}
	var both [2]*Segmenter
	for i, own := range []*Settings{to, to.Another()} {
		if both[i], err = New(DefaultOptions(), det); err != nil {
			t.Fatal(err)
		}
		both[i].Adjust(own)
	}
	var begun [2]int
	var f audio.Frame
	for at := audio.Position(0); at < audio.Rate; at += audio.FrameSamples {
		for i, p := range []float32{0, 0.95} { // one in silence, one in speech
			det.p = p
			both[i].Push(&f, at, func(sig *Signal) {
				if sig.Kind == Onset {
					begun[i]++
				}
			})
		}
	}
	if begun != [2]int{0, 1} {
		t.Errorf("%v utterances begin, want 0 and 1", begun)
	}
}

func TestSettingsAreTakenOverBetweenUtterances(t *testing.T) {
	det := &adjustable{}
	s, err := New(DefaultOptions(), det)
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	o.Threshold, o.EndSilence = 0.9, 300*time.Millisecond
	to, err := NewSettings(o, det.FrameSamples())
	if err != nil {
		t.Fatal(err)
	}
	var kinds []Kind
	var f audio.Frame
	var at audio.Position
	push := func(d time.Duration, p float32) {
		det.p = p
		for range int(d / audio.FrameDuration) {
			s.Push(&f, at, func(sig *Signal) {
				if sig.Kind != Audio {
					kinds = append(kinds, sig.Kind)
				}
			})
			at += audio.FrameSamples
		}
	}
	push(time.Second, 0.85)
	if s.Adjust(to) {
		t.Error("settings change within an utterance")
	}
	push(time.Second, 0)
	if len(kinds) == 0 || !s.Adjust(to) {
		t.Fatalf("signals %v, and the settings are not taken over", kinds)
	}
	kinds = nil
	push(time.Second, 0.85)
	if len(kinds) != 0 {
		t.Errorf("below the new threshold: %v", kinds)
	}
	push(time.Second, 0.95)
	push(400*time.Millisecond, 0)
	if len(kinds) == 0 || kinds[len(kinds)-1] != End {
		t.Errorf("signals %v, want an end after 300 ms", kinds)
	}
	if _, err := NewSettings(Options{}, 320); err == nil {
		t.Error("settings without values are taken")
	}
}

// adjustable is as sure as it is told.
type adjustable struct{ p float32 }

func (a *adjustable) FrameSamples() int { return audio.FrameSamples }
func (*adjustable) String() string      { return "adjustable" }

func (a *adjustable) Probability([]int16) float32 { return a.p }
func (a *adjustable) Reset()                      {}
