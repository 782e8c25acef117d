package dialogue

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"hearthd/audio"
	"hearthd/daemon/dialogue/answer"
	"hearthd/llm"
	"hearthd/llm/stt"
	"hearthd/tools"
)

// ears is a recogniser that knows beforehand what each utterance will be.
type ears struct {
	mu      sync.Mutex
	script  map[uint64]transcript
	slow    map[uint64]time.Duration // from the end of an utterance to its transcript
	opens   int
	openErr error
	hang    bool                    // Open waits for the end of its context
	sofar   map[uint64][]transcript // what the recogniser knows at each pause
	early   string                  // what one of several knows after 100 ms of it
	peeks   int
	ends    int // how often it was asked for the whole
}

func (e *ears) will(n uint64, text string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.script == nil {
		e.script = make(map[uint64]transcript)
	}
	e.script[n] = transcript{text: text, err: err}
}

func (e *ears) Open(ctx context.Context) (stt.Stream, error) {
	e.mu.Lock()
	e.opens++
	hang, err := e.hang, e.openErr
	e.mu.Unlock()
	if hang {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return &earStream{ears: e}, nil
}

type earStream struct {
	ears *ears
	n    uint64
}

func (s *earStream) Write(f *audio.Frame) error { s.n = uint64(f[0]); return nil }
func (s *earStream) Close() error               { return nil }

func (s *earStream) Finish(ctx context.Context) (llm.Transcript, error) {
	s.ears.mu.Lock()
	h, slow := s.ears.script[s.n], s.ears.slow[s.n]
	s.ears.ends++
	s.ears.mu.Unlock()
	if slow > 0 {
		select {
		case <-time.After(slow):
		case <-ctx.Done():
			return llm.Transcript{}, ctx.Err()
		}
	}
	return h.told(), h.err
}

// Peek takes 300 ms.
func (s *earStream) Peek(ctx context.Context, early func(llm.Transcript)) (llm.Transcript, error) {
	time.Sleep(100 * time.Millisecond)
	if s.ears.early != "" {
		early(llm.Transcript{Text: s.ears.early})
	}
	select {
	case <-time.After(200 * time.Millisecond):
	case <-ctx.Done():
		return llm.Transcript{}, ctx.Err()
	}
	s.ears.mu.Lock()
	defer s.ears.mu.Unlock()
	s.ears.peeks++
	list := s.ears.sofar[s.n]
	if len(list) == 0 {
		return llm.Transcript{}, nil
	}
	s.ears.sofar[s.n] = list[1:]
	return list[0].told(), list[0].err
}

// told is what an engine tells of t.
func (t *transcript) told() llm.Transcript {
	told := llm.Transcript{Text: t.text, Rejected: t.rejected, Rival: t.rival, By: "ears"}
	switch {
	case t.unsure:
		told.Margin = -18
	case t.faint:
		told.Margin = -10
	}
	return told
}

// phrases understands "do TOOL" as an intent; "wait" lacks something, and "thanks"
// has its answer. "It" is the tool of the last turn; "open it" and "lock it" agree, or are requests after one.
type phrases struct{}

func (phrases) Match(text, topic string) (llm.ToolCall, string, bool) {
	if text == "do it" && topic == "confirm" {
		text = "yes"
	}
	if text == "yes" || text == "no" {
		return llm.ToolCall{Name: "confirm", Arguments: fmt.Appendf(nil, `{"yes":%t}`, text == "yes")}, "answer_" +
			text, true
	}
	if verb, ok := strings.CutSuffix(text, " it"); ok && (topic == "" || topic == "confirm") && (verb == "open" || verb == "lock") {
		return llm.ToolCall{Name: "confirm", Arguments: fmt.Appendf(nil, `{"yes":true,"do":%q}`, verb)}, "answer_yes", true
	}
	switch text {
	case "lock it":
		return llm.ToolCall{Name: "lock", Arguments: []byte("{}")}, "lock", true
	case "wait":
		return llm.ToolCall{Name: "ask", Arguments: []byte(`{"question":"For how long?","then":["do {answer}"]}`)},
			"ask_wait", true
	case "red": // of what is not said
		return llm.ToolCall{Name: "paint", Arguments: []byte(`{"value":"red"}`)}, "paint", true
	case "do red":
		return llm.ToolCall{Name: "paint", Arguments: []byte(`{"name":"lamp","value":"red"}`)}, "paint_lamp", true
	case "thanks":
		return llm.ToolCall{Name: "reply", Arguments: []byte(`{"text":"You're welcome."}`)}, "talk_thanks", true
	}
	name, ok := strings.CutPrefix(strings.Replace(text, " it", " "+topic, 1), "do ")
	ok = ok && !strings.Contains(name, " and ")
	return llm.ToolCall{Name: name, Arguments: []byte("{}")}, name, ok
}

func (p phrases) MatchRinging(text string) (llm.ToolCall, string, bool) {
	if text == "turn it off" {
		return llm.ToolCall{Name: "speaker_stop", Arguments: []byte("{}")}, "ring_stop", true
	}
	return p.Match(text, "")
}

// MatchChoice understands "first" as well.
func (p phrases) MatchChoice(text string) (llm.ToolCall, string, bool) {
	if text == "first" {
		return llm.ToolCall{Name: "choose", Arguments: []byte(`{"place":1}`)}, "answer_which", true
	}
	return p.Match(text, "")
}

func (p phrases) MatchTwo(text, _ string) ([]llm.ToolCall, string, bool) {
	one, two, ok := strings.Cut(text, " and ")
	a, first, ok1 := p.Match(one, "")
	b, second, ok2 := p.Match(two, "")
	return []llm.ToolCall{a, b}, first + "+" + second, ok && ok1 && ok2
}

func (phrases) Completeness(text string) (whole, begun bool) {
	return strings.HasPrefix(text, "do "), strings.HasSuffix(text, "do")
}

func (phrases) Wake(text string) (string, bool) {
	rest, ok := strings.CutPrefix(text, "hey hearth")
	return strings.TrimSpace(rest), ok
}

// hands runs every tool; "broken" fails, "slow" takes a minute, "door" and "garage"
// want a yes, and "record" a message.
type hands struct {
	mu        sync.Mutex
	calls     []llm.ToolCall
	confirmed []string
	recorded  []int16
	whom      []llm.Ask // of all calls
	moved     bool      // "door" means the back door by now
}

func (h *hands) Run(ctx context.Context, c tools.Call) tools.Outcome {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.whom = append(h.whom, c.For)
	switch {
	case c.Ask:
		return asks("Shall I really do that: " + c.Name + "?")
	case c.Unsure && c.Name != "door", c.For.Faint && c.Agreed == "" && c.Name == "wipe", c.For.Rival && c.Name != "look":
		return asks(c.For.Said + ", right?")
	case c.Agreed == "":
		h.calls = append(h.calls, c.ToolCall)
	case c.Name == "record":
		h.recorded = c.Recorded
		return done("It is sent.")
	case h.moved && c.Agreed != "Open the back door?":
		return asks("Open the back door?")
	default:
		h.confirmed = append(h.confirmed, c.Name)
		return done("The " + c.Name + " is open.")
	}
	h.mu.Unlock()
	defer h.mu.Lock()
	return h.run(ctx, c.Name)
}

func (h *hands) run(ctx context.Context, tool string) tools.Outcome {
	switch tool {
	case "door", "garage":
		return asks("Open the " + tool + "?")
	case "made_up":
		return tools.Outcome{Class: tools.UnknownTool, Result: tools.Result{Text: "there is no tool"}}
	case "misused":
		return tools.Outcome{Class: tools.BadArguments, Result: tools.Result{Text: "arguments do not fit"}}
	case "broken":
		return tools.Outcome{Class: tools.Failed, Err: &tools.Failure{Say: "That did not work.", Cause: errCloud},
			Result: tools.Result{Text: "failed"}}
	case "which":
		return tools.Outcome{Class: tools.OK, Result: tools.Result{Text: "Which one?", Then: []string{"do {answer}"}}}
	case "several":
		return tools.Outcome{Class: tools.OK, Result: tools.Result{Text: "Which one?", Choose: "pick"}}
	case "record":
		return tools.Outcome{Class: tools.OK, Result: tools.Result{Text: "What is your message?", Record: true}}
	case "web":
		return tools.Outcome{Class: tools.OK, Result: tools.Result{Text: "It is done.", Foreign: true}}
	case "keep", "save":
		return tools.Outcome{Class: tools.OK, Result: tools.Result{Text: "It is kept.", Kept: true}}
	case "slow_off", "slow_on":
		time.Sleep(time.Second)
	case "slow":
		select {
		case <-time.After(time.Minute):
		case <-ctx.Done():
			return tools.Outcome{Class: tools.Cancelled}
		}
	}
	return done("It is done.")
}

// done is the outcome of a tool that says text, and asks that of one that needs a yes.
func done(text string) tools.Outcome {
	return tools.Outcome{Class: tools.OK, Result: tools.Result{Text: text}}
}

func asks(question string) tools.Outcome {
	return tools.Outcome{Class: tools.Asked, Question: question, Result: tools.Result{Text: "asked"}}
}

// mind is a thinker that writes the sentences it was given, and runs the tools of
// "do TOOL TOOL" at the same time.
type mind struct {
	tools     *answer.Toolbox
	mu        sync.Mutex
	sentences []string
	pause     time.Duration // before each
	err       error         // at the end
	heards    []string
	notes     []string
	ended     int
}

func (m *mind) Think(ctx context.Context, ask llm.Ask) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		defer func() {
			m.mu.Lock()
			m.ended++
			m.mu.Unlock()
		}()
		for _, s := range m.sentences {
			select {
			case <-time.After(m.pause):
			case <-ctx.Done():
				yield(llm.Delta{}, ctx.Err())
				return
			}
			if names, ok := strings.CutPrefix(s, "do "); ok {
				m.run(ctx, ask, strings.Fields(names))
			} else if !yield(llm.Delta{Text: s}, nil) {
				return
			}
		}
		if m.err != nil {
			yield(llm.Delta{}, m.err)
			return
		}
		yield(llm.Delta{Usage: &llm.Usage{PromptTokens: 10, OutputTokens: 5}}, nil)
	}
}

func (m *mind) run(ctx context.Context, ask llm.Ask, names []string) {
	var running sync.WaitGroup
	for _, name := range names {
		running.Go(func() {
			m.tools.Run(ctx, tools.Call{ToolCall: llm.ToolCall{Name: name, Arguments: []byte("{}")}, For: ask})
		})
	}
	running.Wait()
}

func (m *mind) Heard(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heards = append(m.heards, text)
}

func (m *mind) Note(ask llm.Ask, answer string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notes = append(m.notes, ask.Text+" / "+answer)
}

func (m *mind) Apology(error) string { return said("dialogue.thinker_gone") }

// mouth speaks 100 ms per word.
type mouth struct {
	mu   sync.Mutex
	err  error
	said []string
	fb   *mouth
	// delay is how long it takes to begin a sentence.
	delay time.Duration
}

var errMouth = errors.New("no voice")

func (m *mouth) fallback() *mouth {
	m.fb = &mouth{}
	return m.fb
}

func (m *mouth) Speak(_ context.Context, text string) iter.Seq2[audio.Chunk, error] {
	return func(yield func(audio.Chunk, error) bool) {
		m.mu.Lock()
		err := m.err
		if err == nil {
			m.said = append(m.said, text)
		}
		m.mu.Unlock()
		if err != nil {
			yield(audio.Chunk{}, err)
			return
		}
		time.Sleep(m.delay)
		for range strings.Fields(text) {
			samples := make([]int16, rigRate/10)
			for i := range samples {
				samples[i] = 1000
			}
			if !yield(audio.Chunk{Rate: rigRate, Samples: samples}, nil) {
				return
			}
		}
	}
}
