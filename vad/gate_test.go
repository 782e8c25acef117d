package vad

import (
	"math"
	"testing"
)

func aGate(t *testing.T) *gate {
	t.Helper()
	g, err := newGate(gateOptions{Threshold: 0.5, Release: 0.35, Onset: 3, Hangover: 2})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func pushAll(g *gate, ps ...float32) string {
	var out []byte
	for _, p := range ps {
		switch {
		case !g.Push(p):
			out = append(out, '.')
		case g.voiced:
			out = append(out, 'v')
		default:
			out = append(out, 'h')
		}
	}
	return string(out)
}

func TestGateOpensAfterTheOnsetInARow(t *testing.T) {
	if got := pushAll(aGate(t), .9, .9, .1, .9, .9, .49, .5, .5, .5); got != "........v" {
		t.Errorf("got %s", got)
	}
}

func TestGateHoldsThroughHangover(t *testing.T) {
	g := aGate(t)
	if got := pushAll(g, .9, .9, .9, .1, .1, .4, .1, .1, .1); got != "..vhhvhh." {
		t.Errorf("got %s", got)
	}
	if got := pushAll(g, .9, .9); got != ".." {
		t.Errorf("after closing, two frames opened it: %s", got)
	}
}

func TestGateKeepsSpeechBetweenReleaseAndThreshold(t *testing.T) {
	if got := pushAll(aGate(t), .4, .4, .4, .6, .6, .6, .4, .4, .4, .4); got != ".....vvvvv" {
		t.Errorf("got %s", got)
	}
}

func TestGateTakesNoNumberForSpeechThatIsNone(t *testing.T) {
	nan := float32(math.NaN())
	if got := pushAll(aGate(t), .9, .9, .9, nan, nan, nan); got != "..vhh." {
		t.Errorf("got %s", got)
	}
	if got := pushAll(aGate(t), nan, nan, nan); got != "..." {
		t.Errorf("got %s", got)
	}
}

func TestGateRefusesBadOptions(t *testing.T) {
	for _, o := range []gateOptions{
		{},
		{Threshold: 1, Release: .3, Onset: 1},
		{Threshold: float32(math.NaN()), Release: .3, Onset: 1},
		{Threshold: .5, Release: .6, Onset: 1},
		{Threshold: .5, Release: 0, Onset: 1},
		{Threshold: .5, Release: .3, Onset: 0},
		{Threshold: .5, Release: .3, Onset: 1, Hangover: -1},
	} {
		if _, err := newGate(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}
