package dialogue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hearthd/audio"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
	"hearthd/daemon/refusal"
	"hearthd/llm"
)

// maxText is the longest text that people and programs may send, in bytes.
const maxText = 2000

// command is one request from outside, carried out by the loop.
type command struct {
	do    func(*machine, context.Context) error
	reply chan error // cap 1
}

// run hands do to the loop and waits for its answer.
func (d *Dialogue) run(ctx context.Context, do func(*machine, context.Context) error) error {
	c := command{do: do, reply: make(chan error, 1)}
	select {
	case d.commands <- c:
	case <-d.ended:
		return fmt.Errorf("%w: %w", refusal.ErrUnbegun, errStopped)
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", refusal.ErrUnbegun, ctx.Err())
	}
	select {
	case err := <-c.reply:
		return err
	case <-d.ended:
		return errStopped
	}
}

// tell is run for what cannot fail.
func (d *Dialogue) tell(ctx context.Context, do func(*machine)) error {
	return d.run(ctx, func(m *machine, _ context.Context) error {
		do(m)
		return nil
	})
}

// Announce says text when the current turn has ended, after an earcon if chime is set. Urgent
// text goes before other text, and is said in quiet hours too.
func (d *Dialogue) Announce(ctx context.Context, text string, chime, urgent bool) error {
	return d.AnnounceAt(ctx, text, chime, urgent, time.Time{})
}

// AnnounceAt is Announce for several boxes that begin together, at the given moment. Until
// then nothing else is announced, so it should be only seconds away.
func (d *Dialogue) AnnounceAt(ctx context.Context, text string, chime, urgent bool, at time.Time) error {
	text, err := clean(text)
	if err != nil {
		return err
	}
	return d.put(ctx, &answer.Announcement{Text: text, Chime: chime, Urgent: urgent, At: at})
}

// PlayAt is AnnounceAt for a recorded message, a WAV file, which is played after an earcon and text. The text may be
// empty.
func (d *Dialogue) PlayAt(ctx context.Context, text string, wav []byte, urgent bool, at time.Time) error {
	sound, err := message(wav)
	switch {
	case err != nil:
		return errNotWAV
	case len(sound) == 0 || len(sound) > maxRecording:
		return errSound
	}
	if text != "" {
		if text, err = clean(text); err != nil {
			return err
		}
	}
	return d.put(ctx, &answer.Announcement{Text: text, Chime: true, Urgent: urgent, At: at, Sound: sound})
}

// Deliver says text, if there is one, and plays sound, mono at audio.Rate, when the current turn has ended, and returns
// when all of it has been heard. What waits when ctx ends is not said any more.
func (d *Dialogue) Deliver(ctx context.Context, text string, sound []int16) error {
	if text != "" || len(sound) == 0 {
		var err error
		if text, err = clean(text); err != nil {
			return err
		}
	}
	done := make(chan bool, 1)
	a := &answer.Announcement{Text: text, Sound: sound, Done: done}
	if err := d.put(ctx, a); err != nil {
		return err
	}
	select {
	case heard := <-done:
		if !heard {
			return errCut
		}
		return nil
	case <-ctx.Done():
		return errors.Join(ctx.Err(), d.tell(context.WithoutCancel(ctx), func(m *machine) { m.outbox.drop(a) }))
	case <-d.ended:
		return errStopped
	}
}

// message is a WAV file at audio.Rate.
func message(wav []byte) ([]int16, error) {
	r, err := audio.NewWAVReader(bytes.NewReader(wav), audio.WAVOptions{})
	if err != nil {
		return nil, err
	}
	c, err := r.ReadAll()
	if err != nil || c.Rate == audio.Rate {
		return c.Samples, err
	}
	conv, err := audio.NewResampler(c.Rate, audio.Rate)
	if err != nil {
		return nil, err
	}
	return conv.Flush(conv.Process(nil, c.Samples)), nil
}

// put queues a, unless nobody is to be disturbed or would hear it.
func (d *Dialogue) put(ctx context.Context, a *answer.Announcement) error {
	if d.opt.Voice.Dead() {
		return refusal.Speaker
	}
	if !a.Urgent {
		if until, quiet := d.opt.Settings.Quiet(); quiet && until == "" {
			return errDND
		} else if quiet {
			return fmt.Errorf("%w; they end at %s", errQuiet, until)
		}
	}
	return d.run(ctx, func(m *machine, _ context.Context) error { return m.outbox.add(a) })
}

// SayFrom says an answer that somebody is waiting for, and that rests on sources, when the
// current turn has ended.
func (d *Dialogue) SayFrom(ctx context.Context, text string, sources []llm.Source) error {
	text, err := tidied(text)
	if err != nil {
		return err
	}
	return d.run(ctx, func(m *machine, _ context.Context) error {
		return m.outbox.add(&answer.Announcement{Text: text, Sources: sources, Foreign: true})
	})
}

// AskAs answers text as if a person had spoken it, aloud as well, and returns the document of
// the turn. The person is one of Options.People, or empty for the household. It supersedes the
// current turn, but does not cut off anybody who is speaking. A text that says yes to a
// question comes with that question, worded as in the document of the turn that asked.
func (d *Dialogue) AskAs(ctx context.Context, person, text, question string) (*event.Turn, error) {
	text, err := clean(text)
	if err != nil {
		return nil, err
	}
	if person != "" && !slices.Contains(d.opt.People, person) {
		return nil, ErrPerson
	}
	done := make(chan *event.Turn, 1)
	err = d.run(ctx, func(m *machine, ctx context.Context) error {
		if m.kind() == speaking {
			return errBusy
		}
		m.begin(ctx, &answer.Written{Query: answer.Query{Text: text, Person: person}, Names: question, Done: done})
		return nil
	})
	if err != nil {
		return nil, err
	}
	select {
	case t := <-done:
		return t, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-d.ended:
	}
	select {
	case t := <-done: // it was only cut, and may have its answer
		return t, nil
	default:
		return nil, errStopped
	}
}

// Listen opens a window as a button does: what is said next needs no wake word.
func (d *Dialogue) Listen(ctx context.Context) error {
	return d.run(ctx, (*machine).button)
}

// ListenFor does so because the other end of a route asks for it: what is said takes that route only, and is no answer
// to a question that was asked here.
func (d *Dialogue) ListenFor(ctx context.Context, route string) error {
	return d.run(ctx, func(m *machine, ctx context.Context) error {
		if err := m.hears(); err != nil {
			return err
		}
		m.unanswered()
		m.listen(ctx, opening{route, route})
		m.opt.Ears.DiscardOpen()
		return nil
	})
}

// Stop ends the current turn and whatever rings, silences the speaker and drops what waits to
// be said. Timers that have ended, but that nobody has heard yet, ring afterwards.
func (d *Dialogue) Stop(ctx context.Context) error {
	return d.tell(ctx, (*machine).stop)
}

// Hush ends whatever rings and drops what waits to be said, except timers that nobody has
// heard yet. The current turn, which may be the one that asks for this, goes on.
func (d *Dialogue) Hush(ctx context.Context) error {
	return d.tell(ctx, (*machine).hush)
}

// Ring lets the timers with these ids ring, together with those that ring already, until Stop,
// Silence or the limit; those in once are told a single time. It waits for the current turn to
// end.
func (d *Dialogue) Ring(ctx context.Context, ids, once []int64) error {
	return d.run(ctx, func(m *machine, _ context.Context) error { return m.letRing(ids, once) })
}

// Silence stops the timers with these ids, or all of them for nil, and returns those that were
// ringing or about to.
func (d *Dialogue) Silence(ctx context.Context, ids []int64) ([]int64, error) {
	var gone []int64
	err := d.tell(ctx, func(m *machine) { gone = m.silence(ids, "silenced") })
	return gone, err
}

// SetMuted closes or opens the microphone.
func (d *Dialogue) SetMuted(ctx context.Context, muted bool) error {
	return d.run(ctx, func(m *machine, ctx context.Context) error { return m.setMuted(ctx, muted) })
}

// SetVolume sets the volume of everything that is played, in percent.
func (d *Dialogue) SetVolume(ctx context.Context, percent int) error {
	if percent < 0 || percent > 100 {
		return errVolume
	}
	return d.run(ctx, func(m *machine, ctx context.Context) error { return m.setVolume(ctx, percent) })
}

// SetWindow sets for how long no wake phrase is needed after an answer, and whether an earcon
// tells that the box listens.
func (d *Dialogue) SetWindow(ctx context.Context, followUp time.Duration, chime bool) error {
	return d.tell(ctx, func(m *machine) { m.opt.Wake.FollowUp, m.opt.Wake.Chime = followUp, chime })
}

// StepVolume changes the volume by step percent points, within 0 to 100, and
// returns what it is then.
func (d *Dialogue) StepVolume(ctx context.Context, step int) (int, error) {
	var now int
	err := d.run(ctx, func(m *machine, ctx context.Context) error {
		now = min(max(m.volume+step, 0), 100)
		return m.setVolume(ctx, now)
	})
	return now, err
}

// SetMicrophone says whether capture works now.
func (d *Dialogue) SetMicrophone(ctx context.Context, works bool) error {
	return d.tell(ctx, func(m *machine) { m.setMicrophone(works) })
}

// Status is what the machine is doing now.
type Status struct {
	State  event.State `json:"state"`
	Muted  bool        `json:"muted"`
	Volume int         `json:"volume"`
	Turn   uint64      `json:"turn"` // id of the last turn
}

// Status asks the loop, so an answer also shows that the loop is alive.
func (d *Dialogue) Status(ctx context.Context) (Status, error) {
	var s Status
	err := d.tell(ctx, func(m *machine) {
		s = Status{State: m.shown, Muted: m.muted, Volume: m.volume, Turn: m.lastTurn}
	})
	return s, err
}

// State is what others see of the situation.
func (d *Dialogue) State(ctx context.Context) (event.State, error) {
	s, err := d.Status(ctx)
	return s.State, err
}

// Volume is in percent.
func (d *Dialogue) Volume(ctx context.Context) (int, error) {
	s, err := d.Status(ctx)
	return s.Volume, err
}

// clean checks text from outside, and tidies it.
func clean(text string) (string, error) {
	if len(text) > maxText {
		return "", errTooLong
	}
	return tidied(text)
}

// tidied replaces white space and control characters by single spaces.
func tidied(text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", errText
	}
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if text == "" {
		return "", errEmpty
	}
	return text, nil
}
