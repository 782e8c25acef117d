package llmtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
)

// wyomingPeer is one connection of a Wyoming server.
type wyomingPeer struct {
	server *Wyoming
	conn   net.Conn
	r      *bufio.Reader

	asked map[string]any // data of the transcribe that is being answered
	audio []byte
	open  bool // between audio-start and audio-stop

	wake wyomingWaiting
}

func newWyomingPeer(s *Wyoming, c net.Conn) *wyomingPeer {
	return &wyomingPeer{server: s, conn: c, r: bufio.NewReader(c)}
}

// serve answers until the client leaves. A message that is not JSON ends the
// connection, as it does in the reference implementation.
func (p *wyomingPeer) serve() {
	for {
		h, payload, err := p.read()
		if err != nil {
			return
		}
		if err := p.handle(h.Type, h.Data, payload); err != nil {
			return
		}
	}
}

func (p *wyomingPeer) read() (h wyomingHeader, payload []byte, err error) {
	line, err := p.r.ReadBytes('\n')
	if err != nil {
		return h, nil, err
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return h, nil, err
	}
	if h.Data == nil {
		h.Data = map[string]any{}
	}
	if h.DataLength != nil && *h.DataLength > 0 {
		block := make([]byte, *h.DataLength)
		if _, err := io.ReadFull(p.r, block); err != nil {
			return h, nil, err
		}
		if err := json.Unmarshal(block, &h.Data); err != nil {
			return h, nil, err
		}
	}
	if h.PayloadLength != nil && *h.PayloadLength > 0 {
		payload = make([]byte, *h.PayloadLength)
		_, err = io.ReadFull(p.r, payload)
	}
	return h, payload, err
}

func (p *wyomingPeer) send(kind string, data map[string]any, payload []byte) error {
	_, err := p.conn.Write(encodeWyoming(kind, data, payload))
	return err
}

// complain answers an error event. As the handlers of the real servers do, the
// connection ends with it.
func (p *wyomingPeer) complain(code, format string, args ...any) error {
	if err := p.send("error", map[string]any{"text": fmt.Sprintf(format, args...), "code": code}, nil); err != nil {
		return err
	}
	return errLeave
}

func (p *wyomingPeer) handle(kind string, data map[string]any, payload []byte) error {
	switch kind {
	case "describe":
		if p.wake.on && p.server.script.Fault == WyomingSilent {
			return nil
		}
		return p.send("info", p.server.info(), nil)
	case "ping":
		return p.send("pong", data, nil)
	case "detect":
		return p.detect(data)
	case "transcribe":
		p.asked, p.audio = data, nil
		return p.misbehave("")
	case "audio-start", "audio-chunk":
		return p.hear(kind, data, payload)
	case "audio-stop":
		if !p.open {
			return p.complain("RuntimeError", "audio-stop without audio-start")
		}
		p.open = false
		if p.wake.on {
			return p.send("not-detected", nil, nil)
		}
		p.server.record(WyomingRequest{Type: "transcribe", Data: p.asked, Audio: p.audio})
		if p.server.script.Fault != WyomingGood {
			return nil
		}
		return p.transcribed()
	case "synthesize":
		text, ok := data["text"].(string)
		if !ok {
			return p.complain("KeyError", "'text'")
		}
		p.server.record(WyomingRequest{Type: kind, Data: data})
		if err := p.misbehave(text); err != nil || p.server.script.Fault != WyomingGood {
			return err
		}
		return p.speak()
	}
	return p.complain("ValueError", "unknown event type %q", kind)
}

func (p *wyomingPeer) hear(kind string, data map[string]any, payload []byte) error {
	for _, key := range []string{"rate", "width", "channels"} {
		if _, ok := data[key].(float64); !ok {
			return p.complain("KeyError", "'%s'", key)
		}
	}
	switch {
	case p.wake.on:
		return p.listen(kind, data, payload)
	case p.asked == nil:
		return p.complain("RuntimeError", "%s without transcribe", kind)
	case kind == "audio-start":
		p.open = true
	case !p.open:
		return p.complain("RuntimeError", "audio-chunk without audio-start")
	default:
		p.audio = append(p.audio, payload...)
		if p.server.script.Early && p.server.script.Fault == WyomingGood {
			return p.transcribed()
		}
	}
	return nil
}

// transcribed gives the transcript and, as faster-whisper does, leaves.
func (p *wyomingPeer) transcribed() error {
	s := p.server.script
	stream := len(s.Pieces) > 0
	var b []byte
	if stream {
		b = append(b, encodeWyoming("transcript-start", nil, nil)...)
	}
	for _, piece := range s.Pieces {
		b = append(b, encodeWyoming("transcript-chunk", map[string]any{"text": piece}, nil)...)
	}
	if !s.NoFinal {
		b = append(b, encodeWyoming("transcript", map[string]any{"text": s.Transcript, "language": "en"}, nil)...)
	}
	if stream {
		b = append(b, encodeWyoming("transcript-stop", nil, nil)...)
	}
	if _, err := p.conn.Write(b); err != nil {
		return err
	}
	return errLeave
}

func (p *wyomingPeer) speak() error {
	s := p.server.script
	// The reference implementation writes the timestamp that it has not.
	format := map[string]any{"rate": s.Rate, "width": 2, "channels": 1, "timestamp": nil}
	if err := p.send("audio-start", format, nil); err != nil {
		return err
	}
	for _, pcm := range s.Speech {
		if s.Pace != nil {
			select {
			case <-s.Pace:
			case <-p.server.quit:
				return errLeave
			}
		}
		if err := p.send("audio-chunk", format, pcm); err != nil {
			return err
		}
	}
	return p.send("audio-stop", map[string]any{"timestamp": nil}, nil)
}

// misbehave does what the script's fault says, at the request for text.
func (p *wyomingPeer) misbehave(text string) error {
	switch p.server.script.Fault {
	case WyomingDeaf:
		<-p.server.quit
		return errLeave
	case WyomingCloses:
		return errLeave
	case WyomingClosesMidway:
		return p.lastWords([]byte(`{"type":"transcript","data_length":20}` + "\n{"))
	case WyomingEndlessLine:
		junk := bytes.Repeat([]byte("x"), 1<<16)
		for {
			if _, err := p.conn.Write(junk); err != nil {
				return err
			}
		}
	case WyomingNegativeLength:
		return p.lastWords([]byte(`{"type":"transcript","payload_length":-1}` + "\n"))
	case WyomingHugeLength:
		return p.lastWords([]byte(`{"type":"audio-chunk","payload_length":1099511627776}` + "\n"))
	case WyomingChatters:
		for {
			if err := p.send("ping", nil, nil); err != nil {
				return err
			}
		}
	case WyomingComplains:
		return p.complain("ValueError", "cannot do %s", text)
	}
	return nil
}

// lastWords sends b and reads on, so that the client gets it, until it leaves.
func (p *wyomingPeer) lastWords(b []byte) error {
	if _, err := p.conn.Write(b); err != nil {
		return err
	}
	if p.server.script.Fault == WyomingClosesMidway {
		return errLeave
	}
	_, err := io.Copy(io.Discard, p.r)
	if err == nil {
		err = errLeave
	}
	return err
}
