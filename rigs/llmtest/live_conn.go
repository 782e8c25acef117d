package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// liveConn is one session, and all of it belongs to the goroutine that reads.
type liveConn struct {
	r       *Live
	conn    *websocket.Conn
	ctx     context.Context
	id, n   int  // of the session, and of the events
	gone    bool // there is no such model
	message string
	lost    bool // nothing more is read or sent

	config      map[string]any // of the session, as it was started; nil: it was not
	rate        int
	muted       bool
	delegations map[string]bool
	input       []byte // less than a step
	tenths      int    // of a second: the session's time

	turns    int
	speaking bool // the person is
	quiet    int  // tenths since they were loud
	due      LiveTurn
	acks     []map[string]any
	answer   LiveAnswer
	wait     int    // tenths until the model speaks
	left     []rune // of the text
	active   bool   // there is an answer
}

const (
	liveLoud = 1000 // the level from which this server takes a sample for speech
	liveStop = 3    // tenths of silence that end it
	// liveBreath is how many tenths are between what the model says and what it is told to say.
	liveBreath = 4
)

func (c *liveConn) read() {
	for !c.lost {
		kind, data, err := c.conn.Read(c.ctx)
		if err != nil {
			return
		}
		if kind != websocket.MessageText {
			c.r.violation("a message that is no text")
			return
		}
		c.r.heard(data)
		e, err := decodeLive(data)
		if err == nil {
			err = c.take(e)
		}
		if err != nil {
			c.refuse(e.EventID, asLiveRefusal(err))
		}
	}
}

// send sends an event. Only audio has no id.
func (c *liveConn) send(e map[string]any) {
	if c.lost {
		return
	}
	c.n++
	if e["type"] != "session.output_audio.delta" {
		e["event_id"] = fmt.Sprintf("event_%d_%d", c.id, c.n)
	}
	data, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(c.ctx, 10*time.Second)
	defer cancel()
	if c.conn.Write(ctx, websocket.MessageText, data) != nil {
		c.lost = true
	}
}

func (c *liveConn) lose() {
	c.lost = true
	c.conn.CloseNow()
}

// refuse answers an error event; the session goes on.
func (c *liveConn) refuse(event string, why *liveRefusal) {
	c.r.violation(why.Error())
	c.sendError(event, why)
}

func (c *liveConn) sendError(event string, why *liveRefusal) {
	fault := map[string]any{"type": "invalid_request_error", "code": why.code, "message": why.message}
	if why.param != "" {
		fault["param"] = why.param
	}
	if event != "" {
		fault["client_event_id"] = event
	}
	c.send(map[string]any{"type": "error", "error": fault})
}

// take carries out one event of the client.
func (c *liveConn) take(e *liveEvent) error {
	if c.config == nil && e.Type != "session.start" {
		return liveRefuse("session_not_started", "type", "%s before session.start", e.Type)
	}
	switch e.Type {
	case "session.start":
		return c.start(e)
	case "session.update":
		return liveRefuse("immutable_field_update", "session.delegation", "a client delegation has nothing to update")
	case "session.input_audio.append":
		if c.r.losing(RealtimeAtAudio) {
			c.lose()
			return nil
		}
		c.hear(e.Audio)
	case "session.input_audio.mute", "session.input_audio.unmute":
		c.muted = e.Type == "session.input_audio.mute"
		c.send(c.about(e, map[string]any{"type": e.Type + "d"}))
	case "session.output_audio.fixture.play":
		return liveRefuse("unsupported", "type", "this server plays no fixtures")
	case "session.instructions.append", "session.thinking.append", "session.commentary.append":
		return c.add(e)
	case "response.item.create", "response.create":
		return liveRefuse("invalid_value", "type", "%s requires Responses delegation.", e.Type)
	case "session.close":
		c.end("close_requested", e)
	}
	return nil
}

// about says which event of the client an event answers.
func (c *liveConn) about(e *liveEvent, answer map[string]any) map[string]any {
	if e != nil && e.EventID != "" {
		answer["client_event_id"] = e.EventID
	}
	return answer
}

func (c *liveConn) start(e *liveEvent) error {
	switch {
	case c.config != nil:
		return liveRefuse("session_already_started", "type", "a second session.start")
	case c.r.losing(RealtimeAtUpdate):
		c.lose()
		return nil
	case c.gone:
		c.sendError(e.EventID, &liveRefusal{"model_not_found", "session.model", c.message})
		return nil
	}
	var s liveConfig
	if err := json.Unmarshal(e.Session, &s); err != nil {
		return err
	}
	if err := json.Unmarshal(e.Session, &c.config); err != nil {
		return err
	}
	if c.rate = 24000; s.Audio.Format != nil {
		c.rate = s.Audio.Format.Rate
	}
	c.config["id"], c.config["status"] = fmt.Sprintf("live_%d", c.id), "active"
	c.config["expires_at"] = time.Now().Add(time.Hour).Unix()
	c.send(c.about(e, map[string]any{"type": "session.started", "session": c.config}))
	return nil
}

// add takes what is added, which shows when time passes.
func (c *liveConn) add(e *liveEvent) error {
	if e.DelegationID != nil && !c.delegations[*e.DelegationID] {
		return liveRefuse("invalid_value", "delegation_id", "delegation %q does not exist", *e.DelegationID)
	}
	switch e.Type {
	case "session.commentary.append":
		c.due.Commentary = append(c.due.Commentary, *e.Content)
	case "session.instructions.append":
		c.due.Instructions = append(c.due.Instructions, *e.Content)
	}
	c.acks = append(c.acks, c.about(e, map[string]any{"type": e.Type + "ed"}))
	return nil
}

// end closes the session; e is nil unless the client has asked for that.
func (c *liveConn) end(reason string, e *liveEvent) {
	c.send(c.about(e, map[string]any{"type": "session.closed", "reason": reason, "session": c.config,
		"usage": map[string]any{"seconds": math.Ceil(float64(c.tenths) / 10)}}))
	c.lost = true
	_ = c.conn.Close(websocket.StatusNormalClosure, "") // the client may be gone
}

// hear lets time pass, as much as there is sound.
func (c *liveConn) hear(audio []byte) {
	c.input = append(c.input, audio...)
	for step := 2 * c.rate / 10; len(c.input) >= step && !c.lost; c.input = c.input[step:] {
		loud := false
		for i := 0; i < step && !c.muted; i += 2 {
			s := int16(c.input[i]) | int16(c.input[i+1])<<8
			loud = loud || s >= liveLoud || s <= -liveLoud
		}
		c.passes(loud)
	}
}

// passes lets a tenth of a second pass.
func (c *liveConn) passes(loud bool) {
	c.tenths++
	for _, e := range c.acks {
		e["start_ms"], e["end_ms"] = c.now(), c.now()
		c.send(e)
	}
	c.acks = nil
	switch {
	case loud:
		c.speaking, c.quiet = true, 0
		if c.active && !c.answer.Deaf {
			c.stop()
		}
	case c.speaking:
		if c.quiet++; c.quiet >= liveStop {
			c.speaking, c.due.Heard = false, true
		}
	}
	if turn := c.due; turn.Heard || turn.Instructions != nil || turn.Commentary != nil && !c.active {
		c.due = LiveTurn{}
		c.respond(turn)
	}
	c.speak()
	if c.tenths%150 == 0 {
		c.send(map[string]any{"type": "session.usage.updated", "usage": map[string]any{"seconds": float64(c.tenths / 10)}})
	}
}

func (c *liveConn) now() int { return 100 * c.tenths }

// stop ends the answer.
func (c *liveConn) stop() { c.active, c.left = false, nil }

// respond lets the model take a turn. A new one takes the place of what it says.
func (c *liveConn) respond(turn LiveTurn) {
	c.turns++
	turn.N = c.turns
	if turn.Commentary != nil {
		turn.Commentary = []string{strings.Join(turn.Commentary, " ")}
	}
	a := c.r.answer(turn)
	for _, e := range a.Extra {
		c.send(e)
	}
	switch {
	case a.Lose:
		c.lose()
		return
	case a.Close != "":
		c.end(a.Close, nil)
		return
	case a.Refuse != "":
		c.sendError("", &liveRefusal{code: a.Refuse, message: "refused by the script"})
		return
	}
	c.stop()
	if a.Hasty {
		c.delegate(a.Delegates)
	}
	for i, word := range strings.Fields(a.Heard) {
		if i > 0 {
			word = " " + word
		}
		c.send(map[string]any{"type": "session.input_transcript.delta", "delta": word, "start_ms": c.now() - 100,
			"end_ms": c.now()})
	}
	if !a.Hasty {
		c.delegate(a.Delegates)
	}
	c.answer, c.wait, c.left, c.active = a, a.After, []rune(a.Text), a.Text != ""
	if turn.Commentary != nil { // it ends its sentence, and takes a breath
		c.wait = max(c.wait, liveBreath)
	}
}

func (c *liveConn) delegate(times int) {
	for range times {
		id := fmt.Sprintf("delegation_%d_%d", c.id, len(c.delegations)+1)
		c.delegations[id] = true
		c.send(map[string]any{"type": "session.delegation.created", "offset_ms": c.now(),
			"delegation": map[string]any{"id": id, "type": "delegation", "target": "client"}})
	}
}

// speak says what belongs to a tenth of a second: two letters, or silence.
func (c *liveConn) speak() {
	var sound []byte
	for range 2 {
		n := c.rate / 20
		var letter rune
		if c.active && c.wait == 0 && len(c.left) > 0 {
			letter, c.left = c.left[0], c.left[1:]
			c.send(map[string]any{"type": "session.output_transcript.delta", "delta": string(letter), "start_ms": c.now() - 100,
				"end_ms": c.now()})
		}
		if letter == 0 || letter == '_' {
			sound = append(sound, make([]byte, 2*n)...)
			continue
		}
		sound = append(sound, realtimeTone(n)...)
	}
	c.wait = max(0, c.wait-1)
	c.send(map[string]any{"type": "session.output_audio.delta", "delta": sound})
	switch half := len([]rune(c.answer.Text)) / 2; {
	case !c.active:
	case c.answer.LoseIn && len(c.left) <= half:
		c.lose()
	case len(c.left) == 0:
		c.active = false
	}
}
