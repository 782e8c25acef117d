package dialogue

import (
	"context"

	"hearthd/audio"
)

// speaker is who speaks, as of a pause.
type speaker struct {
	found  chan string    // cap 1
	upTo   audio.Position // where the voice ended
	cancel context.CancelFunc
}

// whose begins to find out who speaks, while the words are being recognised; what was found of less is dropped.
func (m *machine) whose(ctx context.Context, u *utterance) {
	if m.opt.Voices == nil || len(u.tape) == 0 || u.speaker != nil && u.speaker.upTo == u.voiced {
		return
	}
	if u.speaker != nil {
		u.speaker.cancel()
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &speaker{found: make(chan string, 1), upTo: u.voiced, cancel: cancel}
	u.speaker = s
	said := u.tape[:len(u.tape):len(u.tape)] // more of it comes behind that
	m.wg.Go(func() {
		defer cancel()
		s.found <- m.opt.Voices.Who(ctx, said)
	})
}

// records reports whether the sound of requests is kept.
func (m *machine) records() bool { return m.opt.Recordings != nil && m.opt.Recordings.On() }
