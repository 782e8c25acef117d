package dialogue

import (
	"context"
	"time"

	"hearthd/audio/cue"
)

// listenWindow is how long a window that a person opened waits for speech.
const listenWindow = 8 * time.Second

// openWindow replaces the window by w, in which a conversation goes on, and reports whether it
// did. A box that cannot hear opens none.
func (m *machine) openWindow(ctx context.Context, w *window, d time.Duration) bool {
	if d <= 0 || m.hears() != nil {
		return false
	}
	if w.conversation == nil {
		w.conversation = m.window().conversation
	}
	m.setWindow(w)
	m.windowEnd.Reset(d)
	m.beginUndetected()
	m.prepare(ctx)
	return true
}

// closeWindow closes the window, if it is open.
func (m *machine) closeWindow() {
	m.setWindow(&window{})
	m.windowEnd.Stop()
	m.chime.Stop()
	m.unprepare()
}

// windowEnded closes the window when nobody has spoken in time.
func (m *machine) windowEnded() {
	m.endUndetected()
	does := m.row().windowEnded
	m.closeWindow()
	if does == complains && !m.question.aloud() { // then settle says a sentence
		m.opt.Voice.Cue(cue.Failed)
	}
}

// beginUndetected begins an utterance with the window that a person opened, where no detector does.
func (m *machine) beginUndetected() {
	if m.opt.Wake.NoDetector && m.window().byPerson() {
		m.opt.Ears.DiscardOpen()
	}
}

// endUndetected ends, where no detector runs, an utterance in which nobody was heard to speak in time.
// If no responder listened for that, it is a request all the same.
func (m *machine) endUndetected() {
	if !m.opt.Wake.NoDetector {
		return
	}
	for id, u := range m.utterances {
		if u.closed {
			continue
		}
		select {
		case <-u.up.Heard():
			continue // the person still speaks
		default:
		}
		m.opt.Ears.EndAfter(id, 0)
		if !u.up.Failed() {
			m.drop(id)
		}
	}
}
