package engines

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"
	"time"

	"hearthd/daemon/health"
	"hearthd/daemon/queue"
	"hearthd/llm"
)

const (
	// probeLost is how soon a server that failed is tried again, and probeWell how often one in the
	// house that works is checked.
	probeLost = 15 * time.Second
	probeWell = time.Minute
)

// chatModel is a chat model of a server.
type chatModel interface {
	Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error]
	// Ready says whether the server can be used. It has a limit of its own, and costs nothing.
	Ready(ctx context.Context) error
}

// servers keeps the condition of the thinkers' servers, by the result of each exchange with a
// model, and by probes. Run is its one goroutine; any goroutine may use its models.
type servers struct {
	conditions *health.Conditions
	list       []*Model
	bell       queue.Bell // rung when a server has failed

	mu sync.Mutex // of the errors of servers
}

// Model is a model of a server. Each exchange with it tells whether the server works.
type Model struct {
	chatModel
	among *servers
	name  string // for people: the model's, with that of its provider
	home  bool   // a probe disturbs nobody outside the house
	err   error  // result of the last exchange or probe
	tried bool   // err is the result of an exchange

	usual *Model      // answers in the same turn when the server does not have this one; nil: none does
	told  func(error) // called with whether a provider has it; nil: it belongs to the house
}

func newServers(c *health.Conditions) *servers {
	return &servers{conditions: c, bell: queue.NewBell()}
}

// watch makes a Model of m.
func (ss *servers) watch(m chatModel, name string, home bool) *Model {
	s := &Model{chatModel: m, among: ss, name: name, home: home}
	ss.list = append(ss.list, s)
	return s
}

// Chat asks the model, or the usual one in its place.
func (s *Model) Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		var failed error
		begun, gone := false, false
		for d, err := range s.chatModel.Chat(ctx, req) {
			if failed, gone = err, errors.Is(err, llm.ErrModel); gone && s.usual != nil && !begun {
				break
			}
			if begun = true; !yield(d, err) {
				break
			}
		}
		if ctx.Err() == nil || failed != nil && !errors.Is(failed, context.Canceled) {
			s.among.heard(s, failed, true)
		}
		if s.told != nil && (gone || failed == nil && begun) {
			s.told(failed)
		}
		if gone && s.usual != nil && !begun {
			s.usual.Chat(ctx, req)(yield)
		}
	}
}

// heard notes the result of an exchange with a model (tried) or of a probe.
func (ss *servers) heard(s *Model, err error, tried bool) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if errors.Is(err, llm.ErrNoThinking) { // it works without
		ss.conditions.Set("thinker_think", health.Warning,
			"The model "+s.name+" cannot think, so thinker.think has no effect.")
		err = nil
	}
	s.err, s.tried = err, tried
	if err != nil {
		ss.bell.Ring()
	}
	for _, s := range ss.list {
		if s.err != nil {
			ss.conditions.Set("thinker", health.Warning, fmt.Sprintf("The thinker %s (%s).", thinkerTrouble(s.err),
				s.name))
			return
		}
	}
	ss.conditions.Clear("thinker")
}

// thinkerTrouble says what is wrong with a server.
func thinkerTrouble(err error) string {
	for _, t := range []struct {
		err  error
		says string
	}{
		{llm.ErrModel, "does not have its model"}, {llm.ErrKey, "refuses its key"},
		{llm.ErrQuota, "says that its account is used up"},
		{llm.ErrRate, "limits how often it is asked"}, {llm.ErrBusy, "is busy"},
		{llm.ErrRefused, "refuses what it is asked"},
		{llm.ErrBroken, "breaks off its answers"},
	} {
		if errors.Is(err, t.err) {
			return t.says
		}
	}
	return "does not answer"
}

// Run probes all servers before anybody uses them, and from then on those that failed. It returns
// nil when ctx ends.
func (ss *servers) Run(ctx context.Context) error {
	ss.probe(ctx, func(*Model) bool { return true })
	tick := time.NewTimer(probeWell)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ss.bell:
			tick.Reset(probeLost)
		case <-tick.C:
			tick.Reset(probeWell)
			ss.probe(ctx, func(s *Model) bool { return s.home || s.err != nil })
		}
	}
}

// probe checks some of the servers. A failure that only an exchange can show, such as an account
// that is used up, is not cleared by a probe.
func (ss *servers) probe(ctx context.Context, some func(*Model) bool) {
	ss.mu.Lock()
	servers := slices.DeleteFunc(slices.Clone(ss.list), func(s *Model) bool { return !some(s) || s.hidden() })
	ss.mu.Unlock()
	for _, s := range servers {
		if err := s.Ready(ctx); ctx.Err() == nil {
			ss.heard(s, err, false)
		}
	}
}

// hidden reports whether an exchange found the failure, and only another exchange can clear it: a
// server outside may list its models even to somebody without a key. Where an answer was cut off in
// the middle, the server itself may have stopped, and may be back.
func (s *Model) hidden() bool {
	outside := !s.home && (errors.Is(s.err, llm.ErrKey) || errors.Is(s.err, llm.ErrModel))
	broken := errors.Is(s.err, llm.ErrBroken) && (!s.home || !errors.Is(s.err, io.ErrUnexpectedEOF))
	return s.tried && (outside || broken || errors.Is(s.err, llm.ErrQuota) || errors.Is(s.err, llm.ErrRefused))
}
