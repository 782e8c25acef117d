package dialogue

import (
	"context"
	"time"

	"hearthd/audio"
	"hearthd/daemon/event"
	"hearthd/llm"
)

const (
	// maxRecording bounds a message, in samples: the longest utterance.
	maxRecording = 15 * audio.Rate
	// maxMessages bounds the messages that wait to be played; each is half a megabyte.
	maxMessages = 4
	// toldRecord is for a model, which has no part in what follows.
	toldRecord = "The person will be asked for the message when you have ended. Say nothing about it."
	// playPart is how much of a message is queued at once, in samples.
	playPart = audio.Rate / 10
)

// soundKey is the key of a recording in the context of a call.
type soundKey struct{}

// Recorded is what a person has said for the call that ctx belongs to, mono at
// audio.Rate, or nil. It belongs to the turn.
func Recorded(ctx context.Context) []int16 {
	sound, _ := ctx.Value(soundKey{}).([]int16)
	return sound
}

// record notes a call that waits for what a person says, once.
func (n *notes) record(call llm.ToolCall, text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, asked{call: call, text: text, record: true})
}

// recording reports whether what a person says now is kept as it sounds.
func (m *machine) recording() bool {
	return m.armed.by == byQuestion && m.question != nil && m.question.record
}

// recorded begins the turn that does something with a recording, of which the words do
// not matter, unless they are a no. It reports false when nobody wants it any more.
func (m *machine) recorded(ctx context.Context, u *utterance, text string) bool {
	if m.question == nil || !m.question.record {
		return false
	}
	if call, _, ok := m.opt.Matcher.Match(text); ok && call.Name == consentCall && !agrees(call) {
		u.sound = nil
	} else {
		text = ""
	}
	m.request(ctx, u, u.armed, text)
	return true
}

// message hands a recording to the call that waits for it.
func (a *answer) message(ctx context.Context) {
	q := a.t.req.question
	a.doc.Route = "intent"
	if q == nil || !q.record {
		a.routed()
		a.say(ctx, line{text: sayNotAsked})
		return
	}
	a.doc.Intent = q.calls[0].call.Name
	a.routed()
	a.confirmed(context.WithValue(ctx, soundKey{}, a.t.req.sound), q)
}

// PlayAt is AnnounceAt for what somebody has recorded, mono at audio.Rate: it is played
// after an earcon and text, which may be empty, and kept until then.
func (d *Dialogue) PlayAt(ctx context.Context, text string, sound []int16, urgent bool, at time.Time) error {
	if len(sound) == 0 || len(sound) > maxRecording {
		return ErrSound
	}
	if text != "" {
		var err error
		if text, err = clean(text); err != nil {
			return err
		}
	}
	return d.put(ctx, announcement{text: text, chime: true, urgent: urgent, at: at, sound: sound})
}

// messages counts those that wait.
func (m *machine) messages() (n int) {
	for _, a := range m.waiting {
		if a.sound != nil {
			n++
		}
	}
	return n
}

// play plays what somebody has recorded.
func (a *answer) play(ctx context.Context, sound []int16) {
	if len(sound) == 0 {
		return
	}
	s, err := a.speech.Stream(audio.Rate)
	for len(sound) > 0 && err == nil && ctx.Err() == nil {
		n := min(playPart, len(sound))
		err = s.Play(ctx, sound[:n], func() { a.report(ctx, event.Speaking) })
		sound = sound[n:]
	}
	if err == nil {
		err = s.End(ctx)
	}
	if err != nil && ctx.Err() == nil {
		a.d.opt.Log.WarnContext(ctx, "play message", "component", "voice", "error", err)
	}
}
