package dialogue

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"hearthd/audio"
	"hearthd/audio/cue"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
)

// machine is the state of the loop; only Run's goroutine touches it.
type machine struct {
	opt *Options
	log *slog.Logger
	wg  sync.WaitGroup

	heard   chan hearing       // of recognisers
	reports chan answer.Report // of turns
	rulings chan ruling        // of other boxes
	stopped <-chan struct{}    // closed when the loop has ended

	state      event.State
	muted      bool
	deaf       bool // no microphone
	volume     int
	lastTurn   uint64
	session    uint64
	sessionEnd time.Time

	onsetAt    audio.Position        // first voiced frame of the newest utterance
	utterances map[uint64]*utterance // open or being recognised
	ready      *utterance            // one that nobody has spoken yet, with its recogniser, or nil
	situation  situation             // what goes on
	previous   <-chan struct{}       // closed when the turn before has left the conversation
	waiting    []answer.Request      // what nobody asked for: to be said when nothing goes on
	ring       *answer.Ring          // what rings, or waits to, or nil
	question   *question             // that waits for a yes, or nil

	complained time.Time // when an earcon last said that the recogniser does not work

	windowEnd *time.Timer
	chime     *time.Timer // the earcon of a wake word waits whether the person goes on
	owed      bool        // it has waited, and somebody was speaking
}

func newMachine(opt *Options, stopped <-chan struct{}) *machine {
	m := &machine{
		opt: opt, log: opt.Log,
		heard: make(chan hearing), reports: make(chan answer.Report), rulings: make(chan ruling), stopped: stopped,
		state: event.Starting, muted: opt.Settings.Muted(), volume: opt.Settings.Volume(), lastTurn: opt.Turns.Load(),
		utterances: make(map[uint64]*utterance), situation: idle{},
		windowEnd: time.NewTimer(time.Hour), chime: time.NewTimer(time.Hour),
	}
	m.windowEnd.Stop()
	m.chime.Stop()
	m.opt.Voice.SetVolume(m.volume)
	m.opt.Ears.SetMuted(m.muted)
	return m
}

// shutdown ends what still runs. Reports of ending goroutines are taken, so that
// each turn still gets its document.
func (m *machine) shutdown(ctx context.Context) {
	m.disarm()
	m.dropUtterances()
	if m.turn() != nil {
		m.cancelTurn(answer.ErrStopped)
	}
	done := make(chan struct{})
	go func() {
		m.wg.Wait()
		close(done)
	}()
	for {
		select {
		case <-m.heard:
		case r := <-m.reports:
			m.report(ctx, r)
		case <-done:
			return
		}
	}
}

// move changes the state. An illegal move is a mistake in this package.
func (m *machine) move(to event.State) {
	if to == m.state {
		return
	}
	if !legal(m.state, to) {
		m.log.Error("illegal transition", "component", "dialogue", "from", m.state, "to", to)
	}
	h := m.header()
	from := m.state
	m.state = to
	m.opt.Activity.set(to)
	m.opt.Bus.Publish(&event.StateChanged{Header: h, From: from, To: to})
}

// rest moves to the state that holds when nothing is going on, and begins to say
// what is waiting to be said.
func (m *machine) rest(ctx context.Context) {
	switch {
	case m.muted:
		m.move(event.Muted)
	case m.deaf:
		m.move(event.Faulted)
	default:
		m.move(event.Idle)
	}
	if len(m.waiting) > 0 && m.turn() == nil {
		next := m.waiting[0]
		m.waiting = m.waiting[1:]
		m.begin(ctx, next)
	}
}

// does is what h does in the situation of now.
func (m *machine) does(h happening) reaction {
	now := m.situation.name()
	for _, row := range table {
		if row.in == now {
			return row.does[h]
		}
	}
	return ignores
}

// turn is the one that goes on, or nil.
func (m *machine) turn() *turn {
	if b, ok := m.situation.(*busy); ok {
		return b.turn
	}
	return nil
}

// open is the window that is open, or nil.
func (m *machine) open() *window {
	switch s := m.situation.(type) {
	case *window:
		return s
	case *busy:
		return s.beneath
	}
	return nil
}

// armed is what opened the window that is open.
func (m *machine) armed() opening {
	if w := m.open(); w != nil {
		return w.opening
	}
	return opening{}
}

// talk is the conversation that keeps the window open, or nil.
func (m *machine) talk() *talk {
	if w := m.open(); w != nil {
		return w.talk
	}
	return nil
}

// setWindow opens w, or closes the window that is open if w is nil.
func (m *machine) setWindow(w *window) {
	b, ok := m.situation.(*busy)
	switch {
	case ok:
		b.beneath = w
	case w == nil:
		m.situation = idle{}
	default:
		m.situation = w
	}
}

// leave ends the turn that goes on.
func (m *machine) leave() {
	w := m.open()
	m.situation = idle{}
	m.setWindow(w)
}

func (m *machine) header() event.Header {
	if m.turn() == nil {
		return event.Header{}
	}
	return m.turn().Header
}

// arm opens the window in which an utterance needs no wake phrase, if anything
// can be heard in it.
func (m *machine) arm(o opening, d time.Duration) {
	if d <= 0 || m.muted || m.deaf || m.opt.Wake == WakeOff {
		return
	}
	m.setWindow(&window{opening: o, talk: m.talk()})
	m.windowEnd.Reset(d)
	m.attempt()
}

func (m *machine) disarm() {
	m.setWindow(nil)
	m.owed = false
	m.windowEnd.Stop()
	m.chime.Stop()
	m.unprepare()
}

func (m *machine) windowEnded(ctx context.Context) {
	does := m.does(onTimeout)
	m.disarm()
	m.windowSilent()
	if m.state != event.Listening || m.speechOpen() {
		return
	}
	if !m.unanswered(ctx) && does == complains {
		m.opt.Voice.Cue(cue.Failed) // a person opened this window and is told that it closed
	}
	m.rest(ctx)
}

// listen opens a window by hand or by the wake phrase alone.
func (m *machine) listen(ctx context.Context, by string) error {
	switch {
	case m.muted:
		return ErrMuted
	case m.deaf:
		return ErrNoMic
	case m.opt.Wake == WakeOff:
		return ErrVoice
	}
	if by == "button" && m.quell() { // a hand on what rings means that
		m.restIfIdle(ctx)
		return nil
	}
	if m.does(onCall) == cuts {
		m.cancelTurn(answer.ErrInterrupted)
	}
	m.arm(opening{by: by}, listenWindow)
	if by == "button" {
		m.opt.Ears.DiscardOpen()
	}
	if m.opt.Chime {
		m.opt.Voice.Cue(cue.Listening)
	}
	m.move(event.Listening)
	m.prepare(ctx)
	return nil
}

func (m *machine) stop(ctx context.Context) {
	m.hush()
	m.disarm()
	m.question = nil
	m.dropUtterances()
	if m.turn() != nil {
		m.cancelTurn(answer.ErrStopped)
	}
	m.opt.Voice.Cue(cue.Done)
	m.rest(ctx)
}

// restIfIdle rests unless a turn is going on or somebody is listened to, or may be.
func (m *machine) restIfIdle(ctx context.Context) {
	if m.does(onAnnounce) == says && m.state != event.Listening {
		m.rest(ctx)
	}
}

func (m *machine) setMuted(ctx context.Context, muted bool) error {
	if muted == m.muted {
		return nil
	}
	// The microphone closes whether or not the disk can remember it.
	m.muted = muted
	m.opt.Ears.SetMuted(muted)
	m.opt.Bus.Publish(&event.MuteChanged{Muted: muted})
	if muted {
		m.disarm()
		m.dropUtterances()
		if m.turn() != nil {
			m.turn().upload().Drop() // what of it was not sent yet stays here
		}
	}
	if m.turn() == nil {
		m.rest(ctx)
	}
	return save(ctx, m.opt.Settings.SetMuted, muted)
}

func (m *machine) setVolume(ctx context.Context, percent int) error {
	m.volume = percent
	m.opt.Voice.SetVolume(percent)
	m.opt.Bus.Publish(&event.VolumeChanged{Percent: percent})
	return save(ctx, m.opt.Settings.SetVolume, percent)
}

func (m *machine) microphone(ctx context.Context, works bool) {
	if m.deaf == !works {
		return
	}
	m.deaf = !works
	if m.deaf {
		m.disarm()
		m.dropUtterances()
	}
	if m.turn() == nil {
		m.rest(ctx)
	}
}

// save waits for a disk, but not so long that the loop falls behind the microphone.
func save[T any](ctx context.Context, fn func(context.Context, T) error, v T) error {
	ctx, cancel := context.WithTimeout(ctx, saveLimit)
	defer cancel()
	return fn(ctx, v)
}
