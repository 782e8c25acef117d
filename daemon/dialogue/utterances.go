package dialogue

import "context"

// recognise gives u a recogniser.
func (m *machine) recognise(ctx context.Context, u *utterance) {
	ctx, u.cancel = context.WithCancel(ctx)
	r := &recogniser{engine: m.opt.Recogniser, words: m.words, u: u}
	m.wg.Go(func() { r.run(ctx) })
}

// prepare opens a recogniser before a person speaks, so that the first frame need not wait.
func (m *machine) prepare(ctx context.Context) {
	if m.ready != nil || !m.window().byPerson() || m.speechOpen() {
		return
	}
	if r := m.opt.responder(m.window().route); r != nil && !m.takesMessage() {
		r.Prepare()
	}
	m.ready = newUtterance()
	m.recognise(ctx, m.ready)
}

// takesMessage reports whether the next utterance is a message to be recorded.
func (m *machine) takesMessage() bool { return m.window().by == byQuestion && m.question.records() }

// unprepare gives up the recogniser to which nobody has spoken.
func (m *machine) unprepare() {
	if m.ready != nil {
		m.ready.cancel()
		m.ready = nil
	}
}

// speechOpen reports whether somebody is speaking.
func (m *machine) speechOpen() bool {
	for _, u := range m.utterances {
		if !u.closed {
			return true
		}
	}
	return false
}

// drop gives up an utterance.
func (m *machine) drop(id uint64) {
	u := m.utterances[id]
	if u == nil {
		return
	}
	delete(m.utterances, id)
	u.up.Drop()
	if u.held {
		m.opt.Voice.Duck(false)
		return
	}
	u.cancel()
	if !u.closed {
		u.close()
	}
}

func (m *machine) dropUtterances() {
	for id := range m.utterances {
		m.drop(id)
	}
}

// dropBefore gives up utterances that began before id and are still being recognised: their
// answers would come too late.
func (m *machine) dropBefore(id uint64) {
	for old := range m.utterances {
		if old < id {
			m.drop(old)
		}
	}
}
