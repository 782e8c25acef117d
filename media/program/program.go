// Package program plays what other programs of the house write to a pipe: players of Spotify, AirPlay, Snapcast and
// Lyrion. Each runs in one goroutine, which starts it, reads it all the time and starts it again when it ends; one that
// runs only when it is wanted has that goroutine for as long as it is open. Samples cross to whoever plays by a bounded
// channel.
//
// There are two kinds. One that keeps time by itself (snapclient, shairport-sync) is never kept waiting, and what
// nobody takes is lost. One that writes as fast as it is read (librespot, spotifyd, squeezelite) waits while it is
// paused, so that nothing of a song is lost; what nobody wants of it is read at the pace of its sound, for a faster
// reader would skip through the songs.
package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"hearthd/audio"
	"hearthd/llm/proc"
	"hearthd/media"
)

const (
	// gap is the silence after which a source is not playing any more; between songs there is less.
	gap = 10 * time.Second
	// Pauses before a program is started again, twice as long each time. One that ran for steady begins with the first.
	firstPause, longPause, steady = time.Second, time.Minute, 20 * time.Second
	// turnout is how long the beginning of a sound waits for somebody to play it.
	turnout = 2 * time.Second
	// early is how soon a program ends that cannot run as it is configured.
	early = 300 * time.Millisecond
	// ahead is what of a program that keeps time waits to be heard: more than the 50 ms that snapclient writes at a
	// time and the periods of a sound card.
	ahead = 120 * time.Millisecond
	// perSecond is how many blocks are read of a second.
	perSecond = 50
	// queued is how many blocks wait between the program and who plays it.
	queued = 8
)

// Source is a program, or a FIFO that one writes.
type Source struct {
	Name    string
	Command []string // its standard output is read
	FIFO    string   // instead of a command
	Rate    int      // samples per second
	Width   int      // bytes of a sample, little endian: 2 or 4
	// Channels are mixed to one.
	Channels int
	Always   bool // it runs from the start, and plays when it sounds; else it runs while somebody wants it
	Live     bool // it keeps time by itself
}

// Item is what plays it.
func (s Source) Item() media.Item {
	it := media.Item{Source: s.Name}
	if s.Live {
		it.Ahead = ahead
	}
	return it
}

// Options are what Programs are made with.
type Options struct {
	Sources []Source
	// Sounds is called when a source begins to sound that nobody plays, and Runs with what is wrong with one that runs
	// always, or nil. Both must not block.
	Sounds func(media.Item)
	Runs   func(name string, err error)
	Log    *slog.Logger
}

// Programs are the sources of the box.
type Programs struct {
	opt  Options
	list []*runner
}

// New checks the options.
func New(o Options) (*Programs, error) {
	if o.Sounds == nil || o.Runs == nil || o.Log == nil {
		return nil, errors.New("make programs: a part is missing")
	}
	p := &Programs{opt: o}
	for _, s := range o.Sources {
		if _, err := audio.NewResampler(s.Rate, audio.Rate); err != nil || s.Channels < 1 || s.Width != 2 && s.Width != 4 {
			return nil, errors.Join(fmt.Errorf("make source %q: want a rate, channels, and 2 or 4 bytes a sample", s.Name), err)
		}
		p.list = append(p.list, newRunner(s, &p.opt))
	}
	return p, nil
}

// Items are what plays the sources.
func (p *Programs) Items() (list []media.Item) {
	for _, r := range p.list {
		list = append(list, r.Item())
	}
	return list
}

// Run runs the sources that run always, until ctx ends.
func (p *Programs) Run(ctx context.Context) error {
	var all sync.WaitGroup
	for _, r := range p.list {
		if r.Always {
			all.Go(func() { r.keep(ctx) })
		}
	}
	<-ctx.Done()
	all.Wait()
	return nil
}

// Open plays a source from now on, as mono samples of 16 bits, little endian, at a rate. Reading gives io.EOF when it
// has ended, or has been silent for long; the error is a media.Problem, or that of ctx.
func (p *Programs) Open(ctx context.Context, it media.Item, rate int) (io.ReadCloser, error) {
	for _, r := range p.list {
		if r.Name == it.Source {
			return r.open(ctx, rate)
		}
	}
	return nil, media.Gone
}

// runner is one source.
type runner struct {
	Source
	opt *Options

	mu sync.Mutex
	// tap is who plays it, or nil. claimed: it has been played, or has asked for that, since it was last silent. What
	// is claimed and has no tap was stopped by a person, or something else was chosen.
	tap     *tap
	claimed bool
	taken   chan struct{} // closed when a tap comes
	down    error         // why it does not run
	idle    *time.Timer   // hushes it; runs while it is read, and while it does not run
}

func newRunner(s Source, o *Options) *runner {
	r := &runner{Source: s, opt: o, taken: make(chan struct{})}
	r.idle = time.AfterFunc(gap, r.hush)
	r.idle.Stop()
	return r
}

// keep runs a source until ctx ends.
func (r *runner) keep(ctx context.Context) {
	defer r.idle.Stop()
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, longPause) {
		began := time.Now()
		well := time.AfterFunc(steady, func() { r.opt.Runs(r.Name, nil) })
		err := r.once(ctx)
		well.Stop()
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > steady {
			pause = firstPause
		} else {
			r.opt.Runs(r.Name, err)
		}
		r.opt.Log.Warn("media source started again", "component", "media", "name", r.Name, "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// once runs a source until it ends, which it does with an error.
func (r *runner) once(ctx context.Context) error {
	in, err := r.start(ctx)
	if err == nil {
		r.fell(nil)
		err = r.pump(ctx, in)
		switch closed := in.Close(); {
		case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			err = errors.Join(err, closed)
		case closed != nil: // it says why
			err = closed
		default:
			err = errEnded
		}
	}
	r.fell(err)
	return err
}

// errEnded is the reason of a program that ends and gives none.
var errEnded = errors.New("it has ended")

// start opens what is read.
func (r *runner) start(ctx context.Context) (io.ReadCloser, error) {
	if r.FIFO != "" {
		return openFIFO(ctx, r.FIFO)
	}
	return proc.Start(ctx, r.Command, nil)
}

// fell notes why a source does not run, and ends who plays it. One that was stopped before stays so.
func (r *runner) fell(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.down = err; err == nil || r.tap == nil {
		return
	}
	r.claimed = false
	if r.Always { // it comes back by itself
		r.tap.end(io.EOF)
	} else {
		r.tap.end(media.Broken)
	}
	r.tap = nil
}

// hush is called when a source has been silent for long.
func (r *runner) hush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.claimed = false
	if r.tap != nil && r.Always {
		r.tap.end(io.EOF)
		r.tap = nil
	}
}

// open has a source played.
func (r *runner) open(ctx context.Context, rate int) (io.ReadCloser, error) {
	ctx, t, err := newTap(ctx, r, rate)
	if err != nil {
		return nil, err
	}
	if !r.Always {
		r.take(t)
		return r.want(ctx, t)
	}
	r.mu.Lock()
	down := r.down
	r.mu.Unlock()
	if down != nil {
		t.end(nil)
		return nil, media.Broken
	}
	r.take(t)
	return t, nil
}

// take has t play a source.
func (r *runner) take(t *tap) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tap != nil {
		r.tap.end(io.EOF)
	}
	r.tap, r.claimed = t, true
	close(r.taken)
	r.taken = make(chan struct{})
}

// want runs a source for t, which is to be closed unless there is an error.
func (r *runner) want(ctx context.Context, t *tap) (io.ReadCloser, error) {
	t.running.Go(func() {
		if err := r.once(ctx); errors.Is(context.Cause(ctx), media.Broken) {
			r.opt.Log.Warn("media source ended", "component", "media", "name", r.Name, "error", err)
		}
		r.idle.Stop()
	})
	pause(ctx, early)
	if err := context.Cause(ctx); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// left notes that nobody plays a source any more. What it goes on to write is dropped until it has been silent.
func (r *runner) left(t *tap) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tap == t {
		r.tap = nil
	}
}
