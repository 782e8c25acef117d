package control

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

const (
	// eventQueue is how far a reader of events may fall behind.
	eventQueue = 256
	// maxStreams leaves half of the connections to commands.
	maxStreams = maxClients / 2
	// eventBeat keeps a quiet stream open and notices a reader that is gone.
	eventBeat = 15 * time.Second
)

// events streams every event as a server-sent event whose data is its JSON. A
// reader that falls behind is told how many events it missed.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		answer(w, http.StatusServiceUnavailable, failure{"too many streams of events are open"})
		return
	}
	sub := s.opt.Bus.Subscribe("control", eventQueue)
	defer sub.Close()
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	send := func(text string) bool {
		if err := out.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
			return false
		}
		if _, err := w.Write([]byte(text)); err != nil {
			return false
		}
		return out.Flush() == nil
	}
	if !send(": hearthd\n\n") {
		return
	}
	beat := time.NewTicker(eventBeat)
	defer beat.Stop()
	var missed uint64
	for {
		text := ": \n\n"
		select {
		case <-r.Context().Done():
			return
		case <-beat.C:
		case e := <-sub.C():
			data, err := json.Marshal(e)
			if err != nil {
				s.opt.Log.Error("encode event", "component", "control", "error", err)
				continue
			}
			text = fmt.Sprintf("data: %s\n\n", data)
		}
		if n := sub.Dropped(); n != missed {
			text = fmt.Sprintf("event: missed\ndata: %d\n\n", n-missed) + text
			missed = n
		}
		if !send(text) {
			return
		}
	}
}
