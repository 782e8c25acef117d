package daemon

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/audio"
	"hearthd/config"
	"hearthd/daemon/event"
	"hearthd/daemon/state"
	"hearthd/llm"
	"hearthd/memory"
	"hearthd/rigs/llmtest"
	"hearthd/systemd"
	"hearthd/vad"
)

// parlour is a daemon as its configuration makes it, but for the sound card and the
// detector, which are the test's. Its responder, its thinker and its recogniser are
// servers of llmtest.
type parlour struct {
	*testing.T
	d       *Daemon
	cloud   *llmtest.Realtime
	sub     *event.Subscription
	sounded atomic.Int64 // samples that were heard
	still   atomic.Bool  // the card plays nothing
	asked   uint64       // utterances
}

const (
	parlourBlock = 10 * time.Millisecond
	// parlourLetter is how long the responder speaks each letter.
	parlourLetter = 50 * time.Millisecond
	parlourHeard  = "Why do people bake bread?" // by the recogniser
	parlourQuiet  = 100                         // in which a tone is for one sample in fifty
	parlourLimit  = time.Minute                 // longer than anything takes here
)

func newParlour(t *testing.T, cloud *llmtest.Realtime, ollama *llmtest.Ollama,
	change ...func(*config.Config)) *parlour {
	t.Helper()
	cloud.WantKey("sesame")
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("sesame"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.Responder.URL, cfg.Responder.Key = cloud.URL, config.Secret("file:"+key)
	cfg.Thinker.URL, cfg.Thinker.Model, cfg.Thinker.Dir, cfg.Thinker.Prompts = ollama.URL, "small", t.TempDir(),
		t.TempDir()
	cfg.STT.Engine, cfg.STT.Wyoming.Address = "wyoming", llmtest.NewWyoming(t,
		llmtest.WyomingScript{Transcript: parlourHeard}).Address
	cfg.Wake.Chime, cfg.Memory.Reflect, cfg.MQTT.Broker, cfg.Tools.Dir, cfg.Log.Transcripts = false, false, "off",
		t.TempDir(), true
	for _, f := range change {
		f(&cfg)
	}
	d, err := New(Options{
		Config: cfg, StateDir: t.TempDir(), RuntimeDir: t.TempDir(), Log: slog.New(slog.DiscardHandler),
		Notifier: systemd.NewNotifier(""),
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &parlour{T: t, d: d, cloud: cloud, sub: d.bus.Subscribe("test", 10000)}
	p.run()
	return p
}

// run starts what has to do with turns.
func (p *parlour) run() {
	p.Helper()
	socket, err := net.Listen("tcp", "127.0.0.1:0") // of a control API that is not run
	if err != nil {
		p.Fatal(err)
	}
	ctx, end := context.WithCancelCause(context.Background())
	p.d.end = end
	if p.d.folder, err = state.Hold(p.d.opt.StateDir, p.d.log); err != nil {
		p.Fatal(err)
	}
	parts, err := p.d.build(ctx, socket)
	if err != nil {
		p.Fatal(err)
	}
	var running sync.WaitGroup
	for _, part := range parts {
		if slices.Contains([]string{"journal", "timeline", "memory", "tools", "dialogue", "thinker", "reflection",
			"costs", "responder", "home assistant"}, part.Name) {
			running.Go(func() {
				if err := part.Run(ctx); err != nil {
					p.Errorf("%s: %v", part.Name, err)
				}
			})
		}
	}
	p.d.sound.mixer.SetRate(audio.Rate)
	running.Go(func() { p.play(ctx) })
	p.Cleanup(func() {
		end(nil)
		running.Wait()
		p.d.folder.Close()
		if err := socket.Close(); err != nil {
			p.Error(err)
		}
		if v := p.cloud.Violations(); len(v) > 0 {
			p.Errorf("the daemon broke the rules of the protocol:\n%s", strings.Join(v, "\n"))
		}
	})
}

// play is the sound card, which is in a hurry.
func (p *parlour) play(ctx context.Context) {
	block := make([]int16, audio.Rate*parlourBlock/time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if p.still.Load() {
			continue
		}
		p.d.sound.mixer.Mix(block)
		for _, v := range block {
			if v > parlourQuiet || v < -parlourQuiet {
				p.sounded.Add(1)
			}
		}
	}
}

// asks presses the button and speaks for a second.
func (p *parlour) asks() {
	p.Helper()
	if err := p.d.dialogue.Listen(p.Context()); err != nil {
		p.Fatal(err)
	}
	p.asked++
	first := audio.Position(2 * audio.Rate * p.asked)
	last := first + audio.Rate
	p.d.sound.inbox.Deliver(&vad.Signal{Kind: vad.Onset, Utterance: p.asked, At: first, Speech: first})
	p.d.sound.inbox.Deliver(&vad.Signal{Kind: vad.Sustained, Utterance: p.asked, At: first, Speech: first})
	for at := first; at < last; at += audio.FrameSamples {
		p.d.sound.inbox.Deliver(&vad.Signal{Kind: vad.Audio, Utterance: p.asked, At: at, Frame: &audio.Frame{}})
	}
	p.d.sound.inbox.Deliver(&vad.Signal{Kind: vad.End, Utterance: p.asked, At: last, Speech: last, Reason: vad.Silence})
}

// turn waits for the end of the turn, and gives what was said in it.
func (p *parlour) turn() (doc *event.Turn, said []string) {
	p.Helper()
	limit := time.After(parlourLimit)
	for {
		select {
		case e := <-p.sub.C():
			switch e := e.(type) {
			case *event.Said:
				said = append(said, e.Text)
			case *event.Turn:
				return e, said
			}
		case <-limit:
			p.Fatal("the turn does not end")
		}
	}
}

// until waits for good.
func (p *parlour) until(what string, good func() bool) {
	p.Helper()
	for end := time.Now().Add(parlourLimit); !good(); <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			p.Fatalf("no %s", what)
		}
	}
}

// heard reports whether the speaker has sounded for as long as text takes, and not
// much longer: twice would be.
func (p *parlour) heard(text string) (whole, once bool) {
	n, want := p.sounded.Load(), int64(len(text))*int64(audio.Rate*parlourLetter/time.Second)
	return n >= want-want/10, n <= want+want/10
}

// sent are the events that the responder was sent of a type.
func (p *parlour) sent(kind string) (list []map[string]any) {
	p.Helper()
	for _, raw := range p.cloud.Events() {
		var e map[string]any
		if err := json.Unmarshal(raw, &e); err != nil {
			p.Fatal(err)
		}
		if e["type"] == kind {
			list = append(list, e)
		}
	}
	return list
}

// outputs are what the responder was told of calls, in their order.
func (p *parlour) outputs() (list []string) {
	p.Helper()
	for _, e := range p.sent("conversation.item.create") {
		if it := e["item"].(map[string]any); it["type"] == "function_call_output" {
			list = append(list, it["call_id"].(string)+": "+it["output"].(string))
		}
	}
	return list
}

// remembered checks that the turn is kept, on disk and in the conversation.
func (p *parlour) remembered(doc *event.Turn) {
	p.Helper()
	var kept []memory.Turn
	p.until("turn in the memory", func() bool {
		var err error
		if kept, err = p.d.store.Turns(p.Context(), 10); err != nil {
			p.Fatal(err)
		}
		return len(kept) > 0
	})
	if len(kept) != 1 || kept[0].Route != "cloud" || kept[0].Transcript != doc.Transcript ||
		kept[0].Answer != doc.Answer {
		p.Errorf("kept %+v of %+v", kept, doc)
	}
	want := []llm.Message{{Role: llm.User, Content: doc.Transcript, Mode: llm.Voice},
		{Role: llm.Assistant, Content: doc.Answer}}
	if diff := cmp.Diff(want, p.d.assistant.thinker.History()); diff != "" {
		p.Errorf("the conversation of the house: %s", diff)
	}
}
