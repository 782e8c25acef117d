// Package speakers is where the house speaks: the box itself, and the browsers that talk. Each has
// a machine, which enters when it is made and leaves when it ends, so that the tools for a speaker
// can be made before any machine. It runs no goroutine; any goroutine may use it.
package speakers

import (
	"context"
	"log/slog"
	"sync"

	"hearthd/config/letters"
	"hearthd/llm"
	"hearthd/llm/thinker"
	"hearthd/tools/phrase"
)

// machine is the turn machine of one speaker.
type machine interface {
	Volume(ctx context.Context) (percent int, err error)
	SetVolume(ctx context.Context, percent int) error
	StepVolume(ctx context.Context, step int) (now int, err error)
	SetMuted(ctx context.Context, muted bool) error
	Hush(ctx context.Context) error
	Announce(ctx context.Context, text string, chime, urgent bool) error
	SayFrom(ctx context.Context, text string, sources []llm.Source) error
}

// Speakers are the machines that run now, by the call of the guest; the empty name is the box itself.
type Speakers struct {
	book *phrase.Book
	log  *slog.Logger

	mu   sync.Mutex
	list map[string]machine
}

// New makes an empty list. book has the sentences of its tools.
func New(book *phrase.Book, log *slog.Logger) *Speakers {
	return &Speakers{book: book, log: log, list: make(map[string]machine)}
}

// Enter adds one, until leave is called.
func (s *Speakers) Enter(guest string, m machine) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list[guest] = m
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.list, guest)
	}
}

// at is the machine that a request came to: a guest's, or the box's.
func (s *Speakers) at(ask llm.Ask) machine {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.list[ask.Guest]; m != nil {
		return m
	}
	return s.list[""]
}

// Announce makes the speaker that a request came to say a text when its turn has ended.
func (s *Speakers) Announce(ctx context.Context, ask llm.Ask, text string, urgent bool) error {
	return s.at(ask).Announce(ctx, text, true, urgent)
}

// maxAnswer bounds how much of a job's answer is said, in bytes: two minutes.
const maxAnswer = 2000

// Tell announces answers of jobs at one speaker, when the turn that is going on there has ended.
// Those for a guest who has left are dropped.
func (s *Speakers) Tell(guest string) func(ctx context.Context, a thinker.Kept) {
	return func(ctx context.Context, a thinker.Kept) {
		s.mu.Lock()
		m := s.list[guest]
		s.mu.Unlock()
		if m == nil {
			return
		}
		if err := m.SayFrom(ctx, letters.Cut(a.Text, maxAnswer), a.Sources); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "announce", "component", "thinker", "error", err)
		}
	}
}
