package dialogue

import (
	"context"
	"errors"
	"time"

	"hearthd/audio/cue"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
	"hearthd/daemon/peer"
)

// complaintPause is the least time between two earcons about a failing recogniser when nobody is
// known to have asked for anything.
const complaintPause = time.Minute

// Why an utterance is ignored, beside answer.NotAddressed.
const (
	recogniserFailed = "recogniser_failed"
	notUnderstood    = "not_understood"
	otherVoice       = "other_voice" // a yes from somebody else than the person who was asked
)

// hear handles words from a recogniser.
func (m *machine) hear(ctx context.Context, w words) {
	u := w.of()
	switch w := w.(type) {
	case *soFar:
		if m.utterances[u.id] == u && u.waits == nil {
			m.limitPause(w)
			if !w.early {
				u.soFar = w
				m.wholeSoFar(ctx, u)
			}
		}
	case *transcript:
		switch {
		case u == m.ready: // it failed before anybody spoke; the next recogniser may work
			m.unprepare()
			m.opt.Recogniser.Heard(w.err)
		case m.utterances[u.id] == u && u.waits == nil:
			m.transcribed(ctx, w)
		}
	}
}

// afterPhrase is what follows the wake phrase in text, if that is listened for.
func (m *machine) afterPhrase(text string) (rest string, ok bool) {
	if m.opt.Wake.Engine != WakePhrase {
		return "", false
	}
	return m.opt.Matcher.Wake(text)
}

// limitPause tells the front end how much silence ends the utterance in this pause, if the
// person has not gone on meanwhile.
func (m *machine) limitPause(w *soFar) {
	u, text, addressed := w.u, w.text, w.u.by != ""
	if w.unsure {
		text = "" // more of it may be clearer
	}
	if rest, ok := m.afterPhrase(text); ok {
		text, addressed = rest, true
		m.mayAnswer(u) // so that it is known when the person has ended
	}
	if !addressed {
		if !w.early {
			u.peeks = maxPeeks // nobody asked for anything
		}
		return
	}
	if u.closed || w.pause != u.voiced || text == "" {
		return
	}
	whole, begun := m.opt.Matcher.Completeness(text)
	switch {
	case whole:
		m.opt.Ears.EndAfter(u.id, endComplete)
	case begun:
		m.opt.Ears.EndAfter(u.id, endUnfinished)
	}
}

// wholeSoFar takes the words up to the last pause for the transcript, if the utterance has
// ended with that pause.
func (m *machine) wholeSoFar(ctx context.Context, u *utterance) {
	if u.closed && u.soFar != nil && u.soFar.pause == u.voiced {
		m.transcribed(ctx, &transcript{u: u, text: u.soFar.text, heard: u.soFar.heard})
	}
}

// mayAnswer reports whether this box may answer an utterance with the wake phrase, which other
// boxes may have heard too. In a window that a person opened, it may.
func (m *machine) mayAnswer(u *utterance) bool {
	if u.byPerson() {
		return true
	}
	if u.claim == nil {
		u.claim = m.contend(peer.Bid{Score: phraseScore, Since: u.onset})
	}
	return u.claim.Won
}

// transcribed decides whether an utterance is a request.
func (m *machine) transcribed(ctx context.Context, t *transcript) {
	u := t.u
	if t.err == nil && u.lost {
		t.err = errBehind
	}
	text, woken := m.afterPhrase(t.text)
	if t.unsure && !u.byPerson() {
		woken = false // the wake phrase too is a guess
	}
	if t.err == nil && woken && !m.mayAnswer(u) {
		u.cancel()
		u.waits = t
		return
	}
	delete(m.utterances, u.id)
	u.cancel()
	defer func() { u.up.Drop() }()
	if !errors.Is(t.err, errCutOff) {
		m.opt.Recogniser.Heard(t.err)
	}
	switch {
	case u.message != nil && m.messageEnded(ctx, t):
	case t.err != nil:
		m.untranscribed(ctx, t)
	case !woken:
		if u.by == "" && !t.unsure && m.ringHeard() && m.opt.Answers.EndsRinging(t.text) {
			u.by = byRinging
		}
		m.understood(ctx, t, t.text)
	case text == "":
		m.phraseAlone(ctx, u)
	default:
		if !u.byPerson() {
			u.opening = opening{by: byPhrase}
		}
		m.understood(ctx, t, text)
	}
}

// untranscribed ends an utterance that no recogniser could read; a responder may have heard it.
func (m *machine) untranscribed(ctx context.Context, t *transcript) {
	m.log.Warn("transcribe utterance", "component", "stt", "error", t.err)
	if t.u.byPerson() && t.u.up != nil {
		m.request(ctx, t.u, "")
		return
	}
	m.unheard(ctx, t.u, recogniserFailed, m.opt.Book.Say("dialogue.ears_gone"))
}

// understood begins the turn for the text of t, unless it is not meant for this box.
func (m *machine) understood(ctx context.Context, t *transcript, text string) {
	u := t.u
	u.heardBy, u.faint, u.rival = t.by, t.faint, t.rival
	unclear := t.unsure || t.rival && (u.up != nil || m.agrees(text))
	switch {
	case !unclear, m.ringHeard() && m.opt.Answers.EndsRinging(text): // ending a ring does no harm
	case !u.byPerson(), u.up != nil, m.agrees(text):
		text = "" // nobody is there to be asked, a responder heard it too, or only a clear yes counts
	default:
		u.unsure = true
	}
	switch {
	case u.by == "", m.stray(u, text):
		m.ignore(u.id, answer.NotAddressed)
	case !m.question.sameVoice(u.level) && m.agrees(text):
		m.unheard(ctx, u, otherVoice, m.opt.Book.Say("dialogue.unanswered"))
	case t.rejected && u.by == byButton && u.up == nil && m.window().by == byButton:
		m.ignore(u.id, notUnderstood)
		m.opt.Voice.Cue(cue.Failed)
		m.beginUndetected()
		m.prepare(ctx)
	case text == "" && !(u.byPerson() && u.up != nil):
		m.unheard(ctx, u, notUnderstood, m.opt.Book.Say("dialogue.not_understood"))
	default:
		m.request(ctx, u, text)
	}
}

// stray reports whether text, which fell into a follow-up window, is only a greeting, or a yes
// or no where nothing was asked.
func (m *machine) stray(u *utterance, text string) bool {
	return !u.byPerson() && !m.question.waits() && m.opt.Answers.Idle(text)
}

// agrees reports whether text is nothing but a yes.
func (m *machine) agrees(text string) bool {
	yes, _ := m.opt.Answers.Agrees(text)
	return yes
}

// messageEnded begins the turn that does something with a recorded message. Its words do not
// matter, unless they are a no. It reports false if nobody wants the message any more.
func (m *machine) messageEnded(ctx context.Context, t *transcript) bool {
	if !m.question.records() {
		return false
	}
	u, text := t.u, t.text
	if yes, ok := m.opt.Answers.Agrees(text); ok && !yes && !t.unsure && !t.rival {
		u.message = nil
	} else {
		text = ""
	}
	m.request(ctx, u, text)
	return true
}

// request begins the turn that answers u. Without a text only a responder can.
func (m *machine) request(ctx context.Context, u *utterance, text string) {
	m.dropBefore(u.id)
	u.misleads()
	up := u.up
	u.up = nil
	var waited time.Duration
	if u.claim != nil {
		waited = u.claim.waited
	}
	m.whose(ctx, u) // which is so far unknown where nobody had opened a window
	var who <-chan string
	if u.speaker != nil {
		who = u.speaker.found
	}
	m.begin(ctx, &answer.Spoken{
		Speaker: who,
		Query:   answer.Query{Text: text}, Waited: waited, By: u.by, Route: u.route, Sound: u.message, Upload: up,
		Level: u.level, Unsure: u.unsure, Faint: u.faint, Rival: u.rival, HeardBy: u.heardBy, SpeechEnd: u.speechEnd,
		Ended: u.ended,
	})
	if u.tape != nil && m.records() {
		m.opt.Recordings.Keep(m.lastTurn, u.tape)
	}
}

// phraseAlone handles the wake phrase with nothing after it. Somebody who has gone on speaking
// meanwhile gets the window without an earcon.
func (m *machine) phraseAlone(ctx context.Context, u *utterance) {
	m.dropBefore(u.id)
	m.opt.Bus.Publish(&event.Woken{By: byPhrase})
	for _, next := range m.utterances {
		next.opening = opening{by: byPhrase}
	}
	switch {
	case m.hears() != nil:
	case len(m.utterances) > 0 && m.turn() == nil:
		m.openWindow(ctx, &window{opening: opening{by: byPhrase}}, listenWindow)
	default:
		m.listen(ctx, opening{by: byPhrase})
	}
}

func (m *machine) ignore(id uint64, reason string) {
	m.opt.Bus.Publish(&event.Ignored{Utterance: id, Reason: reason})
}

// unheard ends an utterance without words. A person who is known to have spoken to the box is told;
// what only happened to be said in a follow-up window is ignored. A failing recogniser may have
// missed the wake phrase, so an earcon warns of it, but not for every sentence in the room.
func (m *machine) unheard(ctx context.Context, u *utterance, reason, apology string) {
	m.ignore(u.id, reason)
	if !u.byPerson() {
		if now := time.Now(); reason == recogniserFailed && now.After(m.complainedAt.Add(complaintPause)) {
			m.complainedAt = now
			m.opt.Voice.Cue(cue.Failed)
		}
		return
	}
	m.opt.Voice.Cue(cue.Failed)
	if u.by == byQuestion && m.question.waits() && !m.question.again {
		m.question.again = true
		m.openWindow(ctx, &window{opening: u.opening}, listenWindow)
		return
	}
	m.closeWindow()
	if !m.question.aloud() { // which settle answers
		m.say(apology)
	}
}
