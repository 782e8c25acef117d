package live

import (
	"fmt"
	"time"

	"hearthd/llm/realtime"
)

const (
	// stalled is the wait for audio, after which an answer is taken for over: it comes all the time.
	stalled = 2 * time.Second
	// abandoned is how long a request may wait for its end, or for somebody who wants its answer: a slow
	// recogniser takes ten seconds.
	abandoned = 20 * time.Second
	// maxSaid bounds the words of a person, in bytes, as llm/realtime does.
	maxSaid = 4096

	toldStop = "The person has interrupted you. Stop speaking, and wait until they speak again."
)

// talk is the state of a session: a request of a person, and its answer.
type talk struct {
	open      bool   // a request is made, or answered
	committed bool   // the person has ended
	requests  int    // so far
	said      string // by the person
	saidAt    time.Time
	sent      int       // samples, that are not paid yet
	fedAt     time.Time // when the person was heard last

	response  string // that is made, or empty
	responses int    // so far
	asked     time.Time
	voice     voice
	soundedAt time.Time // when audio came last
	spoke     bool      // the response has made a sound
	played    int       // samples of the answer to the request
	words     []word    // of the newest answers
	held      []int16   // speech that is not passed on yet
	flows     bool      // what comes is passed on at once
	stale     bool      // what comes belongs to an answer that was cut
	early     []int16   // the beginning of an answer to a request that has not ended
	earlier   []word    // and its words

	delegation string // that waits for the words of the person, or empty
	handedAt   time.Time
	handed     bool   // the words of the request are those of a call
	call       string // that has no result yet, or empty
}

// asked takes an event of the client. mu is held.
func (l *line) asked(e *asked) {
	t := &l.talk
	switch e.Type {
	case "input_audio_buffer.append":
		if t.committed && t.response == "" && l.at.Detection == "" {
			t.open = false // another one
		}
		l.begin()
		t.fedAt = time.Now()
		l.hearable(e.Audio)
	case "input_audio_buffer.commit":
		l.commit()
	case "input_audio_buffer.clear", "conversation.item.delete":
		if e.Type == "conversation.item.delete" || !t.committed {
			l.end(realtime.ErrEnded) // what was not meant for the service, it forgets only with all else
		}
	case "response.create":
		l.begin()
		l.answer(e.Response.Instructions)
	case "response.cancel":
		l.cut()
	case "conversation.item.truncate":
		l.truncate(e.ItemID, e.EndMS)
	case "conversation.item.create":
		if e.Item.CallID != "" {
			l.result(e.Item.CallID, e.Item.Output)
		} else if len(e.Item.Content) > 0 {
			who := map[string]string{"user": "The person said to the house: ", "assistant": "The house answered: "}
			l.add(toKnow, who[e.Item.Role]+e.Item.Content[0].Text, "", "")
		}
	}
}

// begin begins a request, if there is none.
func (l *line) begin() {
	if t := &l.talk; !t.open {
		*t = talk{open: true, requests: t.requests + 1, responses: t.responses, voice: t.voice, stale: t.stale, sent: t.sent,
			words: t.words} // the cut of an answer may come after the next request has begun
	}
}

// hearable sends audio.
func (l *line) hearable(data []byte) {
	l.talk.sent += len(data) / 2
	l.send(&command{Type: "session.input_audio.append", Audio: data})
}

// add adds to what the session knows.
func (l *line) add(kind, content, delegation, event string) {
	var of *string
	if delegation != "" {
		of = &delegation
	}
	for _, piece := range pieces(content) {
		l.send(&command{Type: kind, Event: event, addition: &addition{piece, of}})
	}
}

// commit ends the request. The person's words are an item of the conversation from then on.
func (l *line) commit() {
	if t := &l.talk; !t.committed {
		t.committed = true
		l.tell(told{"type": "input_audio_buffer.committed", "item_id": l.item()})
		l.transcribe()
	}
}

// item is the id of what the person says.
func (l *line) item() string { return fmt.Sprintf("request_%d", l.talk.requests) }

func (l *line) transcribe() {
	if t := &l.talk; t.committed && t.said != "" {
		l.tell(told{"type": "conversation.item.input_audio_transcription.completed", "item_id": l.item(),
			"transcript": t.said})
	}
}

// hears takes words of the person.
func (l *line) hears(words string) {
	t := &l.talk
	if !t.open || len(t.said)+len(words) > maxSaid {
		return
	}
	if t.said == "" && l.at.Detection != "" {
		l.tell(told{"type": "input_audio_buffer.speech_started"})
	}
	if t.response == "" && !t.voice.speaking { // what was said before them was no answer to them
		t.early, t.earlier = nil, nil
	}
	t.said += words
	t.saidAt = time.Now()
	l.transcribe()
}

// answer begins a response.
func (l *line) answer(instructions string) {
	t := &l.talk
	l.add(toObey, instructions, "", "")
	t.responses++
	t.response = fmt.Sprintf("response_%d", t.responses)
	t.asked, t.soundedAt, t.spoke = time.Now(), time.Now(), false
	l.tell(told{"type": "response.created", "response": told{"id": t.response}})
	early, words := t.early, t.earlier
	t.early, t.earlier = nil, nil
	for _, w := range words {
		w.at += t.played
		l.word(w)
	}
	l.play(early, !t.voice.speaking)
}

// passes looks what follows from the time. The service hears silence as soon as the person is not
// heard any more: it is that which tells it that they have ended.
func (l *line) passes(now time.Time) {
	t := &l.talk
	unfed := now.Sub(t.fedAt)
	if t.response == "" && unfed > abandoned {
		t.open = false
	}
	if t.response != "" || t.open && unfed >= 3*tick {
		l.hearable(make([]byte, 2*rate*tick/time.Second))
	}
	if t.response == "" {
		return
	}
	l.hand(now)
	switch {
	case t.delegation != "" || t.call != "":
	case t.spoke && (t.voice.quiet >= pause || now.Sub(t.soundedAt) >= stalled):
		l.done("completed", nil)
		t.open = false
	case !t.spoke && now.Sub(t.asked) >= l.opt.Silence:
		if t.handed {
			l.done("failed", told{"code": "result_not_spoken"})
		} else {
			l.done("completed", nil)
		}
		t.open = false
	}
}

// done ends the response.
func (l *line) done(status string, fault told) {
	t := &l.talk
	seconds := lasts(t.sent).Seconds()
	t.sent = 0
	l.pay(seconds)
	end := told{"id": t.response, "status": status, "usage": told{"seconds": seconds}}
	if fault != nil {
		end["status_details"] = told{"error": fault}
	}
	if status == "completed" {
		l.play(nil, true)
	}
	t.held, t.flows = nil, false
	if t.spoke {
		l.tell(told{"type": "response.output_audio.done", "response_id": t.response, "item_id": l.reply()})
	}
	l.tell(told{"type": "response.done", "response": end})
	t.response = ""
}

// cut ends the response, which a person does not want any more. Nothing can make the service drop
// what it says, so that is dropped here.
func (l *line) cut() {
	t := &l.talk
	if t.response == "" {
		return
	}
	l.done("cancelled", nil)
	t.open, t.stale = false, t.voice.speaking
	l.add(toObey, toldStop, "", "")
}
