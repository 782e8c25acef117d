package dialogue

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
	"hearthd/daemon/voice"
	"hearthd/llm"
	"hearthd/tools/phrase"
	"hearthd/vad"
)

// rig is a machine with a speaker that plays in the bubble's time and engines
// that do what a test says.
type rig struct {
	t        *testing.T
	d        *Dialogue
	bus      *event.Bus
	sub      *event.Subscription
	stop     context.CancelFunc
	ended    chan struct{}
	ears     *ears
	mind     *mind
	hands    *hands
	mixer    *audio.Mixer
	opt      Options
	ans      answer.Options
	has      *stock
	rules    *rules
	remember func(ask llm.Ask, answer string) // nil: nothing is kept
	spoken   *mouth
	chosen   *chosen
	duplex   bool // the speaker's sound is cancelled

	mu      sync.Mutex
	muted   bool
	saved   []int
	heard   []error
	ends    []string     // what EndAfter was told
	rang    []int64      // what Ringing.Ended was told
	unheard string       // what nobody has heard ringing
	loud    atomic.Int32 // the loudest sample of the period that was mixed last
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
	v, err := voice.New(voice.Options{
		Log: log, Mixer: mixer, Wake: func() {}, Engine: r.spoken, Fallback: r.spoken.fallback(),
		Speaking: func(error) {}, Dead: func() bool { return mixer.Rate() == 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	r.has, r.rules = &stock{}, &rules{}
	r.ans = answer.Options{
		Log: log, Bus: r.bus, Matcher: phrases{}, Tools: answer.NewToolbox(r.bus, r.hands, phrase.English(), false),
		Offers:  r.has,
		Thinker: r.mind, Guard: r.rules, Memory: keeper{r}, Voice: v, Transcripts: true,
		Ringing: answer.Ringing{
			Limit: 2 * time.Minute, Pause: 3 * time.Second, Volume: 80, Enders: []string{"speaker_stop"}, Timers: r,
		},
	}
	r.opt = Options{
		Log: log, Bus: r.bus, Book: phrase.English(), Recogniser: watched{r.ears, r}, Matcher: phrases{}, Voice: v,
		Wake:        Wake{Engine: WakePhrase, FollowUp: 6 * time.Second, Chime: true},
		Transcripts: true, Inbox: NewInbox(nil), Ears: front{r},
		Turns: new(atomic.Uint64),
	}
	r.chosen = &chosen{volume: 70, save: func(_ context.Context,
		p int) error {
		r.saved = append(r.saved, p)
		return nil
	}}
	r.opt.Settings = r.chosen
	r.mind.tools = r.ans.Tools
	if change != nil {
		change(r)
	}
	if whole, ok := r.ans.Responder.(responder); ok {
		r.opt.Responder = whole
	}
	if r.opt.Answers, err = answer.New(r.ans); err != nil {
		t.Fatal(err)
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

// Spoken and Ended make the rig the timers of what rings.
func (r *rig) Spoken(ids []int64) string { return fmt.Sprintf("Timers %v are done.", ids) }
func (r *rig) Ended(ids []int64)         { r.rang = append(r.rang, ids...) }
func (r *rig) Unheard() string           { return r.unheard }
func (r *rig) Told()                     { r.unheard = "" }
func (r *rig) GaveUp(ids []int64, mute bool) {
	r.Ended(ids)
	r.unheard = fmt.Sprintf("Timers %v rang, mute %v.", ids, mute)
}

// watched is the recogniser of a rig, which notes how it works.
type watched struct {
	*ears
	rig *rig
}

func (w watched) Heard(err error) { w.rig.heard = append(w.rig.heard, err) }

// stock has every tool but that of stocks.
type stock struct {
	missing func(tool string) string // nil: nothing is known
}

func (*stock) Has(tool string) bool { return tool != "stocks" }
func (s *stock) Missing(tool string) string {
	if s.missing == nil {
		return ""
	}
	return s.missing(tool)
}

// rules are a guard in which each function may be nil, which is no.
type rules struct {
	home  func(text string) bool
	reads func(tool string) bool
	opens func(text string, call llm.ToolCall) bool

	foreign bool
}

func (g *rules) Foreign() bool { return g.foreign }

func (g *rules) AtHome(text string) bool   { return g.home != nil && g.home(text) }
func (g *rules) ReadOnly(tool string) bool { return g.reads != nil && g.reads(tool) }
func (g *rules) Opens(text string, call llm.ToolCall) bool {
	return g.opens != nil && g.opens(text, call)
}

// keeper is the memory of a rig.
type keeper struct{ *rig }

func (k keeper) Remember(ask llm.Ask, answer string) {
	if k.remember != nil {
		k.remember(ask, answer)
	}
}

// front is a front end that notes what it is told.
type front struct{ *rig }

func (front) DiscardOpen()       {}
func (f front) FullDuplex() bool { return f.duplex }
func (f front) EndAfter(n uint64, d time.Duration) {
	f.ends = append(f.ends, fmt.Sprintf("%d %v", n, d))
}

func (f front) SetMuted(muted bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.muted = muted
}

// chosen are the settings of a rig.
type chosen struct {
	volume int
	muted  bool
	mute   func(ctx context.Context, muted bool) error // nil: it is kept
	save   func(ctx context.Context, percent int) error
	quiet  func() (string, bool) // nil: it never is
}

func (c *chosen) Muted() bool                                { return c.muted }
func (c *chosen) Volume() int                                { return c.volume }
func (c *chosen) SetVolume(ctx context.Context, p int) error { return c.save(ctx, p) }
func (c *chosen) SetMuted(ctx context.Context, muted bool) error {
	if c.mute == nil {
		return nil
	}
	return c.mute(ctx, muted)
}

func (c *chosen) Quiet() (string, bool) {
	if c.quiet == nil {
		return "", false
	}
	return c.quiet()
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

// ask is a request of the household in writing.
func (r *rig) ask(ctx context.Context, text string) (*event.Turn, error) {
	return r.d.AskAs(ctx, "", text, "")
}

// say lets somebody speak for a second: the recogniser will hear text.
func (r *rig) say(n uint64, text string) {
	r.ears.will(n, text, nil)
	r.speak(n)
	r.silence(n, vad.End, vad.Silence)
}

func (r *rig) speak(n uint64) {
	r.onset(n)
	r.opt.Inbox.Deliver(&vad.Signal{Kind: vad.Sustained, Utterance: n})
	r.frames(n, 50)
}

// at is the position of a sample of utterance n.
func (r *rig) at(n uint64, sample int) audio.Position {
	return audio.Position(n)*160000 + audio.Position(sample)
}

// onset is the beginning of a sound that may be a cough.
func (r *rig) onset(n uint64) {
	at := audio.Position(n) * 160000
	r.opt.Inbox.Deliver(&vad.Signal{Kind: vad.Onset, Utterance: n, At: at, Speech: at + 6400})
	synctest.Wait()
}

func (r *rig) frames(n uint64, count audio.Position) {
	at := audio.Position(n) * 160000
	var f audio.Frame
	f[0] = int16(n)
	for i := range count {
		r.opt.Inbox.Deliver(&vad.Signal{Kind: vad.Audio, Utterance: n, At: at + i*audio.FrameSamples, Frame: &f})
	}
	synctest.Wait()
}

// pause is 250 ms of silence after a voice that ended at position voiced.
func (r *rig) pause(n uint64, voiced audio.Position) {
	r.opt.Inbox.Deliver(&vad.Signal{Kind: vad.Pause, Utterance: n, At: voiced + 4000, Speech: voiced})
	synctest.Wait()
}

// end is the end of an utterance whose voice ended at position voiced.
func (r *rig) end(n uint64, voiced audio.Position) {
	r.opt.Inbox.Deliver(&vad.Signal{Kind: vad.End, Utterance: n, At: voiced + 6400, Speech: voiced,
		Reason: vad.Silence})
	synctest.Wait()
}

func (r *rig) silence(n uint64, kind vad.Kind, why vad.Reason) {
	at := audio.Position(n)*160000 + 16000 + 11200
	r.opt.Inbox.Deliver(&vad.Signal{Kind: kind, Utterance: n, At: at, Speech: at - 11200, Reason: why})
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

// speaks waits until an answer sounds.
func (r *rig) speaks() {
	for r.state() != event.Speaking {
		time.Sleep(10 * time.Millisecond) // of the bubble
	}
}

// said is an answer of the book.
func said(key string) string { return phrase.English().Say(key) }
