// Package player plays radio and music: what people chose, one item after the other, on the media track of the mixer.
// Run is one goroutine, which opens, reads and writes; a timer ends a pause that has become long, and another one plays
// until people sleep. Any goroutine may call the methods, none of which waits for what it began. What a person has
// paused or stopped plays again when a person says so, and for no other reason.
package player

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"hearthd/audio"
	"hearthd/media"
)

// rest is how long a pause holds what plays at its sample. After that the source is closed; a file goes on where it
// was, and a stream at what is sent then.
const rest = 30 * time.Second

// Source gives samples.
type Source interface {
	// Open begins an item at a place, and gives it as mono samples of 16 bits, little endian, at a rate. It returns
	// when there are some; its error, and that of Read, is a media.Problem, that of ctx, or io.EOF at the end of the
	// item. It calls told with each title that it comes to.
	Open(ctx context.Context, it media.Item, from time.Duration, rate int, told func(string)) (io.ReadCloser, error)
}

func newOutcome() *outcome { return &outcome{known: make(chan struct{})} }

// Options are what a Player is made with.
type Options struct {
	Mixer  *audio.Mixer
	Wake   func()      // wakes a speaker that rests; must not block
	Dead   func() bool // the speaker is known not to work; nil: it works
	Source Source
	Volume int // percent, under that of the speaker
	// Changed is called with what plays whenever that has changed, and Failed with what does not play any more and
	// why, unless somebody awaits that. Both must neither block nor use the player.
	Changed func(media.Now)
	Failed  func(media.Item, error)
	Log     *slog.Logger
}

// Player plays a queue.
type Player struct {
	Options
	track *audio.Track
	bell  audio.Doorbell // there is something to do

	mu      sync.Mutex
	now     media.Now
	queue   []media.Item
	at      int
	from    time.Duration           // place in the item
	end     context.CancelFunc      // of what plays; nil: nothing is opened
	loosen  context.CancelCauseFunc // of its source
	begun   *outcome                // of the item
	skipped int                     // items before it, one after the other, that did not play
	heard   *outcome                // of the item of which the track plays samples
	rate    int                     // of those samples
	resting *time.Timer             // of a pause
	sleep   *time.Timer             // until it stops by itself
}

// outcome is whether an item begins to play.
type outcome struct {
	known   chan struct{} // closed when it is
	err     error
	waiting int // who are told of it
}

// New checks the options.
func New(o Options) (*Player, error) {
	if o.Mixer == nil || o.Wake == nil || o.Source == nil || o.Changed == nil || o.Failed == nil || o.Log == nil {
		return nil, errors.New("new player: a part is missing")
	}
	p := &Player{Options: o, track: o.Mixer.Media(), bell: audio.NewDoorbell(), begun: newOutcome()}
	p.now = media.Now{State: media.Stopped, Volume: min(max(o.Volume, 0), 100)}
	p.track.SetVolume(p.now.Volume)
	return p, nil
}

// Now is what plays.
func (p *Player) Now() media.Now {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// begin has an item played. mu is held.
func (p *Player) begin(at int, from time.Duration) {
	p.at, p.from = at, from
	it := p.queue[at]
	p.now.Item, p.now.Title = it, it.Title
	p.begun = newOutcome()
	p.close()
	p.enter(media.Playing)
}

// enter moves to a state, which is all that says whether the track is heard. mu is held.
func (p *Player) enter(s media.State) {
	p.now.State = s
	if p.resting != nil {
		p.resting.Stop()
		p.resting = nil
	}
	switch s {
	case media.Paused:
		p.resting = time.AfterFunc(rest, p.release)
	case media.Stopped:
		p.wakeful()
	}
	p.track.Hold(s != media.Playing)
	p.Changed(p.now)
	p.bell.Ring()
}

// close ends what plays, if something does. mu is held.
func (p *Player) close() {
	if p.end != nil {
		p.end()
		p.end, p.loosen = nil, nil
	}
}

// release closes the source of what has been paused for long, unless it is another player, which may go on.
func (p *Player) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now.State == media.Paused && p.loosen != nil && p.now.Item.Source == "" {
		p.loosen(errResting)
	}
}

// errResting says that a pause has become long.
var errResting = errors.New("paused for long")

// Pause holds what plays, and reports whether something did.
func (p *Player) Pause() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now.State != media.Playing {
		return false
	}
	p.enter(media.Paused)
	return true
}

// Resume lets go on what was paused, or plays again what was stopped, and reports whether there was something.
func (p *Player) Resume() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.now.State == media.Paused && p.loosen != nil:
		p.enter(media.Playing)
	case p.now.State != media.Playing && len(p.queue) > 0: // its source is closed, and may not open again
		p.begin(p.at, p.from)
	default:
		return p.now.State == media.Playing
	}
	return true
}

// Stop ends what plays, and reports whether something did or was paused.
func (p *Player) Stop() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stop()
}

func (p *Player) stop() bool {
	if p.now.State == media.Stopped {
		return false
	}
	p.close()
	p.enter(media.Stopped)
	return true
}

// SetVolume sets the volume under that of the speaker, in percent.
func (p *Player) SetVolume(percent int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.Volume = min(max(percent, 0), 100)
	p.track.SetVolume(p.now.Volume)
	p.Changed(p.now)
}

// Swell sets how loud it is to a share of that volume, in percent, until the volume is set.
func (p *Player) Swell(share int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.track.SetVolume(p.now.Volume * min(max(share, 0), 100) / 100)
}

// Sounding reports whether something is heard, however softly.
func (p *Player) Sounding() bool { return p.track.Sounding() }

// Sleep stops what plays after a while; 0: it goes on. It reports whether something plays.
func (p *Player) Sleep(after time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now.State == media.Stopped {
		return false
	}
	p.wakeful()
	if after > 0 {
		p.now.Until = time.Now().Add(after)
		p.sleep = time.AfterFunc(after, func() { p.Stop() })
	}
	p.Changed(p.now)
	return true
}

// wakeful ends a Sleep. mu is held.
func (p *Player) wakeful() {
	if p.sleep != nil {
		p.sleep.Stop()
	}
	p.sleep, p.now.Until = nil, time.Time{}
}

// Await waits until it is known whether the item of the last Play begins, and says why it does not: without a speaker
// that is media.NoSpeaker, at once where that is known, and else when ctx ends.
func (p *Player) Await(ctx context.Context) error {
	p.mu.Lock()
	o := p.begun
	o.waiting++
	p.mu.Unlock()
	look := time.NewTicker(device)
	defer look.Stop()
	for p.Dead == nil || !p.Dead() {
		select {
		case <-o.known:
			return o.err
		case <-look.C:
			continue
		case <-ctx.Done():
		}
		break
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	o.waiting--
	if p.Mixer.Rate() == 0 && p.begun == o {
		return media.NoSpeaker
	}
	return ctx.Err()
}
