package daemon

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/audio"
	"hearthd/config"
	"hearthd/llm/llmtest"
	"hearthd/vad"
	"hearthd/vad/wake"
)

// steady is a detector that always says the same.
type steady float32

func (steady) FrameSamples() int             { return audio.FrameSamples }
func (s steady) Probability([]int16) float32 { return float32(s) }
func (steady) Reset()                        {}

func TestDetectorThatCannotBeHadIsReplacedByTheBuiltInOne(t *testing.T) {
	l := config.Default().Listen
	if s := newSense(&l, builtIn); s.detector == nil || s.instead != nil || s.blind != nil || s.text(true) != "" {
		t.Errorf("%+v", s)
	}
	l.Detector, l.Silero = "silero", filepath.Join(t.TempDir(), "none.onnx")
	if s := newSense(&l, builtIn); s.detector == nil || s.blind != nil || !strings.HasPrefix(s.text(true), "The built-in detector listens instead: ") {
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
	l := config.Default().Listen
	l.Detector, l.Silero = "silero", filepath.Join(t.TempDir(), "none.onnx")
	s := newSense(&l, func() (vad.Detector, error) { return nil, broken })
	if s.detector != nil || !errors.Is(s.blind, broken) {
		t.Fatalf("%+v", s)
	}
	for cloud, says := range map[bool]string{true: "the responder hears where it ends", false: "which lasts eight seconds"} {
		if text := s.text(cloud); !strings.Contains(text, says) || !strings.Contains(text, "it is damaged") || !strings.Contains(text, "none.onnx") {
			t.Errorf("%q", text)
		}
	}
	c := config.Default()
	var heard []vad.Kind
	e, err := newEars(&c, earsOptions{
		StateDir: t.TempDir(), Sense: s,
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
			e.front.Push(&f, nil, at)
			at += audio.FrameSamples
		}
	}
	push(500)
	if len(heard) > 0 || e.fullDuplex() {
		t.Errorf("%v before anybody asked", heard)
	}
	e.front.Anew()
	push(50)
	e.front.EndAfter(1, 0)
	push(50)
	if n := len(heard); n < 50 || heard[0] != vad.Onset || heard[n-1] != vad.End {
		t.Errorf("%v", heard)
	}
}

func TestHouseMayChooseThatTheServiceHearsTheEndOfARequest(t *testing.T) {
	for _, kind := range []string{"semantic_vad", "server_vad"} {
		cloud := llmtest.NewRealtime(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer { return llmtest.RealtimeAnswer{Text: "Yes."} })
		cloud.Detects()
		p := newParlour(t, cloud, llmtest.NewOllama(t, "small", nil), func(c *config.Config) {
			c.Listen.Detector, c.Wake.Engine, c.Responder.Detection = "none", "button", kind
			if problems := c.Validate(); len(problems) > 0 {
				t.Fatal(problems)
			}
		})
		p.until("session", func() bool {
			p.d.reloads.house.cloud.own.Prepare() // it does not wait for the client to begin
			return len(p.sent("session.update")) > 0
		})
		input := p.sent("session.update")[0]["session"].(map[string]any)["audio"].(map[string]any)["input"].(map[string]any)
		want := map[string]any{"type": kind, "create_response": false, "interrupt_response": false}
		if diff := cmp.Diff(want, input["turn_detection"]); diff != "" {
			t.Error(diff)
		}
		for _, c := range p.d.conditions.List() {
			if c.Code == "detector" {
				t.Errorf("what was chosen is told as a fault: %+v", c)
			}
		}
	}
}

func TestPhraseAndHearingARecordingWantADetector(t *testing.T) {
	c := config.Default()
	c.Listen.Detector = "none"
	if problems := c.Validate(); len(problems) != 1 || problems[0].Key != "wake.engine" {
		t.Errorf("%v", problems)
	}
	if _, err := newEars(&c, earsOptions{StateDir: t.TempDir()}); !errors.Is(err, errNoDetector) {
		t.Errorf("%v", err)
	}
}
