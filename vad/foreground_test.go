package vad

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/audio"
)

// tone fills f so that scripted rates it p, at an amplitude. The mean that carries
// p is at -30 dBFS itself.
func tone(f *audio.Frame, p float64, amplitude int16) {
	for i := range f {
		f[i] = int16(p*1000) + amplitude*int16(1-2*(i&1))
	}
}

// near is the speaker's amplitude: -8.7 dBFS, so that 20 dB below can be told.
const near = 12000

// sound feeds d of what scripted rates p, db below the speaker's level.
func (e *ear) sound(p, db float64, d time.Duration) {
	var f audio.Frame
	tone(&f, p, int16(near*math.Pow(10, -db/20)))
	for range d / audio.FrameDuration {
		e.Push(&f, e.at, e.hear)
		e.at += audio.FrameSamples
	}
}

// ends are the lines that say that an utterance is complete.
func (e *ear) ends() (list []string) {
	for _, s := range e.said {
		if strings.Contains(s, " end ") {
			list = append(list, s)
		}
	}
	return list
}

// woken feeds five seconds of somebody db below, and a wake word over it.
func (e *ear) woken(db float64) {
	e.sound(1, db, 5*time.Second)
	e.sound(1, 0, 600*time.Millisecond)
	e.Restart(e.at, e.hear)
	e.said, e.run = nil, 0
}

func TestTelevisionBehindTheSpeakerDoesNotKeepTheUtteranceOpen(t *testing.T) {
	for _, n := range []int{160, 320, 512} {
		for _, db := range []float64{15, 10, 6} {
			e := newEar(t, n)
			e.woken(db)
			e.sound(1, 2, 1500*time.Millisecond)
			spoke := e.at
			for len(e.ends()) == 0 && e.at < spoke+audio.Samples(5*time.Second) {
				e.sound(1, db, audio.FrameDuration)
			}
			if took := (e.at - spoke).Duration(); len(e.ends()) != 1 || took < 650*time.Millisecond ||
				took > 1200*time.Millisecond {
				t.Errorf("frames of %d, television at -%v dB: ended after %v, %v", n, db, took, e.ends())
			}
		}
	}
}

func TestTelevisionAsLoudAsTheSpeakerIsListenedToForNineSeconds(t *testing.T) {
	for _, speech := range []time.Duration{0, 1500 * time.Millisecond} {
		for _, db := range []float64{3, 0} {
			e := newEar(t, 320)
			e.woken(db)
			woken := e.at
			e.sound(1, 0, speech)
			for e.at < woken+20*audio.Rate && !slices.ContainsFunc(e.said, over) {
				e.sound(1, db, audio.FrameDuration)
			}
			if took := (e.at - woken).Duration(); took > 9100*time.Millisecond {
				t.Errorf("television at -%v dB after %v of speech: %v, %q", db, speech, took, e.said)
			}
			e.sound(1, db, 10*time.Second)
			if n := len(e.ends()); n > 1 {
				t.Errorf("television at -%v dB after %v of speech gave %d utterances", db, speech, n)
			}
		}
	}
}

// over reports whether the line says that an utterance is over.
func over(line string) bool {
	return strings.Contains(line, " end ") || strings.Contains(line, " discard ")
}

func TestSpeakerWhoPausesAndVariesOverTelevisionIsHeardOut(t *testing.T) {
	for _, behind := range []float64{20, 15, 10} {
		e := newEar(t, 320)
		e.woken(behind)
		for range 2 {
			e.sound(1, 4, 300*time.Millisecond)
			e.sound(1, 1, 400*time.Millisecond)
			e.sound(1, behind-5, 150*time.Millisecond) // he trails off
			e.sound(1, behind, 500*time.Millisecond)
			e.sound(1, 5, 300*time.Millisecond)
			e.sound(0.1, 20, 400*time.Millisecond)
		}
		if len(e.ends()) > 0 {
			t.Errorf("television at -%v dB: %q", behind, e.said)
		}
		e.sound(1, behind, 1500*time.Millisecond)
		if len(e.ends()) != 1 {
			t.Errorf("television at -%v dB, afterwards: %q", behind, e.said)
		}
	}
}

func TestCommandMayBeSofterThanTheWakeWord(t *testing.T) {
	for _, c := range []struct{ behind, soft float64 }{{40, 12}, {15, 7}, {10, 5}} {
		e := newEar(t, 320)
		e.woken(c.behind)
		e.sound(1, c.soft, 1500*time.Millisecond)
		e.sound(0, 40, time.Second)
		if len(e.ends()) != 1 {
			t.Errorf("%v dB softer, television at -%v dB: %q", c.soft, c.behind, e.said)
		}
	}
}

func TestEarconAfterTheWakeWordChangesNothing(t *testing.T) {
	e := newEar(t, 320)
	e.woken(10)
	e.Flush(e.hear)
	e.at += 10 * audio.FrameSamples // not shown to the segmenter
	e.sound(1, 2, 1500*time.Millisecond)
	e.sound(1, 10, 1200*time.Millisecond)
	if len(e.ends()) != 1 {
		t.Errorf("%q", e.said)
	}
}

func TestWakeWordIsForgottenWhenNobodySpeaks(t *testing.T) {
	e := newEar(t, 320)
	e.woken(40)
	e.sound(0, 60, 11*time.Second)
	e.sound(1, 30, 1500*time.Millisecond) // somebody far away, later
	e.sound(0, 60, time.Second)
	if len(e.ends()) != 1 {
		t.Errorf("%q", e.said)
	}
}

func TestVoiceOverWhatOutlastedTheCapIsHeard(t *testing.T) {
	e := newEar(t, 320)
	e.sound(1, 12, 20*time.Second)
	if len(e.ends()) != 1 {
		t.Fatalf("%q", e.said)
	}
	e.said, e.run = nil, 0
	e.sound(1, 0, 1200*time.Millisecond)
	e.sound(1, 12, 2*time.Second)
	if len(e.ends()) != 1 || !strings.HasPrefix(e.said[0], "2 onset 980 speech 1000") {
		t.Errorf("%q", e.said)
	}
}

func TestLukewarmHumOpensNothing(t *testing.T) {
	e := newEar(t, 320)
	e.sound(0.6, 10, time.Minute)
	e.want(t)
}

func TestHumThatIsSwitchedOnIsLetGo(t *testing.T) {
	e := newEar(t, 320)
	e.sound(0, 40, time.Second)
	e.sound(0.6, 20, time.Minute)
	if got := e.ends(); len(got) > 1 || len(got) == 1 && !strings.Contains(got[0], "silence") {
		t.Errorf("%q", e.said)
	}
	e.said, e.run = nil, 0
	e.sound(1, 0, time.Second)
	e.sound(0.6, 20, time.Second)
	if len(e.ends()) != 1 {
		t.Errorf("speech over it: %q", e.said)
	}
}

func TestShortCommandInTheSameBreathIsKept(t *testing.T) {
	e := newEar(t, 320)
	e.sound(0, 40, 5*time.Second)
	e.sound(1, 0, 800*time.Millisecond)
	word := e.at - audio.Samples(200*time.Millisecond)
	e.Restart(word, e.hear) // it was known late, and "stop" has begun
	e.said, e.run = nil, 0
	e.sound(1, 0, 120*time.Millisecond)
	e.sound(0, 40, time.Second)
	if !strings.HasPrefix(e.said[0], "2 onset 280 ") || len(e.ends()) != 1 {
		t.Errorf("%q", e.said)
	}
}

func TestTailOfTheWakeWordIsNoUtterance(t *testing.T) {
	e := newEar(t, 320)
	e.sound(0, 40, 5*time.Second)
	e.sound(1, 0, 800*time.Millisecond)
	e.Restart(e.at, e.hear)
	e.sound(1, 3, 120*time.Millisecond) // the detector lags
	e.sound(0, 40, 2*time.Second)
	if len(e.ends()) > 0 {
		t.Errorf("%q", e.said)
	}
}

func TestWakeWordOfAnotherStreamDeafensNobody(t *testing.T) {
	e := newEar(t, 320)
	e.sound(0, 40, time.Second)
	e.Restart(1<<50, e.hear)
	e.sound(0, 40, time.Second)
	e.sound(1, 0, time.Second)
	e.sound(0, 40, time.Second)
	if len(e.ends()) != 1 {
		t.Errorf("%q", e.said)
	}
}

func TestWhatEndedEarlyIsNotHeardTwice(t *testing.T) {
	e := newEar(t, 320)
	e.push(1, time.Second)
	e.push(0, 300*time.Millisecond)
	e.EndAfter(1, 300*time.Millisecond)
	e.push(0, 20*time.Millisecond)
	e.push(1, time.Second)
	e.push(0, time.Second)
	e.want(t, "1 onset 0 speech 0", "audio 0+66", "1 end silence 66 speech 50", "2 onset 66 speech 66", "audio 66+85",
		"2 end silence 151 speech 116")
}

func TestEndOfAPauseIsBounded(t *testing.T) {
	e := newEar(t, 320)
	e.push(1, time.Second)
	e.push(0, 300*time.Millisecond)
	e.EndAfter(1, time.Hour)
	e.push(0, 10*time.Second)
	e.want(t, "1 onset 0 speech 0", "audio 0+200", "1 end silence 200 speech 50")
}
