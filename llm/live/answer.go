package live

import (
	"fmt"
	"strings"
	"time"
)

const (
	// parted are utterances with that much between them, in milliseconds.
	parted = 300
	// cushion is how much of speech there has to be before it is passed on.
	cushion = rate / 5
	// maxEarly bounds what is kept of an answer that begins before the request has ended, in
	// samples: longer than an utterance.
	maxEarly = 20 * rate
	// maxWords bounds the fragments of an answer that are kept.
	maxWords = 1024
)

// word is a fragment of an answer.
type word struct {
	text       string
	start, end int64  // milliseconds of the session
	item       string // the answer
	at         int    // samples of it that came before
}

// sounds takes audio of the service.
func (l *line) sounds(samples []int16) {
	t := &l.talk
	t.soundedAt = time.Now()
	was := t.voice.speaking
	speech := t.voice.hear(samples)
	switch {
	case t.stale:
		if t.voice.quiet >= breath {
			t.stale, t.voice.speaking = false, false
		}
	case t.response != "":
		l.play(speech, t.voice.quiet >= trail)
	case t.open:
		if t.voice.speaking && !was && !t.committed && l.at.Detection != "" { // it has heard the end of the request
			l.commit()
		}
		if len(t.early) < maxEarly {
			t.early = append(t.early, speech...)
		}
	}
}

// play passes on speech, with a cushion: it comes no faster than it is played, so that without one
// every delay on its way would be a hole in a word. What there is is all, if last.
func (l *line) play(speech []int16, last bool) {
	t := &l.talk
	t.held = append(t.held, speech...)
	if len(t.held) > 0 && (t.flows || last || len(t.held) >= cushion) {
		t.spoke = true
		t.played += len(t.held)
		l.tell(told{"type": "response.output_audio.delta", "response_id": t.response, "item_id": l.reply(),
			"delta": bytesOf(t.held)})
		t.held = nil
	}
	t.flows = t.spoke && len(t.held) == 0 && !last
}

// says takes words of the service.
func (l *line) says(w word) {
	t := &l.talk
	switch {
	case t.stale, w.text == "":
	case t.response != "":
		w.at = t.played + len(t.held)
		l.word(w)
	case t.open && len(t.earlier) < maxWords:
		w.at = len(t.early)
		t.earlier = append(t.earlier, w)
	}
}

// word passes on a word. Between the utterances of the service nothing but time separates them.
func (l *line) word(w word) {
	t := &l.talk
	w.item = l.reply()
	if n := len(t.words); n > 0 && t.words[n-1].item == w.item && w.start-t.words[n-1].end >= parted {
		w.text = " " + strings.TrimLeft(w.text, " ")
	}
	t.words = append(t.words[max(0, len(t.words)-maxWords+1):], w)
	l.tell(told{"type": "response.output_audio_transcript.delta", "response_id": t.response, "item_id": w.item,
		"delta": w.text})
}

// reply is the id of the answer to the request.
func (l *line) reply() string { return fmt.Sprintf("answer_%d", l.talk.requests) }

// truncate tells the service how much was heard of what it said.
func (l *line) truncate(item string, ms int64) {
	var heard strings.Builder
	for _, w := range l.talk.words {
		if w.item == item && lasts(w.at).Milliseconds() < ms {
			heard.WriteString(w.text)
		}
	}
	if text := strings.TrimSpace(heard.String()); text != "" {
		l.add(toKnow, "Of your last answer the person has heard only this: "+text, "", "")
		return
	}
	l.add(toKnow, "The person has heard nothing of your last answer.", "", "")
}
