package audio

import (
	"errors"
	"testing"
	"testing/synctest"
)

func TestTrackTellsWhenASampleIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := openMixer()
		m.SetLatency(20)
		v := m.Voice()
		g := v.Begin()
		v.Write(g, level(1000, 100))
		started := make(chan error, 1)
		go func() { started <- v.Reached(t.Context(), g, 5) }()
		for _, mixedSoFar := range []int{10, 20} {
			mixed(m, 10)
			synctest.Wait()
			select {
			case err := <-started:
				t.Fatalf("started (%v) when %d samples were mixed and none heard", err, mixedSoFar)
			default:
			}
		}
		mixed(m, 10)
		if err := <-started; err != nil {
			t.Error(err)
		}
		v.Cut()
		if err := v.Reached(t.Context(), g, 1); !errors.Is(err, ErrStale) {
			t.Errorf("after the cut: %v", err)
		}
	})
}

func TestTrackSoundsUntilTheLastSampleIsHeard(t *testing.T) {
	m := openMixer()
	m.SetLatency(20)
	v := m.Voice()
	if v.Sounding() {
		t.Error("sounds before anything was written")
	}
	v.Write(v.Begin(), level(1000, 100))
	for heard := -20; heard < 100; heard += 10 {
		if !v.Sounding() {
			t.Fatalf("silent with %d samples to be heard", 100-heard)
		}
		mixed(m, 10)
	}
	if v.Sounding() {
		t.Error("sounds after everything was heard")
	}
	v.Write(v.Begin(), level(1000, 100))
	m.SetRate(0)
	if v.Sounding() {
		t.Error("sounds without a device")
	}
}
