package engines

import (
	"context"
	"fmt"
	"io"
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/llm"
)

// patient is a model whose exchanges and probes end as it is told.
type patient struct {
	mu           sync.Mutex
	chats, ready error
	probes       int
}

func (p *patient) set(chats, ready error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.chats, p.ready = chats, ready
}

func (p *patient) Chat(ctx context.Context, _ llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		p.mu.Lock()
		err := p.chats
		p.mu.Unlock()
		if err == nil {
			err = ctx.Err()
		}
		yield(llm.Delta{Text: "Yes."}, err)
	}
}

func (p *patient) Ready(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.probes++
	return p.ready
}

func (p *patient) probed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.probes
}

// ward runs a watch of two servers, and gives what tells of the condition.
func ward(t *testing.T) (p *servers, home, cloud *Model, texts func() []string) {
	t.Helper()
	conditions := health.New(event.NewBus())
	p = newServers(conditions)
	home, cloud = p.watch(&patient{}, "small", true), p.watch(&patient{}, "lab/big", false)
	texts = func() (all []string) {
		synctest.Wait()
		for _, c := range conditions.List() {
			all = append(all, c.Code+": "+c.Text)
		}
		return all
	}
	return p, home, cloud, texts
}

func admit(t *testing.T, p *servers) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func exchange(ctx context.Context, s *Model) {
	for range s.Chat(ctx, llm.Request{}) {
	}
}

func holds(t *testing.T, texts func() []string, want ...string) {
	t.Helper()
	if got := texts(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("conditions %q, want %q", got, want)
	}
}

func TestAThinkerThatIsAwayIsKnownBeforeAnybodyAsksAndClearedSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, home, _, texts := ward(t)
		home.chatModel.(*patient).set(nil, llm.ErrUnreachable)
		admit(t, p)
		holds(t, texts, "thinker: The thinker does not answer (small).")
		time.Sleep(10 * probeLost)
		holds(t, texts, "thinker: The thinker does not answer (small).")
		home.chatModel.(*patient).set(nil, nil)
		time.Sleep(probeLost)
		holds(t, texts)
		home.chatModel.(*patient).set(nil, llm.ErrModel) // and later, while nobody asks
		time.Sleep(probeWell)
		holds(t, texts, "thinker: The thinker does not have its model (small).")
	})
}

func TestAnExchangeTellsHowItsServerIsAndOfNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, home, cloud, texts := ward(t)
		admit(t, p)
		holds(t, texts)
		cloud.chatModel.(*patient).set(&llm.ServerError{Server: "lab", Err: llm.ErrQuota}, nil)
		exchange(t.Context(), cloud)
		want := "thinker: The thinker says that its account is used up (lab/big)."
		holds(t, texts, want)
		exchange(t.Context(), home)
		time.Sleep(10 * probeWell) // no probe shows that
		holds(t, texts, want)
		cloud.chatModel.(*patient).set(nil, nil)
		exchange(t.Context(), cloud)
		holds(t, texts)
	})
}

func TestAnExchangeThatThePersonCutTellsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, home, _, texts := ward(t)
		home.chatModel.(*patient).set(nil, llm.ErrUnreachable)
		admit(t, p)
		want := "thinker: The thinker does not answer (small)."
		holds(t, texts, want)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		exchange(ctx, home)
		holds(t, texts, want)
		late, end := context.WithTimeout(t.Context(), 0)
		defer end()
		exchange(late, home)
		holds(t, texts, want)
	})
}

func TestServersOutsideTheHouseAreProbedOnlyAtFirstAndWhileTheyFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, cloud, texts := ward(t)
		admit(t, p)
		time.Sleep(time.Hour + time.Second)
		if n := cloud.chatModel.(*patient).probed(); n != 1 {
			t.Errorf("%d probes of a server that works", n)
		}
		cloud.chatModel.(*patient).set(llm.ErrRate, nil)
		exchange(t.Context(), cloud)
		holds(t, texts, "thinker: The thinker limits how often it is asked (lab/big).")
		time.Sleep(probeLost)
		holds(t, texts)
	})
}

// A list of models that anybody may read says nothing of a key or of one model, and what a
// proxy says of an Ollama that is away is over when that is back.
func TestAProbeTakesBackWhatItCanSee(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, home, cloud, texts := ward(t)
		home.chatModel.(*patient).set(nil, llm.ErrBroken)
		admit(t, p)
		holds(t, texts, "thinker: The thinker breaks off its answers (small).")
		home.chatModel.(*patient).set(fmt.Errorf("%w: %w", llm.ErrBroken, io.ErrUnexpectedEOF), nil)
		time.Sleep(probeLost)
		holds(t, texts)
		exchange(t.Context(), home) // and one that fell in the middle of an answer
		holds(t, texts, "thinker: The thinker breaks off its answers (small).")
		time.Sleep(probeLost)
		holds(t, texts)
		for err, says := range map[error]string{llm.ErrKey: "refuses its key",
			llm.ErrModel: "does not have its model", llm.ErrBroken: "breaks off its answers"} {
			cloud.chatModel.(*patient).set(err, nil)
			exchange(t.Context(), cloud)
			time.Sleep(10 * probeWell)
			holds(t, texts, "thinker: The thinker "+says+" (lab/big).")
		}
		cloud.chatModel.(*patient).set(nil, nil)
		exchange(t.Context(), cloud)
		holds(t, texts)
	})
}

func TestAServerThatIsBackIsSeenThoughAnotherIsAskedAllTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, home, cloud, texts := ward(t)
		home.chatModel.(*patient).set(nil, llm.ErrUnreachable)
		admit(t, p)
		holds(t, texts, "thinker: The thinker does not answer (small).")
		home.chatModel.(*patient).set(nil, nil)
		for range 4 {
			exchange(t.Context(), cloud)
			time.Sleep(probeLost / 3)
		}
		holds(t, texts)
	})
}

func TestAModelThatCannotThinkSaysSoAndThinksOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, home, _, texts := ward(t)
		home.chatModel.(*patient).set(nil, llm.ErrNoThinking)
		admit(t, p)
		holds(t, texts, "thinker_think: The model small cannot think, so thinker.think has no effect.")
	})
}
