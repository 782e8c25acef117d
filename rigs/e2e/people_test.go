package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hearthd/audio"
	"hearthd/rigs/llmtest"
	"hearthd/rigs/speechtest"
	"hearthd/rigs/testcard"
)

// BenchmarkDeclaredSentencesOfPeople says how often recorded people have the one of their own sentences carried out
// that they said, how often the built-in recogniser took over from a real Whisper, and how long that took.
func BenchmarkDeclaredSentencesOfPeople(b *testing.B) {
	const most = 40
	list := speechtest.People(b)
	speechtest.Folder(b, speechtest.Whisper)
	server, hearer := newSpeechServer(b)
	server.start()
	voice := llmtest.NewWyoming(b, llmtest.WyomingScript{Rate: 22050, Speech: tone(0.3, 22050)}) // to be brief
	env := append(ears(server.address()), "HEARTHD_STT_WYOMING_MODEL="+hearer, "HEARTHD_WAKE_FOLLOW_UP=0s")
	k := newKitchen(b, append(env, mouth(voice.Address)...)...)
	check(b, os.Mkdir(filepath.Join(k.dir, "tools.d"), 0o700))
	for i, s := range list {
		check(b, os.WriteFile(filepath.Join(k.dir, "tools.d", fmt.Sprintf("own_%d.yaml", i)), fmt.Appendf(nil,
			"name: own_%d\ndescription: Does it.\nparameters: {type: object}\ncommand: [echo, Done.]\ntriggers: [%q]\n",
			i, s.Text), 0o600))
	}
	k.begin()
	count := map[string]int{"right": 0, "wrong": 0, "nothing": 0, "taken-over": 0, "taken-over-right": 0}
	var took sample
	for b.Loop() {
		for n := range most {
			i := n * len(list) / most
			doc := k.reads(list[i].Path)
			became := "nothing" // a question back does nothing either
			if doc.Intent == fmt.Sprintf("declared_own_%d", i) {
				became = "right"
				took = append(took, float64(doc.Stages.FirstSound))
			} else if len(doc.Tools) > 0 {
				became = "wrong"
			}
			count[became]++
			// The condition stands where the server was late, and is left alone since.
			s := k.status()
			if s.Has("recogniser") && doc.HeardBy == "pocketsphinx" {
				count["taken-over"]++
				if became == "right" {
					count["taken-over-right"]++
				}
			}
			b.Logf("%s: %q, %q by %q, %s, %+v, %v", became, list[i].Text, doc.Transcript, doc.HeardBy, doc.Intent,
				doc.Stages, s.Conditions)
		}
	}
	if len(took) == 0 {
		b.Fatal("nobody is understood")
	}
	b.ReportMetric(0, "ns/op")
	for what, n := range count {
		b.ReportMetric(float64(n), what)
	}
	took.report(b, "first-sound", "ms")
}

// reads opens a window by hand and plays a recording: the turn that comes of it, or none.
func (k *kitchen) reads(path string) (doc Turn) {
	k.t.Helper()
	c, err := audio.ReadWAV(path, audio.WAVOptions{})
	check(k.t, err)
	conv, err := audio.NewResampler(c.Rate, testcard.Rate)
	check(k.t, err)
	k.press()
	ctx, cancel := context.WithTimeout(k.t.Context(), patience)
	defer cancel()
	check(k.t, k.room.Speak(ctx, conv.Flush(conv.Process(nil, c.Samples))))
	k.event("the end of the window", func(h happening) bool { // with a pause in it, it is two utterances
		if h.Type == "turn" && json.Unmarshal(h.raw, &doc) != nil {
			return false
		}
		return h.Type == "state" && h.To == "idle"
	})
	return doc
}
