package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"hearthd/audio"
	"hearthd/llm/wyoming"
	"hearthd/vad/wake"
)

const (
	queueFrames = 100 // 2 s, as long as a network may hang
	queueFound  = 16
	maxNames    = 32

	// stale is how old a word may be when it is reported: the person has long
	// said the next one.
	stale = 3 * time.Second
)

// Options sets a Spotter.
type Options struct {
	// Address is host:port, tcp://host:port or unix:/path of a server that the
	// user named: it hears everything.
	Address string
	// Names are the wake words to ask for, as the server calls them; none for the
	// server's own choice.
	Names []string
	// Cutoffs say how sure a server has to be of a word, 0 to 1, by its name, if it takes that: hearth-speech.
	Cutoffs map[string]float64
	Log     *slog.Logger
	// Reachable is called, by Run's goroutine, with why the server cannot be used, and with nil
	// when it can be again: once for each change. It may be nil.
	Reachable func(error)
}

// Spotter listens through a Wyoming wake server. It implements wake.Spotter.
type Spotter struct {
	options Options
	connect func(context.Context) (net.Conn, error) // instead of dialing, in tests

	frames  chan piece
	found   chan wake.Detection
	taking  atomic.Bool   // a server takes the frames
	dropped atomic.Uint64 // frames that found the queue full

	standing standing // of Run's goroutine

	// Of the goroutine that pushes.
	out   []wake.Detection
	from  audio.Position // where the stream began
	next  audio.Position // where the next frame should begin
	begun bool
	cut   bool // what is pushed next does not continue the stream
}

// piece is a frame on its way to the server.
type piece struct {
	frame audio.Frame
	at    audio.Position
	cut   bool // it does not continue the stream
}

// New checks the options. It connects to nothing; Run does.
func New(o Options) (*Spotter, error) {
	if err := wyoming.CheckAddress(o.Address); err != nil {
		return nil, err
	}
	if len(o.Names) > maxNames {
		return nil, fmt.Errorf("ask a wake server for %d words: want at most %d", len(o.Names), maxNames)
	}
	for _, n := range o.Names {
		if !plain(n) {
			return nil, fmt.Errorf("ask a wake server for the word %.80q: want 1 to %d printable bytes", n, maxName)
		}
	}
	if o.Log == nil {
		return nil, errors.New("wake server without a logger")
	}
	return &Spotter{
		options: o,
		frames:  make(chan piece, queueFrames), found: make(chan wake.Detection, queueFound),
		out: make([]wake.Detection, 0, queueFound),
	}, nil
}

func (s *Spotter) String() string {
	return fmt.Sprintf("wake server %s for %q", s.options.Address, s.options.Names)
}

// Push hands the frame on, if a server accepts it, and returns what has been found since the last
// call. A Wyoming server sends no score: it is 1.
func (s *Spotter) Push(f *audio.Frame, at audio.Position) []wake.Detection {
	if !s.begun || at < s.next {
		s.from, s.cut = at, true
	}
	s.begun, s.next = true, at+audio.FrameSamples
	if s.taking.Load() {
		select {
		case s.frames <- piece{*f, at, s.cut}:
			s.cut = false
		default:
			s.dropped.Add(1)
		}
	}
	s.out = s.out[:0]
	for range queueFound {
		select {
		case d := <-s.found:
			if s.timely(d.Position) {
				s.out = append(s.out, d)
			}
		default:
			return s.out
		}
	}
	return s.out
}

// timely reports whether a word that ended at position p was said in the stream, and
// recently.
func (s *Spotter) timely(p audio.Position) bool {
	return p > s.from && p <= s.next && s.next-p <= audio.Samples(stale)
}

// Reset forgets the stream. The server is told with the next frame.
func (s *Spotter) Reset() { s.begun = false }
