package server

import (
	"slices"
	"strings"
	"testing"

	"hearthd/llm/tts"
	"hearthd/llm/wyoming"
)

func TestVoiceSpeaksSentenceBySentence(t *testing.T) {
	e := &engines{}
	address, _ := start(t, e, DefaultLimits())
	w, err := tts.NewWyoming(tts.WyomingOptions{Address: address, Voice: "mouth/b"})
	if err != nil {
		t.Fatal(err)
	}
	samples := 0
	for c, err := range w.Speak(t.Context(), "It is 3.5 degrees. Dr. Low says: stay in!") {
		if err != nil {
			t.Fatal(err)
		}
		if samples += len(c.Samples); c.Rate != 22050 {
			t.Errorf("rate %d", c.Rate)
		}
	}
	want := []string{"It is 3.5 degrees.1", "Dr. Low says: stay in!1"}
	if !slices.Equal(e.said, want) || samples != len(want[0])+len(want[1])-2 {
		t.Errorf("said %q, %d samples", e.said, samples)
	}
}

func TestTextThatStreamsIsSpokenBeforeItsEnd(t *testing.T) {
	e := &engines{}
	address, _ := start(t, e, DefaultLimits())
	c := dial(t, address)
	send(t, c, wyoming.SynthesizeStart, wyoming.Speech{})
	send(t, c, wyoming.SynthesizeChunk, wyoming.Text{Text: "The first sent"})
	send(t, c, wyoming.SynthesizeChunk, wyoming.Text{Text: "ence. And the sec"})
	for _, want := range []string{wyoming.AudioStart, wyoming.AudioChunk} {
		if got, _ := next(t, c); got.Type != want {
			t.Errorf("got %s, want %s", got.Type, want)
		}
	}
	send(t, c, wyoming.SynthesizeChunk, wyoming.Text{Text: "ond"})
	send(t, c, wyoming.Synthesize, wyoming.Speech{Text: "The first sentence. And the second"})
	send(t, c, wyoming.SynthesizeStop, nil)
	for _, want := range []string{wyoming.AudioChunk, wyoming.AudioStop, wyoming.SynthesizeStopped} {
		if got, _ := next(t, c); got.Type != want {
			t.Errorf("got %s, want %s", got.Type, want)
		}
	}
	if want := []string{"The first sentence.0", "And the second0"}; !slices.Equal(e.said, want) {
		t.Errorf("said %q", e.said)
	}
}

func TestLongTextIsCutAtSpaces(t *testing.T) {
	words := strings.Repeat("word ", 100)
	for rest := words; rest != ""; {
		n := sentence(rest)
		if n == 0 {
			break
		}
		if n > maxSentence+1 || rest[n-1] != ' ' {
			t.Fatalf("cut at %d, %q", n, rest[n-1])
		}
		rest = rest[n:]
	}
	if n := sentence(strings.Repeat("ß", 200)); n == 0 || n > maxSentence+2 || n%2 != 0 {
		t.Errorf("a text without spaces is cut at %d", n)
	}
}
