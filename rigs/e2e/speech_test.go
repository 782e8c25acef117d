package e2e

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

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

func TestHostileRecogniserIsReplacedAtOnceAndForgiven(t *testing.T) {
	// The server is left alone for so long after it failed, as engines has it.
	const leftAlone = 15 * time.Second
	for name, fault := range map[string]llmtest.WyomingFault{
		"endless line":    llmtest.WyomingEndlessLine,
		"negative length": llmtest.WyomingNegativeLength,
		"silence":         llmtest.WyomingSilent,
		"hanging up":      llmtest.WyomingCloses,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wire := newTap(t, llmtest.NewWyoming(t, llmtest.WyomingScript{Fault: fault}).Address)
			voice := llmtest.NewWyoming(t, llmtest.WyomingScript{Rate: 22050, Speech: tone(0.3, 22050)}) // to be brief
			k := newKitchen(t, append(append(ears(wire.Address), mouth(voice.Address)...), "HEARTHD_WAKE_FOLLOW_UP=0s")...)
			k.begin()
			press := func(sentence string) {
				k.post("/v1/listen", struct{}{})
				k.moves("listening")
				k.say(sentence)
			}
			// The built-in recogniser knows no such sentence, and waits for what the server makes of it.
			const unknown = "The neighbours painted their old fence yesterday."
			if doc := k.heeds(func() { press("What time is it?") }); doc.Outcome != "answered" || doc.Intent != "time_now" || doc.HeardBy != "pocketsphinx" {
				t.Errorf("%+v", doc)
			}
			k.await("an idle box", func(s Status) bool { return s.State == "idle" })
			if s := k.status(); !s.Has("recogniser") { // the built-in one was certain, and nobody waited for the server
				press(unknown)
			}
			k.await("the condition that names the engine", func(s Status) bool {
				return s.State == "idle" && slices.ContainsFunc(s.Conditions, func(c Condition) bool {
					return c.Code == "recogniser" && strings.Contains(c.Text, "(wyoming) does not work; the built-in recogniser hears")
				})
			})

			wire.turn(llmtest.NewWyoming(t, llmtest.WyomingScript{Transcript: "what time is it"}).Address)
			time.Sleep(leftAlone)
			if doc := k.heeds(func() { press(unknown) }); doc.Outcome != "answered" || doc.WokenBy != "button" || doc.Intent != "time_now" || doc.HeardBy != "wyoming" {
				t.Errorf("afterwards: %+v", doc)
			}
			if s := k.status(); s.Has("recogniser") {
				t.Error("the condition stays")
			}
		})
	}
}
