package realtime

import "time"

// begin makes t the current turn and ends the previous one.
func (l *loop) begin(t *Turn) {
	if l.turn != nil {
		l.cut(l.turn, -1)
	}
	l.turn = t
}

// cut ends t, of whose audio the first heard milliseconds were played; less than
// zero means that this is not known yet: another turn has begun.
func (l *loop) cut(t *Turn, heard int64) {
	if t == l.turn {
		l.leave(t)
	}
	if heard >= 0 && !t.truncated {
		t.truncated = true
		for _, cut := range t.unheard(heard) {
			l.send(cut)
		}
	}
}

// leave ends the current turn: nothing of it is played or made any more, and each of its calls has
// an output.
func (l *loop) leave(t *Turn) {
	l.turn, l.left = nil, time.Now()
	l.stop(t)
	for _, r := range l.known {
		for id, owed := range r.called {
			if owed && r.turn == t {
				l.output(r, id, outputStale)
			}
		}
	}
	if t.appended && (!t.committed || t.unasked != "") {
		l.send(outgoing{Type: "input_audio_buffer.clear"})
	}
	if t.unasked != "" { // it was meant for the house, not for the service
		l.send(outgoing{Type: "conversation.item.delete", Event: eventMemory, ItemID: t.unasked})
	}
}

// stop makes the service generate no more for t, which nobody listens to any more. Calls that still
// run keep their outputs.
func (l *loop) stop(t *Turn) {
	t.drop()
	if l.wanted != nil && l.wanted.turn == t {
		l.wanted = nil
	}
	if l.active != nil && l.active.turn == t {
		l.cancel(l.active)
	}
}

// cancel cancels a response that runs, once.
func (l *loop) cancel(r *response) {
	if !r.cut && !r.done {
		r.cut = true
		l.send(outgoing{Type: "response.cancel", ResponseID: r.id})
	}
}
