package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/rigs/llmtest"
	"hearthd/rigs/testcard"
)

// cloudAnswer is what the responder of these tests says.
const cloudAnswer = "Bread is baked dough, and dough is flour and water."

// cloudy is a kitchen with a responder and a thinker, whose answers can be told
// apart, and the settings that lead to them.
func cloudy(t testing.TB, answer func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer) (*kitchen, *llmtest.Realtime, []string) {
	t.Helper()
	cloud := llmtest.NewRealtime(t, answer)
	cloud.WantKey("sesame")
	ollama := llmtest.NewOllama(t, model, func(llmtest.OllamaRequest) []llmtest.OllamaChunk { return llmtest.OllamaSay("At home.") })
	stt := llmtest.NewWyoming(t, llmtest.WyomingScript{Transcript: "Hey hearth, why do people bake bread?"})
	k := newKitchen(t, "HEARTHD_WAKE_FOLLOW_UP=0s")
	key := filepath.Join(k.dir, "key")
	check(t, os.WriteFile(key, []byte("sesame\n"), 0o600))
	env := append(ears(stt.Address), minds(strings.TrimPrefix(ollama.URL, "http://"))...)
	env = append(env, "HEARTHD_RESPONDER_URL="+cloud.URL, "HEARTHD_RESPONDER_KEY=file:"+key)
	t.Cleanup(func() {
		if v := cloud.Violations(); len(v) > 0 {
			t.Errorf("the daemon broke the rules of the protocol:\n%s", strings.Join(v, "\n"))
		}
		if log, err := os.ReadFile(k.LogPath()); err != nil || strings.Contains(string(log), "sesame") {
			t.Errorf("the key is in the log, or %v", err)
		}
	})
	return k, cloud, env
}

func answers(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
	return llmtest.RealtimeAnswer{Text: cloudAnswer, Heard: "What is bread?", Paced: true}
}

// wonders opens a window as a button does, and asks what no intent covers.
func (k *kitchen) wonders() Turn {
	k.t.Helper()
	return k.heeds(func() {
		k.post("/v1/listen", struct{}{})
		k.say("Why do the people bake their bread?")
	})
}

// routes are the routes that the turn took.
func (k *kitchen) routes(turn uint64) (list []string) {
	k.diary.mu.Lock()
	defer k.diary.mu.Unlock()
	for _, h := range k.diary.all {
		if h.Type == "routed" && h.Turn == turn {
			list = append(list, h.Route)
		}
	}
	return list
}

// sentTypes are the types of what a server was sent, each once.
func sentTypes(cloud *llmtest.Realtime) (list []string) {
	for _, raw := range cloud.Events() {
		var e struct{ Type string }
		if json.Unmarshal(raw, &e) == nil && !slices.Contains(list, e.Type) {
			list = append(list, e.Type)
		}
	}
	return list
}

func TestResponderAnswersASpokenQuestion(t *testing.T) {
	k, cloud, env := cloudy(t, answers)
	k.begin(env...)
	from := k.played()
	doc := k.wonders()
	if doc.Route != "cloud" || doc.Outcome != "answered" || doc.Answer != cloudAnswer || doc.Transcript != "What is bread?" || doc.Cost <= 0 {
		t.Errorf("%+v", doc)
	}
	k.audible(from)
	want := []string{"session.update", "input_audio_buffer.append", "input_audio_buffer.commit", "response.create"}
	if got := sentTypes(cloud); !slices.Equal(got, want) {
		t.Errorf("sent %v, want %v", got, want)
	}
	k.await("the end of an idle session", func(Status) bool { _, open := cloud.Sessions(); return open == 0 })
	if status, stdout, stderr := k.ctl(t, "cost"); status != 0 || !strings.Contains(stdout, "USD") {
		t.Errorf("cost: %d %q %q", status, stdout, stderr)
	}
	// The thinker goes on in the same conversation.
	if doc := k.ask("Why do they like it so much?"); doc.Route != "local" || doc.Answer != "At home." {
		t.Errorf("%+v", doc)
	}
}

// The built-in recogniser knows no such question, so that the phrase comes first.
func TestNothingIsSentBeforeTheWakePhrase(t *testing.T) {
	k, cloud, env := cloudy(t, answers)
	k.begin(append(env, "HEARTHD_STT_ENGINE=pocketsphinx")...)
	k.say("Why do the people bake their bread?")
	k.event("speech that is not for the box", func(h happening) bool { return h.Type == "ignored" && h.Reason == "not_addressed" })
	if all, _ := cloud.Sessions(); all != 0 || len(cloud.Events()) != 0 {
		t.Errorf("%d sessions, sent %v", all, sentTypes(cloud))
	}
	k.tellsTime() // covered by an intent, in a window that nobody opened by hand
	if all, _ := cloud.Sessions(); all != 0 {
		t.Errorf("%d sessions for an intent", all)
	}
	k.moves("idle")
	k.calls()
	k.say("Why do the people bake their bread?")
	if doc := k.turn("voice"); doc.Route != "cloud" || doc.Answer != cloudAnswer || doc.WokenBy != "phrase" {
		t.Errorf("%+v", doc)
	}
}

func TestMutingInTheMiddleOfARequestEndsIt(t *testing.T) {
	k, cloud, env := cloudy(t, answers)
	k.begin(append(env, "HEARTHD_STT_ENGINE=pocketsphinx")...)
	k.post("/v1/listen", struct{}{})
	sound, spoken := k.synthesise("Why do the people bake their bread, and what else do they do?"), make(chan error, 1)
	go func() { spoken <- k.room.Speak(t.Context(), sound) }()
	k.await("the first sound at the cloud", func(Status) bool { return slices.Contains(sentTypes(cloud), "input_audio_buffer.append") })
	k.post("/v1/mute", map[string]bool{"muted": true})
	k.await("the end of it", func(Status) bool { return slices.Contains(sentTypes(cloud), "input_audio_buffer.clear") })
	sent := len(cloud.Events())
	k.post("/v1/mute", map[string]bool{"muted": false}) // the rest of it falls into no window
	check(t, <-spoken)
	k.hears(make([]int16, 2*testcard.Rate))
	if n := len(cloud.Events()); n != sent {
		t.Errorf("%d events more: %v", n-sent, sentTypes(cloud))
	}
}

func TestCloudLostInAnyPhaseIsAnsweredHere(t *testing.T) {
	for _, c := range []struct {
		name  string
		phase llmtest.RealtimePhase
		heard bool // something of the answer was
	}{
		{"dial", llmtest.RealtimeAtDial, false}, {"update", llmtest.RealtimeAtUpdate, false}, {"audio", llmtest.RealtimeAtAudio, false},
		{"commit", llmtest.RealtimeAtCommit, false}, {"create", llmtest.RealtimeAtCreate, false}, {"created", llmtest.RealtimeAtCreated, false},
		{"speech", llmtest.RealtimeAtSpeech, true}, {"done", llmtest.RealtimeAtDone, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, cloud, env := cloudy(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
				return llmtest.RealtimeAnswer{Text: "Bread is baked dough.", Lose: c.phase}
			})
			cloud.LoseAt(c.phase)
			k.begin(env...)
			from := k.played()
			doc := k.heard("Hey hearth, why do the people bake their bread?")
			switch {
			case c.phase == llmtest.RealtimeAtDone: // all that a person hears was there
				if doc.Route != "cloud" || doc.Outcome != "answered" || doc.Reason != "" || doc.Answer != "Bread is baked dough." {
					t.Errorf("%+v", doc)
				}
			case c.heard:
				if doc.Route != "cloud" || doc.Reason != "cloud_lost" || !strings.HasSuffix(doc.Answer, "that was not all of it.") {
					t.Errorf("%+v", doc)
				}
			default:
				if doc.Route != "local" || doc.Outcome != "answered" || doc.Answer != "At home." {
					t.Errorf("%+v", doc)
				}
				if got := k.routes(doc.ID); !slices.Equal(got, []string{"cloud", "local"}) {
					t.Errorf("routes %v", got)
				}
			}
			k.audible(from)
			t.Logf("first sound %d ms after the end of speech, transcript after %d", doc.Stages.FirstSound, doc.Stages.Endpoint+doc.Stages.STT)
		})
	}
}

func TestRefusedResponderIsNotAskedAgainAndProbed(t *testing.T) {
	for _, status := range []int{401, 429, 500} {
		k, cloud, env := cloudy(t, answers)
		cloud.Refuse(status)
		k.begin(env...)
		doc := k.wonders()
		if doc.Route != "local" || doc.Outcome != "answered" {
			t.Errorf("%d: %+v", status, doc)
		}
		k.await("the condition", func(s Status) bool { return s.Has("responder") && s.State == "idle" })
		doc = k.wonders()
		if got := k.routes(doc.ID); doc.Answer != "At home." || !slices.Equal(got, []string{"local"}) {
			t.Errorf("%d: routes %v, %+v", status, got, doc)
		}
		if status != 500 {
			continue // such a refusal is not looked at again for minutes
		}
		cloud.Refuse(0)
		k.await("the end of the condition", func(s Status) bool { return !s.Has("responder") && s.State == "idle" })
		if doc := k.wonders(); doc.Route != "cloud" {
			t.Errorf("after it came back: %+v", doc)
		}
	}
}

func TestSpentBudgetIsToldOnceAndTheHouseAnswers(t *testing.T) {
	k, cloud, env := cloudy(t, answers)
	k.begin(append(env, "HEARTHD_RESPONDER_DAILY=0.001")...)
	if doc := k.wonders(); doc.Route != "cloud" {
		t.Errorf("%+v", doc)
	}
	for _, want := range []string{"My budget for the cloud is spent, so I answer by myself for now. At home.", "At home."} {
		k.moves("idle")
		if doc := k.wonders(); doc.Route != "local" || doc.Answer != want {
			t.Errorf("%+v", doc)
		}
	}
	if s := k.status(); !s.Has("budget") {
		t.Errorf("%+v", s.Conditions)
	}
	if all, _ := cloud.Sessions(); all != 1 {
		t.Errorf("%d sessions", all)
	}
}

func TestResponderIsInterrupted(t *testing.T) {
	k, cloud, env := cloudy(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if turn.N > 1 {
			return llmtest.RealtimeAnswer{Text: "They like it."}
		}
		return llmtest.RealtimeAnswer{Text: strings.Repeat("and so on ", 40)}
	})
	k.begin(append(env, "HEARTHD_AUDIO_AEC=device")...)
	k.post("/v1/listen", struct{}{})
	k.say("Why do the people bake their bread?")
	k.moves("speaking")
	k.say("But why do the neighbours bake it?")
	if doc := k.turn("voice"); doc.Outcome != "interrupted" || doc.Route != "cloud" {
		t.Errorf("%+v", doc)
	}
	if doc := k.turn("voice"); doc.Answer != "They like it." || doc.Route != "cloud" || doc.WokenBy != "barge_in" {
		t.Errorf("%+v", doc)
	}
	end := time.Now().Add(patience)
	for !slices.Contains(sentTypes(cloud), "conversation.item.truncate") && time.Now().Before(end) {
		<-time.After(10 * time.Millisecond)
	}
	if got := sentTypes(cloud); !slices.Contains(got, "conversation.item.truncate") {
		t.Errorf("sent %v", got)
	}
}
