package ears

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/audio"
	"hearthd/vad"
	"hearthd/vad/wake"
)

// steady is a detector that always says the same.
type steady float32

func (steady) FrameSamples() int { return audio.FrameSamples }
func (steady) String() string    { return "steady" }

func (s steady) Probability([]int16) float32 { return float32(s) }
func (steady) Reset()                        {}

func TestDetectorThatCannotBeHadIsReplacedByTheBuiltInOne(t *testing.T) {
	if s := newSense(&Setup{}, builtIn); s.detector == nil || s.fallback != nil || s.noDetector != nil || s.text(true) != "" {
		t.Errorf("%+v", s)
	}
	if s := newSense(&Setup{Detector: sileroDetector, Silero: filepath.Join(t.TempDir(), "none.onnx")},
		builtIn); s.detector == nil || s.noDetector != nil || !strings.HasPrefix(s.text(true),
		"The built-in detector listens instead: ") {
		t.Errorf("%+v", s)
	}
}

func TestDetectorWithoutNumbersIsRefused(t *testing.T) {
	for _, p := range []float32{float32(math.NaN()), float32(math.Inf(1)), -0.5, 1.5} {
		if rates(steady(p)) == nil {
			t.Errorf("%v is taken", p)
		}
	}
	if err := rates(steady(1)); err != nil {
		t.Error(err)
	}
}

func TestWithoutAnyDetectorOnlyWhatAPersonOpensIsHeard(t *testing.T) {
	broken := errors.New("load embedded detector: it is damaged")
	s := newSense(&Setup{Detector: sileroDetector, Silero: filepath.Join(t.TempDir(), "none.onnx")},
		func() (vad.Detector, error) { return nil, broken })
	if s.detector != nil || !errors.Is(s.noDetector, broken) {
		t.Fatalf("%+v", s)
	}
	for cloud, says := range map[bool]string{true: "the responder hears where it ends",
		false: "which lasts eight seconds"} {
		if text := s.text(cloud); !strings.Contains(text, says) || !strings.Contains(text, "it is damaged") ||
			!strings.Contains(text, "none.onnx") {
			t.Errorf("%q", text)
		}
	}
	var heard []vad.Kind
	e, err := NewFrontEnd(FrontEndOptions{
		Setup: usual(t), Sense: s,
		Emit:     func(s *vad.Signal) { heard = append(heard, s.Kind) },
		Detected: func(wake.Detection) bool { return false },
	})
	if err != nil {
		t.Fatal(err)
	}
	at := audio.Position(0)
	push := func(frames int) {
		var f audio.Frame
		for i := range f {
			f[i] = int16(9000 * (1 - 2*(i/20%2)))
		}
		for range frames {
			e.Front.Push(&f, nil, at)
			at += audio.FrameSamples
		}
	}
	push(500)
	if len(heard) > 0 || e.FullDuplex() {
		t.Errorf("%v before anybody asked", heard)
	}
	e.Front.DiscardOpen()
	push(50)
	e.Front.EndAfter(1, 0)
	push(50)
	if n := len(heard); n < 50 || heard[0] != vad.Onset || heard[n-1] != vad.End {
		t.Errorf("%v", heard)
	}
}
