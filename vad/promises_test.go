package vad

import (
	"math/rand/v2"
	"testing"
	"time"

	"hearthd/audio"
)

// promises checks every signal of a Segmenter against what its documentation says.
type promises struct {
	t     testing.TB
	opt   Options
	frame int // samples of a detector frame
	count uint64
	open  bool
	start audio.Position // of the utterance
	next  audio.Position // what its next frame is to begin at
	free  audio.Position // no utterance may reach before
	last  Signal
	lossy bool // frames were lost
}

// follows reports whether what is at a position follows the last frame.
func (p *promises) follows(at audio.Position) bool {
	return at == p.next || p.lossy && at > p.next
}

// most is what an utterance may have beyond its cap: the detector's frame and the
// microphone's, and what was lost.
func (p *promises) most() audio.Position {
	if p.lossy {
		return audio.Samples(p.opt.EndSilence) + audio.Position(p.frame) + audio.FrameSamples
	}
	return audio.Position(p.frame) + audio.FrameSamples
}

func (p *promises) hear(g *Signal) {
	p.t.Helper()
	if g.Kind != Onset && (!p.open || g.Utterance != p.count) {
		p.t.Fatalf("%+v of utterance %d, open %v", *g, p.count, p.open)
	}
	switch g.Kind {
	case Onset:
		if p.open || g.Utterance != p.count+1 || g.At > g.Speech || g.At < p.free ||
			g.Speech-g.At > audio.Samples(p.opt.PreRoll)+audio.FrameSamples {
			p.t.Fatalf("onset %+v, open %v, nothing before %d", *g, p.open, p.free)
		}
		p.open, p.count, p.start, p.next = true, g.Utterance, g.At, g.At
	case Audio:
		if !p.follows(g.At) || g.Frame == nil {
			p.t.Fatalf("audio %+v, want position %d", *g, p.next)
		}
		p.next = g.At + audio.FrameSamples
	case Pause, Sustained:
		if g.At != p.next || g.Speech > g.At || g.Kind == Pause && p.last.Kind == Pause && p.last.Speech == g.Speech {
			p.t.Fatalf("%+v after %+v", *g, p.last)
		}
	case End, Discard:
		if g.At != p.next || g.Speech > g.At || g.At-p.start > audio.Samples(p.opt.MaxUtterance)+p.most() {
			p.t.Fatalf("end %+v, start %d, want position %d", *g, p.start, p.next)
		}
		if end := g.Reason == Silence || g.Reason == Cap; g.Reason == 0 || end != (g.Kind == End) {
			p.t.Fatalf("end %+v", *g)
		}
		p.open = false
		if g.Kind == End {
			p.free = g.At
		}
	default:
		p.t.Fatalf("signal %+v", *g)
	}
	if p.last = *g; g.Kind != Audio {
		return
	}
	p.last.Kind = 0
}

// play feeds a Segmenter what the bytes say: a probability and a level for some
// frames, or one of the calls.
func play(t testing.TB, n int, script []byte) {
	o := DefaultOptions()
	o.MaxUtterance, o.MaxWoken = 3*time.Second, 2*time.Second
	s, err := New(o, &scripted{n: n})
	if err != nil {
		t.Fatal(err)
	}
	p := &promises{t: t, opt: o, frame: n}
	var f audio.Frame
	at := audio.Position(1 << 30) // steps back stay above 0
	for ; len(script) >= 2; script = script[2:] {
		op, arg := script[0], audio.Position(script[1])
		switch {
		case op < 200:
			tone(&f, float64(op&15)/15, int16(1)<<(op>>4))
			for range 1 + arg%32 {
				s.Push(&f, at, p.hear)
				at += audio.FrameSamples
			}
		case op < 215:
			from := at + (arg-200)*100 // up to 1.25 s ago, and a little ahead
			s.Restart(from, p.hear)
			if p.open {
				t.Fatal("open after Restart")
			}
			p.free = from
		case op < 230:
			s.EndAfter(p.count-uint64(arg&1), time.Duration(arg-20)*100*time.Millisecond)
		case op < 240:
			s.Flush(p.hear)
			if p.open {
				t.Fatal("open after Flush")
			}
			p.lossy = false
		case op < 250:
			at += arg * audio.FrameSamples / 4 // lost frames
			p.lossy = true
		default:
			at -= arg * 1000 // another stream
			p.free = min(p.free, at)
		}
	}
	if s.Flush(p.hear); p.open {
		t.Fatal("open after Flush")
	}
}

func TestSegmenterKeepsItsPromisesUnderRandomInput(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		script := make([]byte, 1000)
		for i := range script {
			script[i] = byte(r.Uint32())
			if i%2 == 0 && r.IntN(8) > 0 { // mostly sound, mostly sure of itself
				script[i] = byte(r.IntN(12)<<4 | r.IntN(2)*15)
			}
		}
		play(t, []int{160, 320, 480, 512, 576}[seed%5], script)
	}
}

func FuzzSegmenterKeepsItsPromises(f *testing.F) {
	f.Add(uint16(320), []byte{191, 31, 0, 12, 220, 24, 0, 31, 191, 20, 205, 190, 191, 31, 0, 31})
	f.Add(uint16(512), []byte{15, 31, 205, 250, 191, 31, 255, 200, 191, 31, 245, 90, 191, 31, 235, 0})
	f.Fuzz(func(t *testing.T, n uint16, script []byte) {
		if n < 100 || n > audio.Rate || len(script) > 1<<9 { // so that it is fast
			return
		}
		play(t, int(n), script)
	})
}
