package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"hearthd/rigs/llmtest"
)

// lively is a kitchen with GPT-Live and a thinker, and the settings that lead to them.
func lively(t *testing.T, answer func(llmtest.LiveTurn) llmtest.LiveAnswer) (*kitchen, *llmtest.Live, []string) {
	t.Helper()
	cloud := llmtest.NewLive(t, answer)
	cloud.WantKey("sesame")
	ollama := llmtest.NewOllama(t, model, func(llmtest.OllamaRequest) []llmtest.OllamaChunk {
		return llmtest.OllamaSay("The house knows it.")
	})
	stt := llmtest.NewWyoming(t, llmtest.WyomingScript{Transcript: "Hey hearth, why do people bake bread?"})
	k := newKitchen(t, "HEARTHD_WAKE_FOLLOW_UP=0s")
	key := filepath.Join(k.dir, "key")
	check(t, os.WriteFile(key, []byte("sesame\n"), 0o600))
	env := append(ears(stt.Address), minds(strings.TrimPrefix(ollama.URL, "http://"))...)
	env = append(env, "HEARTHD_RESPONDER_URL="+cloud.URL, "HEARTHD_RESPONDER_KEY=file:"+key,
		"HEARTHD_RESPONDER_PROTOCOL=live", "HEARTHD_RESPONDER_MODEL=gpt-live-1.1")
	t.Cleanup(func() {
		if v := cloud.Violations(); len(v) > 0 {
			t.Errorf("the daemon broke the rules of the protocol:\n%s", strings.Join(v, "\n"))
		}
	})
	return k, cloud, env
}

func TestConversationWithGPTLiveAndADelegationThatTheThinkerAnswers(t *testing.T) {
	var turns atomic.Int32
	k, cloud, env := lively(t, func(turn llmtest.LiveTurn) llmtest.LiveAnswer {
		switch {
		case len(turn.Commentary) > 0:
			return llmtest.LiveAnswer{Text: "They say: " + turn.Commentary[0]}
		case !turn.Heard:
			return llmtest.LiveAnswer{}
		case turns.Add(1) == 1:
			return llmtest.LiveAnswer{Text: cloudAnswer, Heard: "What is bread?"}
		}
		return llmtest.LiveAnswer{Text: "Let me ask.", Heard: "And why do people bake it?", Delegates: 1}
	})
	k.begin(env...)
	from := k.played()
	doc := k.wonders()
	if doc.Route != "cloud" || doc.Outcome != "answered" || doc.Answer != cloudAnswer || doc.Transcript != "What is bread?" || doc.Cost <= 0 {
		t.Errorf("%+v", doc)
	}
	k.audible(from)
	t.Logf("first sound %d ms after the end of speech", doc.Stages.FirstSound)
	from = k.played()
	doc = k.wonders()
	if doc.Route != "cloud" || doc.Outcome != "answered" || doc.Answer != "Let me ask. They say: The house knows it." ||
		doc.Transcript != "And why do people bake it?" || len(doc.Tools) != 1 || doc.Tools[0].Tool != "route_to_thinker" {
		t.Errorf("%+v", doc)
	}
	k.audible(from)
	k.await("the end of an idle session", func(Status) bool { _, open := cloud.Sessions(); return open == 0 })
	if all, _ := cloud.Sessions(); all != 1 {
		t.Errorf("%d sessions", all)
	}
	if status, stdout, stderr := k.ctl(t, "cost"); status != 0 || !strings.Contains(stdout, "USD") {
		t.Errorf("cost: %d %q %q", status, stdout, stderr)
	}
}

func TestGPTLiveThatIsLostIsAnsweredHere(t *testing.T) {
	for name, how := range map[string]llmtest.LiveAnswer{"lost": {Lose: true}, "closed": {Close: "content"}, "silent": {}} {
		t.Run(name, func(t *testing.T) {
			k, _, env := lively(t, func(llmtest.LiveTurn) llmtest.LiveAnswer { return how })
			k.begin(env...)
			from := k.played()
			doc := k.wonders()
			if doc.Route != "local" || doc.Outcome != "answered" || doc.Answer != "The house knows it." {
				t.Errorf("%+v", doc)
			}
			if got := k.routes(doc.ID); !slices.Equal(got, []string{"cloud", "local"}) {
				t.Errorf("routes %v", got)
			}
			k.audible(from)
		})
	}
}

// It hears the person only once it is certain that they speak to the box; it is silenced at once, and told what
// was heard.
func TestGPTLiveIsInterrupted(t *testing.T) {
	var turns atomic.Int32
	k, cloud, env := lively(t, func(turn llmtest.LiveTurn) llmtest.LiveAnswer {
		switch {
		case !turn.Heard:
			return llmtest.LiveAnswer{}
		case turns.Add(1) == 1:
			return llmtest.LiveAnswer{Text: strings.Repeat("and so on ", 40), Heard: "What is bread?"}
		}
		return llmtest.LiveAnswer{Text: "They like it.", Heard: "And why do they?"}
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
	var told []string
	for _, raw := range cloud.Events() {
		if s := string(raw); strings.Contains(s, `"delegation_id"`) {
			told = append(told, s)
		}
	}
	if all := strings.Join(told, "\n"); len(told) != 2 || !strings.Contains(all, "Stop speaking") || !strings.Contains(all, "has heard only this: and so") {
		t.Errorf("told %s", all)
	}
}
