package llmtest

import (
	"context"
	"math"
	"time"
)

// realtimeResponse is one response.
type realtimeResponse struct {
	c     *realtimeConn
	ctx   context.Context
	id    string
	turn  RealtimeTurn
	a     RealtimeAnswer
	items []any
}

func (p *realtimeResponse) run() {
	if !p.begin() {
		return
	}
	c, a := p.c, &p.a
	if a.Heard != "" || a.Unheard != "" {
		p.heard()
	}
	status := "completed"
	switch {
	case a.Fail != "":
		status = "failed"
	case a.Text != "" && !p.speak():
		status = "cancelled"
	}
	if status != "cancelled" {
		p.call()
		p.remote()
	}
	if a.Lose == RealtimeAtDone {
		c.lose()
		return
	}
	if a.Close != nil {
		select {
		case <-a.Close:
		case <-p.ctx.Done(): // cancelled
			status = "cancelled"
		}
	}
	p.release()
	if a.Endless {
		return
	}
	p.send(map[string]any{"type": "response.done", "response": p.response(status)})
	if a.OnDone != nil {
		a.OnDone(status)
	}
}

// begin creates the response; false means that the script ends it there.
func (p *realtimeResponse) begin() bool {
	c := p.c
	p.a = c.r.answer(p.turn)
	a := &p.a
	for _, e := range a.Extra {
		p.send(e)
	}
	if a.Lose == RealtimeAtCreate {
		c.lose()
		return false
	}
	if a.Hold != nil {
		select {
		case <-a.Hold:
		case <-c.ctx.Done():
			return false
		}
	}
	if a.Refuse != "" {
		p.release()
		p.send(map[string]any{"type": "error", "error": map[string]any{
			"type": "server_error", "code": a.Refuse, "message": "refused by the script", "param": nil, "event_id": nil,
		}})
		return false
	}
	p.send(map[string]any{"type": "response.created", "response": p.response("in_progress")})
	if a.Created != nil {
		a.Created(p.id)
	}
	if a.Lose == RealtimeAtCreated {
		c.lose()
		return false
	}
	if a.Flood {
		c.put(realtimeFlood{})
		return false
	}
	return true
}

// send sends an event of the response.
func (p *realtimeResponse) send(e map[string]any) {
	if p.a.Bare {
		if kind := e["type"]; kind == "response.output_item.added" || kind == "response.output_item.done" {
			return
		}
		delete(e, "response_id")
		if r, ok := e["response"].(map[string]any); ok {
			delete(r, "id")
			r["output"] = []any{}
		}
	}
	p.c.send(e)
}

func (p *realtimeResponse) release() {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	if p.c.active == p.id {
		p.c.active, p.c.end = "", nil
	}
}

func (p *realtimeResponse) response(status string) map[string]any {
	m := map[string]any{"object": "realtime.response", "id": p.id, "status": status, "output": append([]any{}, p.items...)}
	if status == "in_progress" {
		return m
	}
	u := p.a.Usage
	if u == (RealtimeUsage{}) {
		u = RealtimeUsage{AudioIn: 100, AudioOut: 50}
	}
	m["usage"] = map[string]any{
		"total_tokens": u.TextIn + u.AudioIn + u.TextOut + u.AudioOut, "input_tokens": u.TextIn + u.AudioIn,
		"output_tokens": u.TextOut + u.AudioOut,
		"input_token_details": map[string]any{"text_tokens": u.TextIn, "audio_tokens": u.AudioIn, "cached_tokens": 0,
			"cached_tokens_details": map[string]any{"text_tokens": 0, "audio_tokens": 0}},
		"output_token_details": map[string]any{"text_tokens": u.TextOut, "audio_tokens": u.AudioOut},
	}
	switch status {
	case "failed":
		m["status_details"] = map[string]any{"type": "failed",
			"error": map[string]any{"type": "server_error", "code": p.a.Fail}}
	case "cancelled":
		m["status_details"] = map[string]any{"type": "cancelled", "reason": "client_cancelled"}
	}
	return m
}

// heard tells the transcript of what was committed last.
func (p *realtimeResponse) heard() {
	c := p.c
	c.mu.Lock()
	var last string
	for id, it := range c.items {
		if it.kind == "user" && (len(id) > len(last) || len(id) == len(last) && id > last) {
			last = id
		}
	}
	c.mu.Unlock()
	if p.a.Unheard != "" {
		p.send(map[string]any{"type": "conversation.item.input_audio_transcription.failed", "item_id": last,
			"content_index": 0,
			"error":         map[string]any{"type": "transcription_error", "code": p.a.Unheard, "message": "no", "param": nil}})
		return
	}
	usage := p.a.Written
	if usage == nil {
		usage = map[string]any{"type": "duration", "seconds": 1}
	}
	p.send(map[string]any{"type": "conversation.item.input_audio_transcription.completed", "item_id": last,
		"content_index": 0,
		"transcript":    p.a.Heard, "usage": usage})
}

// speak sends the audio and its words; false means that it was cancelled.
func (p *realtimeResponse) speak() bool {
	c := p.c
	c.mu.Lock()
	id := c.next("item")
	it := &realtimeItem{kind: "assistant"}
	c.items[id] = it
	c.mu.Unlock()
	item := func(status string, content ...any) map[string]any {
		return map[string]any{"id": id, "type": "message", "object": "realtime.item", "status": status, "role": "assistant",
			"content": append([]any{}, content...)}
	}
	p.send(map[string]any{"type": "response.output_item.added", "response_id": p.id, "output_index": 0,
		"item": item("in_progress")})
	place := func(kind string, more map[string]any) map[string]any {
		more["type"], more["response_id"], more["item_id"], more["output_index"], more["content_index"] = kind, p.id, id, 0, 0
		return more
	}
	delta := func(n int, letter string) {
		c.mu.Lock()
		it.audio += n
		c.mu.Unlock()
		p.send(place("response.output_audio_transcript.delta", map[string]any{"delta": letter}))
		p.send(place("response.output_audio.delta", map[string]any{"delta": realtimeTone(n)}))
	}
	const letter = realtimeRate / 20
	cancelled := func() bool {
		if p.ctx.Err() == nil {
			return false
		}
		if p.a.Late && c.ctx.Err() == nil {
			delta(letter, "x")
			delta(letter, "x")
		}
		return true
	}
	for i, r := range []rune(p.a.Text) {
		if cancelled() {
			return false
		}
		delta(letter, string(r))
		if !p.pause(i == 0) {
			return false
		}
	}
	if cancelled() {
		return false
	}
	p.send(place("response.output_audio.done", map[string]any{}))
	p.send(place("response.output_audio_transcript.done", map[string]any{"transcript": p.a.Text}))
	whole := item("completed", map[string]any{"type": "output_audio", "transcript": p.a.Text})
	p.items = append(p.items, whole)
	p.send(map[string]any{"type": "response.output_item.done", "response_id": p.id, "output_index": 0, "item": whole})
	return true
}

// pause does what the script wants behind a letter; false means that the connection is lost.
func (p *realtimeResponse) pause(first bool) bool {
	var until <-chan struct{}
	switch {
	case first && p.a.Lose == RealtimeAtSpeech:
		p.c.lose()
		<-p.c.ctx.Done()
		return false
	case first:
		until = p.a.Halfway
	case p.a.Paced:
		paced, stop := context.WithTimeout(p.ctx, 50*time.Millisecond)
		defer stop()
		until = paced.Done()
	}
	if until != nil {
		select {
		case <-until:
		case <-p.ctx.Done():
		}
	}
	return true
}

// call sends the calls of tools.
func (p *realtimeResponse) call() {
	for _, call := range p.a.Calls {
		c := p.c
		c.mu.Lock()
		id := c.next("item")
		c.items[id] = &realtimeItem{kind: "call"}
		c.owed[call.ID] = true
		c.mu.Unlock()
		item := map[string]any{"id": id, "type": "function_call", "object": "realtime.item", "status": "completed",
			"call_id": call.ID, "name": call.Name, "arguments": call.Arguments}
		n := len(p.items)
		p.items = append(p.items, item)
		where := func(kind string, more map[string]any) {
			more["type"], more["response_id"], more["item_id"], more["output_index"], more["call_id"] = kind, p.id, id, n, call.ID
			p.send(more)
		}
		where("response.function_call_arguments.delta", map[string]any{"delta": call.Arguments})
		where("response.function_call_arguments.done", map[string]any{"arguments": call.Arguments, "name": call.Name})
		p.send(map[string]any{"type": "response.output_item.done", "response_id": p.id, "output_index": n, "item": item})
	}
}

// remote lists the tools of an MCP server, runs one of them, and asks whether it may run another.
func (p *realtimeResponse) remote() {
	if !p.a.Remote {
		return
	}
	c := p.c
	c.mu.Lock()
	list, call, request := c.next("mcpl"), c.next("mcp"), c.next("mcpr")
	c.owed[request] = true
	c.mu.Unlock()
	for _, kind := range []string{"in_progress", "completed", "failed"} {
		p.send(map[string]any{"type": "mcp_list_tools." + kind, "item_id": list})
	}
	n := len(p.items)
	at := func(kind, id string, more map[string]any) {
		more["type"], more["item_id"], more["output_index"] = kind, id, n
		p.send(more)
	}
	at("response.mcp_call_arguments.delta", call, map[string]any{"response_id": p.id, "delta": "{}"})
	at("response.mcp_call_arguments.done", call, map[string]any{"response_id": p.id, "arguments": "{}"})
	for _, kind := range []string{"in_progress", "completed", "failed"} {
		at("response.mcp_call."+kind, call, map[string]any{})
	}
	for _, item := range []map[string]any{
		{"id": call, "type": "mcp_call", "server_label": "shop", "name": "prices", "arguments": "{}", "output": "9.99"},
		{"id": request, "type": "mcp_approval_request", "server_label": "shop", "name": "buy", "arguments": "{}"},
	} {
		for _, kind := range []string{"added", "done"} {
			p.send(map[string]any{"type": "response.output_item." + kind, "response_id": p.id, "output_index": len(p.items),
				"item": item})
		}
		p.items = append(p.items, item)
	}
}

// realtimeTone is n samples of a tone, as the protocol carries them.
func realtimeTone(n int) []byte {
	b := make([]byte, 2*n)
	for i := range n {
		v := int16(8000 * math.Sin(2*math.Pi*440*float64(i)/realtimeRate))
		b[2*i], b[2*i+1] = byte(v), byte(v>>8)
	}
	return b
}
