package dialogue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/daemon/event"
	"hearthd/llm"
	"hearthd/llm/stt"
	"hearthd/vad"
)

// rig is a machine with a speaker that plays in the bubble's time and engines
// that do what a test says.
type rig struct {
	t      *testing.T
	d      *Dialogue
	bus    *event.Bus
	sub    *event.Subscription
	stop   context.CancelFunc
	ended  chan struct{}
	ears   *ears
	mind   *mind
	hands  *hands
	mixer  *audio.Mixer
	opt    Options
	spoken *mouth
	duplex bool // the speaker's sound is cancelled

	mu    sync.Mutex
	muted bool
	saved []int
	heard []error
	ends  []string     // what EndAfter was told
	rang  []int64      // what Ringing.Ended was told
	loud  atomic.Int32 // the loudest sample of the period that was mixed last
}

const (
	rigRate   = 16000
	rigPeriod = 10 * time.Millisecond
)

// start runs a machine inside the bubble of synctest; change may alter options.
func start(t *testing.T, change func(*rig)) *rig {
	t.Helper()
	r := &rig{
		t: t, bus: event.NewBus(), ended: make(chan struct{}),
		ears: &ears{}, mind: &mind{}, hands: &hands{}, spoken: &mouth{},
	}
	r.sub = r.bus.Subscribe("test", 10000)
	ctx, cancel := context.WithCancel(t.Context())
	r.stop = cancel
	mixer := audio.NewMixer(70)
	mixer.SetRate(rigRate)
	r.mixer = mixer
	log := slog.New(&strict{Handler: slog.NewTextHandler(io.Discard, nil), t: t})
	voice, err := NewVoice(VoiceOptions{
		Log: log, Mixer: mixer, Wake: func() {}, Engine: r.spoken, Fallback: r.spoken.fallback(),
		Speaking: func(error) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.opt = Options{
		Log: log, Bus: r.bus, Recogniser: r.ears, Matcher: phrases{}, Tools: NewToolbox(r.bus, r.hands, false),
		Thinker: r.mind, Voice: voice, Wake: WakePhrase, FollowUp: 6 * time.Second, Chime: true,
		Transcripts: true, Volume: 70, Offered: func(tool string) bool { return tool != "stocks" },
		SaveMuted:  func(_ context.Context, m bool) error { return nil },
		SaveVolume: func(_ context.Context, p int) error { r.saved = append(r.saved, p); return nil },
		Capture: func(m bool) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.muted = m
		},
		Anew: func() {}, FullDuplex: func() bool { return r.duplex },
		EndAfter: func(n uint64, d time.Duration) { r.ends = append(r.ends, fmt.Sprintf("%d %v", n, d)) },
		Hearing:  func(err error) { r.heard = append(r.heard, err) },
		Thinking: func(error) {},
		Ringing: Ringing{
			Limit: 2 * time.Minute, Pause: 3 * time.Second, Volume: 80, Enders: []string{"speaker_stop"},
			Ended: func(ids []int64) { r.rang = append(r.rang, ids...) },
			Text:  func(ids []int64) string { return fmt.Sprintf("Timers %v are done.", ids) },
		},
	}
	r.mind.tools = r.opt.Tools
	if change != nil {
		change(r)
	}
	if r.d, err = New(r.opt); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(r.ended)
		if err := r.d.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	}()
	go func() { // the sound card
		out := make([]int16, rigRate*int(rigPeriod/time.Millisecond)/1000)
		tick := time.NewTicker(rigPeriod)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				mixer.Mix(out)
				r.loud.Store(int32(slices.Max(out)))
			}
		}
	}()
	synctest.Wait()
	return r
}

// strict is a log in which an error, such as an illegal transition, fails the
// test.
type strict struct {
	slog.Handler
	t *testing.T
}

func (h *strict) Handle(_ context.Context, rec slog.Record) error {
	if rec.Level < slog.LevelError {
		return nil
	}
	text := rec.Message
	rec.Attrs(func(a slog.Attr) bool {
		text += " " + a.String()
		return true
	})
	h.t.Errorf("logged: %s", text)
	return nil
}

func (r *rig) close() {
	r.stop()
	<-r.ended
}

// say lets somebody speak for a second: the recogniser will hear text.
func (r *rig) say(n uint64, text string) {
	r.ears.will(n, text, nil)
	r.speak(n)
	r.silence(n, vad.End, vad.Silence)
}

func (r *rig) speak(n uint64) {
	r.onset(n)
	r.d.Deliver(&vad.Signal{Kind: vad.Sustained, Utterance: n})
	r.frames(n, 50)
}

// at is the position of a sample of utterance n.
func (r *rig) at(n uint64, sample int) audio.Position {
	return audio.Position(n)*160000 + audio.Position(sample)
}

// onset is the beginning of a sound that may be a cough.
func (r *rig) onset(n uint64) {
	at := audio.Position(n) * 160000
	r.d.Deliver(&vad.Signal{Kind: vad.Onset, Utterance: n, At: at, Speech: at + 6400})
	synctest.Wait()
}

func (r *rig) frames(n uint64, count audio.Position) {
	at := audio.Position(n) * 160000
	var f audio.Frame
	f[0] = int16(n)
	for i := range count {
		r.d.Deliver(&vad.Signal{Kind: vad.Audio, Utterance: n, At: at + i*audio.FrameSamples, Frame: &f})
	}
	synctest.Wait()
}

// pause is 250 ms of silence after a voice that ended at position voiced.
func (r *rig) pause(n uint64, voiced audio.Position) {
	r.d.Deliver(&vad.Signal{Kind: vad.Pause, Utterance: n, At: voiced + 4000, Speech: voiced})
	synctest.Wait()
}

// end is the end of an utterance whose voice ended at position voiced.
func (r *rig) end(n uint64, voiced audio.Position) {
	r.d.Deliver(&vad.Signal{Kind: vad.End, Utterance: n, At: voiced + 6400, Speech: voiced, Reason: vad.Silence})
	synctest.Wait()
}

func (r *rig) silence(n uint64, kind vad.Kind, why vad.Reason) {
	at := audio.Position(n)*160000 + 16000 + 11200
	r.d.Deliver(&vad.Signal{Kind: kind, Utterance: n, At: at, Speech: at - 11200, Reason: why})
	synctest.Wait()
}

// turn waits for the next document.
func (r *rig) turn() *event.Turn {
	r.t.Helper()
	e := r.next("turn")
	return e.(*event.Turn)
}

// next skips to the next event of a type.
func (r *rig) next(kind string) event.Event {
	r.t.Helper()
	limit := time.After(10 * time.Minute)
	for {
		select {
		case e := <-r.sub.C():
			if event.Head(e).Type == kind {
				return e
			}
		case <-limit:
			r.t.Fatalf("no event %q", kind)
		}
	}
}

// none fails if an event of the type is waiting, or comes within ten seconds.
func (r *rig) none(kind string) {
	r.t.Helper()
	time.Sleep(10 * time.Second)
	synctest.Wait()
	for {
		select {
		case e := <-r.sub.C():
			if event.Head(e).Type == kind {
				r.t.Errorf("unexpected %q: %+v", kind, e)
			}
		default:
			return
		}
	}
}

func (r *rig) state() event.State {
	s, err := r.d.Status(r.t.Context())
	if err != nil {
		r.t.Error(err)
	}
	return s.State
}

// ears is a recogniser that knows beforehand what each utterance will be.
type ears struct {
	mu      sync.Mutex
	script  map[uint64]hearing
	slow    map[uint64]time.Duration // from the end of an utterance to its transcript
	opens   int
	openErr error
	hang    bool                 // Open waits for the end of its context
	sofar   map[uint64][]hearing // what the recogniser knows at each pause
	peeks   int
	ends    int // how often it was asked for the whole
}

func (e *ears) will(n uint64, text string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.script == nil {
		e.script = make(map[uint64]hearing)
	}
	e.script[n] = hearing{transcript: llm.Transcript{Text: text}, err: err}
}

func (e *ears) Open(ctx context.Context) (stt.Stream, error) {
	e.mu.Lock()
	e.opens++
	hang, err := e.hang, e.openErr
	e.mu.Unlock()
	if hang {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return &earStream{ears: e}, nil
}

type earStream struct {
	ears *ears
	n    uint64
}

func (s *earStream) Write(f *audio.Frame) error { s.n = uint64(f[0]); return nil }
func (s *earStream) Close() error               { return nil }

func (s *earStream) Finish(ctx context.Context) (llm.Transcript, error) {
	s.ears.mu.Lock()
	h, slow := s.ears.script[s.n], s.ears.slow[s.n]
	s.ears.ends++
	s.ears.mu.Unlock()
	if slow > 0 {
		select {
		case <-time.After(slow):
		case <-ctx.Done():
			return llm.Transcript{}, ctx.Err()
		}
	}
	return h.transcript, h.err
}

// Peek takes 300 ms.
func (s *earStream) Peek(ctx context.Context) (llm.Transcript, error) {
	select {
	case <-time.After(300 * time.Millisecond):
	case <-ctx.Done():
		return llm.Transcript{}, ctx.Err()
	}
	s.ears.mu.Lock()
	defer s.ears.mu.Unlock()
	s.ears.peeks++
	list := s.ears.sofar[s.n]
	if len(list) == 0 {
		return llm.Transcript{}, nil
	}
	s.ears.sofar[s.n] = list[1:]
	return list[0].transcript, list[0].err
}

// phrases understands "do TOOL" as an intent; "wait" lacks something, and "thanks"
// has its answer.
type phrases struct{}

func (phrases) Match(text string) (llm.ToolCall, string, bool) {
	if text == "yes" || text == "no" {
		return llm.ToolCall{Name: "confirm", Arguments: fmt.Appendf(nil, `{"yes":%t}`, text == "yes")}, "answer_" + text, true
	}
	switch text {
	case "wait":
		return llm.ToolCall{Name: "ask", Arguments: []byte(`{"question":"For how long?","then":["do {answer}"]}`)}, "ask_wait", true
	case "thanks":
		return llm.ToolCall{Name: "reply", Arguments: []byte(`{"text":"You're welcome."}`)}, "talk_thanks", true
	}
	name, ok := strings.CutPrefix(text, "do ")
	ok = ok && !strings.Contains(name, " and ")
	return llm.ToolCall{Name: name, Arguments: []byte("{}")}, name, ok
}

func (p phrases) MatchRinging(text string) (llm.ToolCall, string, bool) {
	if text == "turn it off" {
		return llm.ToolCall{Name: "speaker_stop", Arguments: []byte("{}")}, "ring_stop", true
	}
	return p.Match(text)
}

func (p phrases) MatchTwo(text string) ([]llm.ToolCall, string, bool) {
	one, two, ok := strings.Cut(text, " and ")
	a, first, ok1 := p.Match(one)
	b, second, ok2 := p.Match(two)
	return []llm.ToolCall{a, b}, first + "+" + second, ok && ok1 && ok2
}

func (phrases) Completeness(text string) (whole, begun bool) {
	return strings.HasPrefix(text, "do "), strings.HasSuffix(text, "do")
}

func (phrases) Wake(text string) (string, bool) {
	rest, ok := strings.CutPrefix(text, "hey hearth")
	return strings.TrimSpace(rest), ok
}

// hands runs every tool; "broken" fails, "slow" takes a minute, "door" and "garage"
// want a yes, and "record" a message.
type hands struct {
	mu        sync.Mutex
	calls     []llm.ToolCall
	confirmed []string
	recorded  []int16
}

func (h *hands) Run(ctx context.Context, c llm.ToolCall) Outcome {
	h.mu.Lock()
	h.calls = append(h.calls, c)
	h.mu.Unlock()
	switch c.Name {
	case "door", "garage":
		return Outcome{Text: "asked", Class: "asked", Question: "Open the " + c.Name + "?"}
	case "broken":
		return Outcome{Say: "That did not work.", Text: "failed", Class: "failed"}
	case "which":
		return Outcome{Say: "Which one?", Text: "Which one?", Class: "ok", Then: []string{"do {answer}"}}
	case "record":
		return Outcome{Say: "What is your message?", Text: "What is your message?", Class: "ok", Record: true}
	case "web":
		return Outcome{Text: "done", Class: "ok", Foreign: true}
	case "slow_off", "slow_on":
		time.Sleep(time.Second)
	case "slow":
		select {
		case <-time.After(time.Minute):
		case <-ctx.Done():
			return Outcome{Class: "cancelled"}
		}
	}
	return Outcome{Say: "It is done.", Text: "done", Class: "ok"}
}

func (h *hands) RunConfirmed(ctx context.Context, c llm.ToolCall) Outcome {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.Name == "record" {
		h.recorded = Recorded(ctx)
		return Outcome{Say: "It is sent.", Text: "sent", Class: "ok"}
	}
	h.confirmed = append(h.confirmed, c.Name)
	return Outcome{Say: "The " + c.Name + " is open.", Text: "open", Class: "ok"}
}

// mind is a thinker that writes the sentences it was given, and runs the tools of
// "do TOOL TOOL" at the same time.
type mind struct {
	tools     *Toolbox
	mu        sync.Mutex
	sentences []string
	pause     time.Duration // before each
	err       error         // at the end
	heards    []string
	notes     []string
	ended     int
}

func (m *mind) Think(ctx context.Context, _ llm.Ask) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		defer func() {
			m.mu.Lock()
			m.ended++
			m.mu.Unlock()
		}()
		for _, s := range m.sentences {
			select {
			case <-time.After(m.pause):
			case <-ctx.Done():
				yield(llm.Delta{}, ctx.Err())
				return
			}
			if names, ok := strings.CutPrefix(s, "do "); ok {
				m.run(ctx, strings.Fields(names))
			} else if !yield(llm.Delta{Text: s}, nil) {
				return
			}
		}
		if m.err != nil {
			yield(llm.Delta{}, m.err)
			return
		}
		yield(llm.Delta{Usage: &llm.Usage{PromptTokens: 10, OutputTokens: 5}}, nil)
	}
}

func (m *mind) run(ctx context.Context, names []string) {
	var running sync.WaitGroup
	for _, name := range names {
		running.Go(func() { m.tools.Run(ctx, llm.ToolCall{Name: name, Arguments: []byte("{}")}) })
	}
	running.Wait()
}

func (m *mind) Heard(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heards = append(m.heards, text)
}

func (m *mind) Note(ask llm.Ask, answer string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notes = append(m.notes, ask.Text+" / "+answer)
}

func (m *mind) Apology(error) string { return SayThinkerGone }

// mouth speaks 100 ms per word.
type mouth struct {
	mu   sync.Mutex
	err  error
	said []string
	fb   *mouth
	// delay is how long it takes to begin a sentence.
	delay time.Duration
}

var errMouth = errors.New("no voice")

func (m *mouth) fallback() *mouth {
	m.fb = &mouth{}
	return m.fb
}

func (m *mouth) Speak(_ context.Context, text string) iter.Seq2[audio.Chunk, error] {
	return func(yield func(audio.Chunk, error) bool) {
		m.mu.Lock()
		err := m.err
		if err == nil {
			m.said = append(m.said, text)
		}
		m.mu.Unlock()
		if err != nil {
			yield(audio.Chunk{}, err)
			return
		}
		time.Sleep(m.delay)
		for range strings.Fields(text) {
			samples := make([]int16, rigRate/10)
			for i := range samples {
				samples[i] = 1000
			}
			if !yield(audio.Chunk{Rate: rigRate, Samples: samples}, nil) {
				return
			}
		}
	}
}
