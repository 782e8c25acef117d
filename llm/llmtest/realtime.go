package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// RealtimePhase is a place in a turn at which the connection can be lost.
type RealtimePhase int

// The phases, in their order.
const (
	RealtimeNever     RealtimePhase = iota
	RealtimeAtDial                  // the connection is refused
	RealtimeAtUpdate                // instead of session.updated
	RealtimeAtAudio                 // at the first audio of a person
	RealtimeAtCommit                // at the commit
	RealtimeAtCreate                // instead of response.created
	RealtimeAtCreated               // after response.created
	RealtimeAtSpeech                // after the first audio of the answer
	RealtimeAtDone                  // instead of response.done
)

// RealtimeTurn is what a response answers.
type RealtimeTurn struct {
	N       int      // of the response, from 1
	Audio   int      // samples that were committed since the last response
	Texts   []string // what the person wrote since
	Outputs []string // of tools, since
	Aside   bool     // it stays out of the conversation
	Told    string   // instructions of the response
}

// RealtimeAnswer is what the server does for a response.
type RealtimeAnswer struct {
	Text    string // with as much audio: 50 ms for each letter
	Calls   []RealtimeCall
	Heard   string                // transcript of the person
	Fail    string                // the code with which the response fails
	Refuse  string                // the code of an error event, instead of the response
	Lose    RealtimePhase         // from AtCreate on
	Late    bool                  // two more deltas after a cancellation
	Hold    <-chan struct{}       // before response.created, unless nil
	Halfway <-chan struct{}       // after the first delta, unless nil
	Paced   bool                  // audio comes as fast as it sounds; else at once
	Usage   RealtimeUsage         // zero: 100 in, 50 out
	OnDone  func(status string)   // is told the end, by the connection's goroutine
	Extra   []map[string]any      // events that the client does not know, before the answer
	Created func(response string) // is told the id, by the connection's goroutine
}

// RealtimeCall is a call of a tool.
type RealtimeCall struct{ ID, Name, Arguments string }

// RealtimeUsage is counted in tokens.
type RealtimeUsage struct{ TextIn, AudioIn, TextOut, AudioOut int }

// Realtime is a server of OpenAI's Realtime protocol (GA). It answers an error
// event to what the real one refuses, and Violations holds those and what no
// client should do though the real one bears it.
type Realtime struct {
	URL string // base, as a client's options take it

	tb     testing.TB
	answer func(RealtimeTurn) RealtimeAnswer
	server *httptest.Server
	wg     sync.WaitGroup
	stop   context.CancelFunc

	mu         sync.Mutex
	lose       RealtimePhase // before AtCreate
	status     int           // of refused connections, 0: none is refused
	key        string
	sent       []json.RawMessage // events of clients, in their order
	violations []string
	sessions   int
	responses  int
	open       map[*realtimeConn]bool
}

// NewRealtime serves until the test ends; answer is called by the goroutine of a
// connection.
func NewRealtime(tb testing.TB, answer func(RealtimeTurn) RealtimeAnswer) *Realtime {
	ctx, stop := context.WithCancel(context.Background())
	r := &Realtime{tb: tb, answer: answer, stop: stop, open: map[*realtimeConn]bool{}}
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.wg.Add(1)
		defer r.wg.Done()
		r.serve(ctx, w, req)
	}))
	r.URL = r.server.URL + "/v1"
	tb.Cleanup(func() {
		stop()
		r.server.CloseClientConnections()
		r.server.Close()
		r.wg.Wait()
	})
	return r
}

// LoseAt loses the connections to come at one of the phases up to AtCommit.
func (r *Realtime) LoseAt(p RealtimePhase) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lose = p
}

// Refuse answers connections to come with an HTTP status; 0 takes them again.
func (r *Realtime) Refuse(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// WantKey refuses connections without that bearer token.
func (r *Realtime) WantKey(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.key = key
}

// Events are the events that clients sent so far.
func (r *Realtime) Events() []json.RawMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sent)
}

// Violations are the mistakes of clients so far.
func (r *Realtime) Violations() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.violations)
}

// Sessions is how many there were, and how many are open.
func (r *Realtime) Sessions() (all, open int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sessions, len(r.open)
}

// Drop loses the connections that are open.
func (r *Realtime) Drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.open {
		c.cancel()
	}
}

// Owed are the calls of the open sessions that have no output.
func (r *Realtime) Owed() (calls []string) {
	r.mu.Lock()
	open := slices.Collect(maps.Keys(r.open))
	r.mu.Unlock()
	for _, c := range open {
		c.mu.Lock()
		for id, unanswered := range c.owed {
			if unanswered {
				calls = append(calls, id)
			}
		}
		c.mu.Unlock()
	}
	return calls
}

func (r *Realtime) losing(p RealtimePhase) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lose == p
}

func (r *Realtime) serve(ctx context.Context, w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	status, key := r.status, r.key
	r.mu.Unlock()
	switch {
	case req.URL.Path != "/v1/realtime" || req.URL.Query().Get("model") == "":
		status = http.StatusNotFound
	case status == 0 && key != "" && req.Header.Get("Authorization") != "Bearer "+key:
		status = http.StatusUnauthorized
	case r.losing(RealtimeAtDial):
		panic(http.ErrAbortHandler)
	}
	if status != 0 {
		http.Error(w, `{"error":{"message":"no","type":"invalid_request_error","code":"refused"}}`, status)
		return
	}
	conn, err := websocket.Accept(w, req, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	conn.SetReadLimit(16 << 20)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &realtimeConn{
		r: r, conn: conn, ctx: ctx, cancel: cancel,
		items: map[string]*realtimeItem{}, owed: map[string]bool{}, out: make(chan any, 1024),
	}
	r.mu.Lock()
	r.sessions++
	r.open[c] = true
	c.id = r.sessions
	id := c.id
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.open, c)
		r.mu.Unlock()
	}()
	c.wg.Go(c.write)
	c.send(map[string]any{"type": "session.created", "session": map[string]any{"type": "realtime", "object": "realtime.session", "id": fmt.Sprintf("sess_%d", id)}})
	c.read()
	cancel()
	c.wg.Wait()
}

// realtimeItem is an item of a conversation.
type realtimeItem struct {
	kind  string // user, assistant, system, call or output
	audio int    // samples that were sent of it
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
	n          int // of items and events
	buffered   int // samples
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

// realtimeEnd stands among the events where the connection is lost.
type realtimeEnd struct{}

func (c *realtimeConn) read() {
	for {
		kind, data, err := c.conn.Read(c.ctx)
		if err != nil {
			return
		}
		if kind != websocket.MessageText {
			c.violation("a message that is no text")
			return
		}
		c.r.mu.Lock()
		c.r.sent = append(c.r.sent, slices.Clone(data))
		c.r.mu.Unlock()
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

func (c *realtimeConn) violation(what string) {
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	c.r.violations = append(c.r.violations, what)
}

// refuse answers an error event.
func (c *realtimeConn) refuse(event, code, why string) {
	if code != "response_cancel_not_active" { // which a client cannot always avoid
		c.violation(code + ": " + why)
	}
	var about any
	if event != "" {
		about = event
	}
	c.send(map[string]any{"type": "error", "error": map[string]any{
		"type": "invalid_request_error", "code": code, "message": why, "param": nil, "event_id": about,
	}})
}

func (c *realtimeConn) next(kind string) string {
	c.n++
	return fmt.Sprintf("%s_%d_%d", kind, c.id, c.n)
}

// take carries out one event of the client; false loses the connection.
func (c *realtimeConn) take(e *realtimeEvent) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.configured && e.Type != "session.update" {
		c.violation(e.Type + " before session.update")
	}
	switch e.Type {
	case "session.update":
		if c.r.losing(RealtimeAtUpdate) {
			return false
		}
		if !c.configured && !e.whole {
			c.violation("the first session.update leaves the audio out")
		}
		c.configured = true
		c.send(map[string]any{"type": "session.updated", "session": json.RawMessage(e.Session)})
	case "input_audio_buffer.append":
		if c.r.losing(RealtimeAtAudio) {
			return false
		}
		c.buffered += len(e.Audio) / 2
	case "input_audio_buffer.clear":
		c.buffered = 0
		c.send(map[string]any{"type": "input_audio_buffer.cleared"})
	case "input_audio_buffer.commit":
		if c.r.losing(RealtimeAtCommit) {
			return false
		}
		c.commit(e)
	case "conversation.item.create":
		c.create(e)
	case "conversation.item.truncate":
		c.truncate(e)
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

func (c *realtimeConn) commit(e *realtimeEvent) {
	if c.buffered < realtimeRate/10 {
		c.refuse(e.EventID, "input_audio_buffer_commit_empty", fmt.Sprintf("buffer too small: %d samples", c.buffered))
		return
	}
	id := c.next("item")
	c.items[id] = &realtimeItem{kind: "user"}
	c.turn.Audio += c.buffered
	c.buffered = 0
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
	m["id"], m["object"], m["status"] = id, "realtime.item", "completed"
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
		c.send(map[string]any{"type": "conversation.item.truncated", "item_id": e.ItemID, "content_index": 0, "audio_end_ms": e.EndMS})
	}
}

func (c *realtimeConn) respond(e *realtimeEvent) {
	if c.active != "" {
		c.refuse(e.EventID, "conversation_already_has_active_response", "Conversation already has an active response in progress: "+c.active)
		return
	}
	for id, unanswered := range c.owed {
		if unanswered {
			c.violation("response.create while " + id + " has no output")
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
	c := p.c
	p.a = c.r.answer(p.turn)
	a := &p.a
	for _, e := range a.Extra {
		c.send(e)
	}
	if a.Lose == RealtimeAtCreate {
		c.lose()
		return
	}
	if a.Hold != nil {
		select {
		case <-a.Hold:
		case <-c.ctx.Done():
			return
		}
	}
	if a.Refuse != "" {
		p.release()
		c.send(map[string]any{"type": "error", "error": map[string]any{
			"type": "server_error", "code": a.Refuse, "message": "refused by the script", "param": nil, "event_id": nil,
		}})
		return
	}
	c.send(map[string]any{"type": "response.created", "response": p.response("in_progress")})
	if a.Created != nil {
		a.Created(p.id)
	}
	if a.Lose == RealtimeAtCreated {
		c.lose()
		return
	}
	if a.Heard != "" {
		p.heard()
	}
	status := "completed"
	switch {
	case a.Fail != "":
		status = "failed"
	case a.Text != "" && !p.speak():
		status = "cancelled"
	}
	if status == "completed" {
		p.call()
	}
	if a.Lose == RealtimeAtDone {
		c.lose()
		return
	}
	p.release()
	c.send(map[string]any{"type": "response.done", "response": p.response(status)})
	if a.OnDone != nil {
		a.OnDone(status)
	}
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
		"total_tokens": u.TextIn + u.AudioIn + u.TextOut + u.AudioOut, "input_tokens": u.TextIn + u.AudioIn, "output_tokens": u.TextOut + u.AudioOut,
		"input_token_details": map[string]any{"text_tokens": u.TextIn, "audio_tokens": u.AudioIn, "cached_tokens": 0,
			"cached_tokens_details": map[string]any{"text_tokens": 0, "audio_tokens": 0}},
		"output_token_details": map[string]any{"text_tokens": u.TextOut, "audio_tokens": u.AudioOut},
	}
	switch status {
	case "failed":
		m["status_details"] = map[string]any{"type": "failed", "error": map[string]any{"type": "server_error", "code": p.a.Fail}}
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
	c.send(map[string]any{"type": "conversation.item.input_audio_transcription.completed", "item_id": last, "content_index": 0,
		"transcript": p.a.Heard, "usage": map[string]any{"type": "duration", "seconds": 1}})
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
		return map[string]any{"id": id, "type": "message", "object": "realtime.item", "status": status, "role": "assistant", "content": content}
	}
	c.send(map[string]any{"type": "response.output_item.added", "response_id": p.id, "output_index": 0, "item": item("in_progress")})
	place := func(kind string, more map[string]any) map[string]any {
		more["type"], more["response_id"], more["item_id"], more["output_index"], more["content_index"] = kind, p.id, id, 0, 0
		return more
	}
	delta := func(n int, letter string) {
		c.mu.Lock()
		it.audio += n
		c.mu.Unlock()
		c.send(place("response.output_audio_transcript.delta", map[string]any{"delta": letter}))
		c.send(place("response.output_audio.delta", map[string]any{"delta": realtimeTone(n)}))
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
		if i > 0 {
			if p.a.Paced {
				select {
				case <-time.After(50 * time.Millisecond):
				case <-p.ctx.Done():
				}
			}
			continue
		}
		if p.a.Lose == RealtimeAtSpeech {
			c.lose()
			<-c.ctx.Done()
			return false
		}
		if p.a.Halfway != nil {
			select {
			case <-p.a.Halfway:
			case <-p.ctx.Done():
			}
		}
	}
	if cancelled() {
		return false
	}
	c.send(place("response.output_audio.done", map[string]any{}))
	c.send(place("response.output_audio_transcript.done", map[string]any{"transcript": p.a.Text}))
	whole := item("completed", map[string]any{"type": "output_audio", "transcript": p.a.Text})
	p.items = append(p.items, whole)
	c.send(map[string]any{"type": "response.output_item.done", "response_id": p.id, "output_index": 0, "item": whole})
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
			c.send(more)
		}
		where("response.function_call_arguments.delta", map[string]any{"delta": call.Arguments})
		where("response.function_call_arguments.done", map[string]any{"arguments": call.Arguments, "name": call.Name})
		c.send(map[string]any{"type": "response.output_item.done", "response_id": p.id, "output_index": n, "item": item})
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
