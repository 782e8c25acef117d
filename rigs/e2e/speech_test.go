package e2e

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"hearthd/rigs/llmtest"
)

// tone is seconds of a loud hum at rate, as Wyoming servers send it.
func tone(seconds float64, rate int) [][]byte {
	var chunks [][]byte
	total := int(seconds * float64(rate))
	for at := 0; at < total; {
		n := min(1024, total-at)
		b := make([]byte, 2*n)
		for i := range n {
			v := int16(12000 * math.Sin(2*math.Pi*220*float64(at+i)/float64(rate)))
			b[2*i], b[2*i+1] = byte(v), byte(v>>8)
		}
		chunks = append(chunks, b)
		at += n
	}
	return chunks
}

// ears makes hearthd hear through a Wyoming server.
func ears(address string) []string {
	return []string{"HEARTHD_STT_ENGINE=wyoming", "HEARTHD_STT_WYOMING_ADDRESS=" + address}
}

// mouth makes hearthd speak through a Wyoming server.
func mouth(address string) []string {
	return []string{"HEARTHD_TTS_ENGINE=wyoming", "HEARTHD_TTS_WYOMING_ADDRESS=" + address, "HEARTHD_TTS_VOICE="}
}

func TestVoiceServersHearWhileThePersonSpeaksAndSpeakTheAnswer(t *testing.T) {
	stt := llmtest.NewWyoming(t, llmtest.WyomingScript{Transcript: "Hey hearth, set a timer for nine minutes."})
	voice := llmtest.NewWyoming(t, llmtest.WyomingScript{Rate: 22050, Speech: tone(0.5, 22050)})
	wire := newTap(t, stt.Address)
	k := newKitchen(t, append(ears(wire.Address), mouth(voice.Address)...)...)
	k.begin()

	from := k.played()
	spoken := make(chan struct{})
	go func() {
		defer close(spoken)
		k.say("Hey hearth, this is a very long sentence, and it goes on and on without an end.")
	}()
	k.event("onset", func(h happening) bool { return h.Type == "speech_started" })
	ended := func(h happening) bool { return h.Type == "speech_ended" }
	for wire.bytes.Load() < 40_000 { // more than a second of 16 kHz
		if k.diary.has(ended) {
			t.Fatalf("the utterance ended, and the server was given %d bytes", wire.bytes.Load())
		}
		k.advances()
	}
	<-spoken
	doc := k.turn("voice")
	if doc.Outcome != "answered" || doc.Intent != "timer_set" || !strings.Contains(doc.Transcript, "nine minutes") {
		t.Errorf("%+v", doc)
	}
	k.audible(from)
	asked := voice.Requests()
	if len(asked) != 1 || fmt.Sprint(asked[0].Data["text"]) != doc.Answer {
		t.Errorf("the voice server was asked %+v, the answer is %q", asked, doc.Answer)
	}
}

func TestBuiltInVoiceTakesOverFromAVoiceServer(t *testing.T) {
	voice := llmtest.NewWyoming(t, llmtest.WyomingScript{Rate: 22050, Speech: tone(0.5, 22050)})
	wire := newTap(t, "")
	k := newKitchen(t, mouth(wire.Address)...)
	k.begin()
	from := k.played()
	if doc := k.ask("what time is it"); doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}
	k.audible(from)
	k.condition("voice", true)
	wire.turn(voice.Address)
	k.ask("what time is it")
	k.condition("voice", false)
	if len(voice.Requests()) != 1 {
		t.Errorf("the voice server was asked %d times", len(voice.Requests()))
	}
}

func TestHostileRecogniserIsApologisedForAndForgiven(t *testing.T) {
	good := llmtest.NewWyoming(t, llmtest.WyomingScript{Transcript: "what time is it"})
	wire := newTap(t, good.Address)
	voice := llmtest.NewWyoming(t, llmtest.WyomingScript{Rate: 22050, Speech: tone(0.3, 22050)}) // to be brief
	k := newKitchen(t, append(append(ears(wire.Address), mouth(voice.Address)...), "HEARTHD_WAKE_FOLLOW_UP=0s")...)
	k.begin()
	press := func(sentence string) {
		k.post("/v1/listen", struct{}{})
		k.moves("listening")
		k.say(sentence)
	}
	for _, fault := range []struct {
		name  string
		fault llmtest.WyomingFault
	}{
		{"endless line", llmtest.WyomingEndlessLine},
		{"negative length", llmtest.WyomingNegativeLength},
		{"silence", llmtest.WyomingSilent},
		{"hanging up", llmtest.WyomingCloses},
	} {
		t.Log(fault.name)
		wire.turn(llmtest.NewWyoming(t, llmtest.WyomingScript{Fault: fault.fault}).Address)
		press("What time is it?")
		k.event("the utterance fails", func(h happening) bool { return h.Type == "ignored" && h.Reason == "recogniser_failed" })
		if doc := k.turn("announcement"); !strings.Contains(doc.Answer, "speech recognition is not working") {
			t.Errorf("%s: %+v", fault.name, doc)
		}
		if s := k.status(); !s.Has("recogniser") || s.State != "idle" {
			t.Errorf("%s: %+v", fault.name, s)
		}
		wire.turn(good.Address)
		press("What time is it?")
		if doc := k.turn("voice"); doc.Outcome != "answered" || doc.WokenBy != "button" || doc.Intent != "time_now" {
			t.Errorf("after %s: %+v", fault.name, doc)
		}
		if s := k.status(); s.Has("recogniser") {
			t.Errorf("after %s the condition stays", fault.name)
		}
	}
}
