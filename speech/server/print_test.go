package server

import (
	"errors"
	"slices"
	"testing"

	"hearthd/audio"
	"hearthd/llm/wyoming"
)

// printOf sends an utterance, and gives what the server answers.
func printOf(t *testing.T, address string, f wyoming.Format, samples []byte) (p wyoming.Print, refused string) {
	t.Helper()
	c := dial(t, address)
	if err := c.Send(t.Context(), f.Event(wyoming.VoicePrint, samples)); err != nil {
		t.Fatal(err)
	}
	e, text := next(t, c)
	if e.Type == wyoming.Error {
		return p, text
	}
	if err := e.Decode(&p); err != nil || e.Type != wyoming.VoicePrint {
		t.Fatal(e.Type, err)
	}
	return p, ""
}

func TestUtteranceIsAnsweredWithThePrintOfItsVoice(t *testing.T) {
	e := &engines{}
	address, _ := start(t, e, DefaultLimits())
	p, refused := printOf(t, address, wyoming.FrameFormat(), []byte{1, 2, 3, 4})
	if refused != "" || p.Model != "eye" || p.Likely != 0.7 || !slices.Equal(p.Print, []float32{2, 0x201}) {
		t.Errorf("%+v %q", p, refused)
	}
	if p, refused := printOf(t, address, wyoming.FrameFormat(), nil); refused != "" || len(p.Print) > 0 {
		t.Errorf("of nothing: %+v %q", p, refused)
	}
	if _, refused := printOf(t, address, wyoming.Format{Rate: 8000, Width: 2, Channels: 1}, nil); refused == "" {
		t.Error("8 kHz is taken")
	}
	if _, refused := printOf(t, address, wyoming.FrameFormat(), make([]byte, 30*2*audio.Rate)); refused == "" {
		t.Error("half a minute is taken")
	}
	e.fails = errors.New("secret of the engine")
	if _, refused := printOf(t, address, wyoming.FrameFormat(), []byte{1, 2}); refused != "the engine failed" {
		t.Errorf("a failing engine: %q", refused)
	}
}
