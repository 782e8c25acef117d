package live

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"hearthd/llm/realtime"
)

// FuzzEvents lets a session take whatever a service and a client send, a line each, in which a client's
// begins with a blank. No event makes it fail, and no two responses are made at once.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(`{"type":"session.started"}
 {"type":"input_audio_buffer.append","audio":"AAAA"}
{"type":"session.input_transcript.delta","delta":"How high?"}
 {"type":"input_audio_buffer.commit"}
{"type":"session.output_audio.delta","delta":"AAAAAA"}
 {"type":"response.create","response":{"instructions":"Be short."}}
{"type":"session.delegation.created","delegation":{"id":"d","target":"client"}}

{"type":"session.output_transcript.delta","delta":"Yes","start_ms":5,"end_ms":-9}
 {"type":"conversation.item.create","item":{"call_id":"d","output":"330 metres"}}
 {"type":"response.cancel"}
 {"type":"conversation.item.truncate","item_id":"answer_1","audio_end_ms":-1}
{"type":"error","error":{"client_event_id":"result"}}
{"type":"session.closed","usage":{"seconds":-1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := &line{at: &realtime.Options{Log: slog.New(slog.DiscardHandler), Detection: "semantic_vad",
			Spent: func(money float64) {
				if money < 0 {
					t.Errorf("%v is given back", money)
				}
			}},
			opt:    Options{Delegate: func(string) (string, []byte) { return "ask", nil }},
			out:    make(chan *command, 1<<12),
			events: make(chan []byte, 1<<12),
			end:    func(error) {},
		}
		now := time.Now()
		for e := range bytes.Lines(data) {
			now = now.Add(time.Second)
			switch ask, err := decode[asked](e); {
			case err != nil:
				l.passes(now)
			case e[0] == ' ':
				l.asked(ask)
			default:
				if n, err := noticed(e); err == nil {
					l.notice(n)
				}
			}
		}
		open := 0
		for len(l.events) > 0 {
			e, err := decode[struct{ Type string }](<-l.events)
			if err != nil {
				t.Fatal(err)
			}
			switch e.Type {
			case "response.created":
				open++
			case "response.done":
				open--
			}
			if open < 0 {
				t.Error("a response ends twice")
			}
		}
	})
}
