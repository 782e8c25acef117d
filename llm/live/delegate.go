package live

import (
	"strings"
	"time"
)

const (
	// settles is how long the words of a person may still change after a delegation, and patience
	// how long they may take to come.
	settles  = 300 * time.Millisecond
	patience = 2 * time.Second

	eventResult = "result" // the id of events with the result of a delegation
)

// What the service is told of a delegation beside what the house has found.
const (
	toldLate    = "That came too late: the person has gone on to something else. Say nothing about it."
	toldAlready = "That was handed over already, and its result comes with the delegation before."
	toldUnheard = "What the person said could not be made out. Ask them to say it again."
)

// delegates takes what the service cannot know by itself.
func (l *line) delegates(id, target string) {
	t := &l.talk
	switch {
	case target != "client":
	case !t.open:
		l.add(toKnow, toldLate, id, "")
	case t.handed || t.delegation != "": // there are no other words that could be handed over
		l.add(toKnow, toldAlready, id, "")
	default:
		t.delegation, t.handedAt = id, time.Now()
	}
}

// hand hands over the delegation, once the words of the person are there.
func (l *line) hand(now time.Time) {
	t := &l.talk
	switch {
	case t.delegation == "":
		return
	case t.said != "" && now.Sub(t.saidAt) >= settles:
	case now.Sub(t.handedAt) < patience:
		return
	}
	id := t.delegation
	t.delegation = ""
	if t.said == "" {
		t.asked = now
		l.add(toSay, toldUnheard, id, eventResult)
		return
	}
	tool, arguments := l.opt.Delegate(strings.TrimSpace(t.said))
	t.handed, t.call = true, id
	l.tell(told{"type": "response.output_item.done", "response_id": t.response, "item": told{
		"id": id, "type": "function_call", "status": "completed", "call_id": id, "name": tool,
		"arguments": string(arguments)}})
}

// result has the service say the result of a call; if nobody waits for it any more, it only knows.
func (l *line) result(call, output string) {
	if t := &l.talk; t.response == "" || t.call != call {
		l.add(toKnow, output, call, "")
		return
	}
	l.talk.call = ""
	l.add(toSay, output, call, eventResult)
	l.done("completed", nil) // the next one says it
}
