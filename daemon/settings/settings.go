// Package settings holds what people chose at the box: volume, microphone, do not disturb, wake
// word, and what may go to the responder. It keeps them in the store and publishes their changes.
// It runs no goroutine; any goroutine may call its methods.
package settings

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/refusal"
	"hearthd/memory"
)

// The refusals.
const (
	errNoSuchWord  refusal.Error = "there is no such wake word"
	errNoResponder refusal.Error = "there is no responder, so there is nothing to choose"
)

// Names of the flags in the store.
const (
	muted = "muted"
	dnd   = "dnd"
	local = "local"
)

// Options say where choices are kept, and what can be chosen.
type Options struct {
	Store     *memory.Store
	Bus       *event.Bus
	Volume    int      // percent, until somebody chooses
	Words     []string // wake words
	Responder bool     // there is one
	// Quiet says whether it is a quiet hour, and until when; nil: none is.
	Quiet func(now time.Time) (until string, quiet bool)
}

// Settings are the settings of one box.
type Settings struct {
	opt    Options
	muted  atomic.Bool
	volume atomic.Int32
	dnd    atomic.Bool
	word   atomic.Pointer[string] // nil: all
	local  atomic.Bool            // nothing goes to the responder
}

// Open reads what was chosen before.
func Open(ctx context.Context, opt Options) (*Settings, error) {
	s := &Settings{opt: opt}
	volume, chosen, err1 := opt.Store.Volume(ctx)
	if !chosen {
		volume = opt.Volume
	}
	s.volume.Store(int32(volume))
	word, err2 := opt.Store.WakeWord(ctx)
	if slices.Contains(opt.Words, word) { // the configuration may have changed
		s.word.Store(&word)
	}
	err := errors.Join(err1, err2)
	for name, flag := range map[string]*atomic.Bool{muted: &s.muted, dnd: &s.dnd, local: &s.local} {
		on, flagErr := opt.Store.Flag(ctx, name)
		flag.Store(on)
		err = errors.Join(err, flagErr)
	}
	return s, err
}

// Values returns all settings.
func (s *Settings) Values() contract.Settings {
	v := contract.Settings{Muted: s.Muted(), DND: s.DND(), Volume: s.Volume(), WakeWord: contract.AllWords,
		Policy: contract.Auto}
	if word := s.word.Load(); word != nil {
		v.WakeWord = *word
	}
	if s.local.Load() || !s.opt.Responder {
		v.Policy = contract.Local
	}
	return v
}

// Muted reports whether the microphone is to be closed, Volume how loud everything is
// played, in percent, DND whether nobody is to be disturbed, and Local whether nothing
// may go to the responder.
func (s *Settings) Muted() bool { return s.muted.Load() }
func (s *Settings) Volume() int { return int(s.volume.Load()) }
func (s *Settings) DND() bool   { return s.dnd.Load() }
func (s *Settings) Local() bool { return s.local.Load() }

// SetMuted keeps whether the microphone is closed.
func (s *Settings) SetMuted(ctx context.Context, closed bool) error {
	s.muted.Store(closed)
	return s.opt.Store.SetFlag(ctx, muted, closed)
}

// SetVolume keeps the volume.
func (s *Settings) SetVolume(ctx context.Context, percent int) error {
	s.volume.Store(int32(percent))
	return s.opt.Store.SetVolume(ctx, percent)
}

// SetDND says whether nobody is to be disturbed.
func (s *Settings) SetDND(ctx context.Context, on bool) error {
	if err := s.opt.Store.SetFlag(ctx, dnd, on); err != nil {
		return err
	}
	s.dnd.Store(on)
	s.opt.Bus.Publish(&event.DNDChanged{On: on})
	return nil
}

// SetWakeWord chooses the one word that opens turns, or all.
func (s *Settings) SetWakeWord(ctx context.Context, word string) error {
	if !slices.Contains(s.opt.Words, word) {
		return errNoSuchWord
	}
	if err := s.opt.Store.SetWakeWord(ctx, word); err != nil {
		return err
	}
	s.word.Store(&word)
	s.opt.Bus.Publish(&event.WakeWordChanged{Word: word})
	return nil
}

// SetPolicy says what may go to the responder.
func (s *Settings) SetPolicy(ctx context.Context, policy string) error {
	if !s.opt.Responder {
		return errNoResponder
	}
	only := policy == contract.Local
	if err := s.opt.Store.SetFlag(ctx, local, only); err != nil {
		return err
	}
	s.local.Store(only)
	s.opt.Bus.Publish(&event.PolicyChanged{Policy: policy})
	return nil
}

// Heeds reports whether a wake word, or contract.Phrase, may open a turn.
func (s *Settings) Heeds(word string) bool {
	only := s.word.Load()
	return only == nil || *only == contract.AllWords || *only == word
}

// Quiet reports whether only urgent announcements may be made now, and until when; empty: until
// somebody changes that.
func (s *Settings) Quiet() (until string, quiet bool) {
	switch {
	case s.DND():
		return "", true
	case s.opt.Quiet == nil:
		return "", false
	}
	return s.opt.Quiet(time.Now())
}
