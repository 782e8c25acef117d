package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// realtimeItem is an item of a conversation.
type realtimeItem struct {
	kind  string // user, assistant, system, call or output
	audio int    // samples that were sent of it, or were committed
}

// realtimeConn is one session.
type realtimeConn struct {
	r      *Realtime
	conn   *websocket.Conn
	ctx    context.Context
	cancel context.CancelFunc
	id     int
	out    chan any
	wg     sync.WaitGroup // the writer and the responses

	mu         sync.Mutex
	configured bool
	n          int          // of items and events
	buffered   int          // samples
	vad        *realtimeVAD // or nil: the client commits
	turn       RealtimeTurn
	items      map[string]*realtimeItem
	owed       map[string]bool // calls without an output; false: it has one
	active     string
	end        context.CancelFunc // of active
}

const realtimeRate = 24000

func (c *realtimeConn) write() {
	for n := 1; ; n++ {
		select {
		case e := <-c.out:
			if _, ok := e.(realtimeEnd); ok {
				c.conn.CloseNow()
				c.cancel()
				return
			}
			if _, ok := e.(realtimeFlood); ok {
				c.flood()
				return
			}
			m := e.(map[string]any)
			m["event_id"] = fmt.Sprintf("event_%d_%d", c.id, n)
			data, err := json.Marshal(m)
			if err != nil {
				panic(err)
			}
			ctx, cancel := context.WithTimeout(c.ctx, 10*time.Second)
			err = c.conn.Write(ctx, websocket.MessageText, data)
			cancel()
			if err != nil {
				c.cancel()
				return
			}
		case <-c.ctx.Done():
			return
		}
	}
}

// send queues an event. What it is made of belongs to the writer from then on.
func (c *realtimeConn) send(e map[string]any) { c.put(e) }

func (c *realtimeConn) put(e any) {
	select {
	case c.out <- e:
	case <-c.ctx.Done():
	}
}

// lose breaks the connection once what was sent before is out.
func (c *realtimeConn) lose() { c.put(realtimeEnd{}) }

// realtimeFlood stands among the events where a message begins that does not end.
type realtimeFlood struct{}

// flood sends it until the connection is lost.
func (c *realtimeConn) flood() {
	defer c.cancel()
	w, err := c.conn.Writer(c.ctx, websocket.MessageText)
	for part := []byte(strings.Repeat(" ", 32<<10)); err == nil; {
		_, err = w.Write(part)
	}
}

// realtimeEnd stands among the events where the connection is lost.
type realtimeEnd struct{}

func (c *realtimeConn) read() {
	for {
		kind, data, err := c.conn.Read(c.ctx)
		if err != nil {
			return
		}
		if kind != websocket.MessageText {
			c.r.violation("a message that is no text")
			return
		}
		c.r.heard(data)
		e, err := decodeRealtime(data)
		if err != nil {
			c.refuse("", "invalid_value", err.Error())
			continue
		}
		if !c.take(e) {
			c.lose()
			return
		}
	}
}

// refuse answers an error event.
func (c *realtimeConn) refuse(event, code, why string) {
	if code != "response_cancel_not_active" { // which a client cannot always avoid
		c.r.violation(code + ": " + why)
	}
	var about any
	if event != "" {
		about = event
	}
	c.sendError(code, why, about)
}

// sendError sends one; about is the id of the event that it refuses, or nil.
func (c *realtimeConn) sendError(code, why string, about any) {
	c.send(map[string]any{"type": "error", "error": map[string]any{
		"type": "invalid_request_error", "code": code, "message": why, "param": nil, "event_id": about,
	}})
}

func (c *realtimeConn) next(kind string) string {
	c.n++
	return fmt.Sprintf("%s_%d_%d", kind, c.id, c.n)
}

// losable are the events at which a connection may be told to be lost.
var losable = map[string]RealtimePhase{
	"session.update": RealtimeAtUpdate, "input_audio_buffer.append": RealtimeAtAudio,
	"input_audio_buffer.commit": RealtimeAtCommit,
}

// take carries out one event of the client; false loses the connection.
func (c *realtimeConn) take(e *realtimeEvent) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.configured && e.Type != "session.update" {
		c.r.violation(e.Type + " before session.update")
	}
	if at, ok := losable[e.Type]; ok && c.r.losing(at) {
		return false
	}
	switch e.Type {
	case "session.update":
		c.configure(e)
	case "input_audio_buffer.append":
		c.buffered += len(e.Audio) / 2
		if c.vad != nil {
			c.listen(e.Audio)
		}
	case "input_audio_buffer.clear":
		c.buffered = 0
		if c.vad != nil {
			c.vad.forget()
		}
		c.send(map[string]any{"type": "input_audio_buffer.cleared"})
	case "input_audio_buffer.commit":
		c.commit(e)
	case "conversation.item.create":
		c.create(e)
	case "conversation.item.truncate":
		c.truncate(e)
	case "conversation.item.delete":
		c.delete(e)
	case "response.create":
		c.respond(e)
	case "response.cancel":
		if c.active == "" || e.ResponseID != "" && e.ResponseID != c.active {
			c.refuse(e.EventID, "response_cancel_not_active", "no response to cancel")
			break
		}
		c.end()
	}
	return true
}

func (c *realtimeConn) configure(e *realtimeEvent) {
	if !c.configured && !e.whole {
		c.r.violation("the first session.update leaves the audio out")
	}
	c.r.mu.Lock()
	detects := c.r.detects
	c.r.mu.Unlock()
	if e.whole && detects != (e.vad != nil) {
		c.r.violation(fmt.Sprintf("turn_detection is semantic_vad: %t", e.vad != nil))
	}
	if e.whole {
		c.vad = e.vad
	}
	c.configured = true
	c.send(map[string]any{"type": "session.updated", "session": json.RawMessage(e.Session)})
}

func (c *realtimeConn) delete(e *realtimeEvent) {
	it := c.items[e.ItemID]
	if it == nil {
		c.refuse(e.EventID, "item_delete_invalid_item_id", fmt.Sprintf("item %q does not exist", e.ItemID))
		return
	}
	if it.kind == "user" {
		c.turn.Audio -= it.audio
	}
	delete(c.items, e.ItemID)
	c.send(map[string]any{"type": "conversation.item.deleted", "item_id": e.ItemID})
}

func (c *realtimeConn) commit(e *realtimeEvent) {
	if c.buffered < realtimeRate/10 {
		c.refuse(e.EventID, "input_audio_buffer_commit_empty", fmt.Sprintf("buffer too small: %d samples", c.buffered))
		return
	}
	c.committed(c.next("item"))
}

// committed makes an item of what is buffered.
func (c *realtimeConn) committed(id string) {
	c.items[id] = &realtimeItem{kind: "user", audio: c.buffered}
	c.turn.Audio += c.buffered
	c.buffered = 0
	if c.vad != nil {
		c.vad.forget()
	}
	c.send(map[string]any{"type": "input_audio_buffer.committed", "item_id": id, "previous_item_id": nil})
	c.added(map[string]any{"id": id, "type": "message", "object": "realtime.item", "status": "completed", "role": "user",
		"content": []any{map[string]any{"type": "input_audio"}}})
}

func (c *realtimeConn) added(item map[string]any) {
	c.send(map[string]any{"type": "conversation.item.added", "previous_item_id": nil, "item": item})
	c.send(map[string]any{"type": "conversation.item.done", "previous_item_id": nil, "item": item})
}

func (c *realtimeConn) create(e *realtimeEvent) {
	it := e.Item
	id := c.next("item")
	switch {
	case it.Type == "mcp_approval_response":
		if !c.owed[it.Request] {
			c.refuse(e.EventID, "invalid_value", fmt.Sprintf("request %q is unknown or was answered", it.Request))
			return
		}
		c.owed[it.Request] = false
		id = it.ID
		c.items[id] = &realtimeItem{kind: "approval"}
	case it.Type == "function_call_output":
		if unanswered, known := c.owed[it.CallID]; !known || !unanswered {
			c.refuse(e.EventID, "invalid_tool_call_id", fmt.Sprintf("call %q is unknown or has its output", it.CallID))
			return
		}
		c.owed[it.CallID] = false
		c.turn.Outputs = append(c.turn.Outputs, *it.Output)
		c.items[id] = &realtimeItem{kind: "output"}
	default:
		c.items[id] = &realtimeItem{kind: it.Role}
		if it.Role == "user" {
			c.turn.Texts = append(c.turn.Texts, it.Content[0].Text)
		}
	}
	raw, err := json.Marshal(it)
	if err != nil {
		panic(err)
	}
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		panic(err)
	}
	if m["id"] = id; it.Type != "mcp_approval_response" {
		m["object"], m["status"] = "realtime.item", "completed"
	}
	c.added(m)
}

func (c *realtimeConn) truncate(e *realtimeEvent) {
	it := c.items[e.ItemID]
	switch ms := int64(0); {
	case it == nil || it.kind != "assistant" || e.ContentIndex != 0:
		c.refuse(e.EventID, "item_truncate_invalid_item_id", fmt.Sprintf("item %q has no audio of the assistant", e.ItemID))
	case e.EndMS > int64(it.audio)*1000/realtimeRate:
		ms = int64(it.audio) * 1000 / realtimeRate
		c.refuse(e.EventID, "invalid_value", fmt.Sprintf("audio content of %d ms is already shorter than %d ms", ms, e.EndMS))
	default:
		it.audio = int(e.EndMS * realtimeRate / 1000)
		c.send(map[string]any{"type": "conversation.item.truncated", "item_id": e.ItemID, "content_index": 0,
			"audio_end_ms": e.EndMS})
	}
}

func (c *realtimeConn) respond(e *realtimeEvent) {
	if c.active != "" {
		c.refuse(e.EventID, "conversation_already_has_active_response", "Conversation already has an active response in "+
			"progress: "+c.active)
		return
	}
	for id, unanswered := range c.owed {
		if unanswered {
			c.r.violation("response.create while " + id + " has no output")
		}
	}
	c.r.mu.Lock()
	c.r.responses++
	n := c.r.responses
	c.r.mu.Unlock()
	turn := c.turn
	turn.N = n
	if e.Response != nil {
		turn.Aside, turn.Told = e.Response.Conversation == "none", e.Response.Instructions
	}
	if !turn.Aside {
		c.turn = RealtimeTurn{}
	}
	ctx, end := context.WithCancel(c.ctx)
	c.active, c.end = c.next("resp"), end
	p := &realtimeResponse{c: c, ctx: ctx, id: c.active, turn: turn}
	c.wg.Go(func() {
		defer end()
		p.run()
	})
}
