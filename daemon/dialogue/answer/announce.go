package answer

import (
	"context"
	"time"

	"hearthd/audio"
	"hearthd/audio/cue"
	"hearthd/daemon/event"
	"hearthd/daemon/voice"
)

func (a *answer) announce(ctx context.Context, says *Announcement) {
	a.opt.Tools.cite(a.notes, says.Sources)
	if says.Foreign {
		a.notes.markForeign()
	}
	if time.Until(says.At) > 0 {
		defer a.speech.Forget()
		a.assemble(ctx, says)
	}
	if says.Chime {
		a.cue(ctx, cue.Notice)
	}
	a.say(ctx, line{text: says.Text})
	a.play(ctx, says.Sound)
}

// playPart is how much of a message is queued at once, in samples.
const playPart = audio.Rate / 10

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
		a.opt.Log.WarnContext(ctx, "play message", "component", "voice", "error", err)
	}
}

// assemble waits for the moment at which all boxes begin, with the first sentence ready.
func (a *answer) assemble(ctx context.Context, says *Announcement) {
	wait := time.NewTimer(time.Until(says.At))
	defer wait.Stop()
	for text := range voice.Pieces(says.Text) {
		a.speech.Prepare(ctx, text)
		break
	}
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
}
