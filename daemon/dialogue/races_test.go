package dialogue

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/dialogue/spoken"
	"hearthd/daemon/event"
	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
	"hearthd/vad"
)

// The races are all combinations of when a person speaks into an answer of the
// responder, what kind of tool it has called, and whether the connection is lost.
// Each is run raceRepeats times, or HEARTHD_TEST_RACES times, at moments that are
// chosen anew.
const raceRepeats = 4

func TestRacesOfPersonToolAndConnection(t *testing.T) {
	n := raceRepeats
	if s := os.Getenv("HEARTHD_TEST_RACES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	for _, cut := range []string{"never", "before it sounds", "while the tool runs", "while it speaks", "as it ends"} {
		for _, tool := range []string{"", "look", "act"} {
			for _, lost := range []bool{false, true} {
				t.Run(fmt.Sprintf("cut %s, tool %q, lost %t", cut, tool, lost), func(t *testing.T) {
					for range n {
						newRace(cut, tool, lost).run(t)
						if t.Failed() {
							return
						}
					}
				})
			}
		}
	}
}

// What is said by whom in a race.
const (
	raceCloud  = "One."
	raceHome   = "At home."
	raceSecond = "Two."
	// raceLevel is that of the first answer, unlike anything else's.
	raceLevel = 9000
)

// race is a request, and perhaps a second one that is spoken into its answer. The
// moments count from the end of the first request.
type race struct {
	cut, tool string
	cutAt     time.Duration
	lostAt    time.Duration // 0: it is not
	works     time.Duration // how long the tool does
	begins    time.Duration // when the answer does

	mu      sync.Mutex
	turns   int
	calls   int
	results map[string]int
}

func newRace(cut, tool string, lost bool) *race {
	between := func(from, to int) time.Duration { return time.Duration(from+rand.IntN(to-from)) * time.Millisecond }
	r := &race{cut: cut, tool: tool, works: between(1, 600), begins: between(1, 400), results: map[string]int{}}
	if lost {
		r.lostAt = between(1, 1500)
	}
	starts := r.begins
	if tool != "" {
		starts += r.works
	}
	switch cut {
	case "before it sounds":
		r.cutAt = between(0, int(starts.Milliseconds())+10)
	case "while the tool runs":
		r.cutAt = r.begins + between(0, int(r.works.Milliseconds())+10)
	case "while it speaks":
		r.cutAt = starts + between(0, 2900)
	case "as it ends":
		r.cutAt = starts + between(2900, 3200)
	}
	return r
}

func (r *race) Wanted() bool                                        { return true }
func (r *race) Excuse() string                                      { return "" }
func (r *race) Prepare()                                            {}
func (r *race) Converses() bool                                     { return false }
func (r *race) Leave()                                              {}
func (r *race) Note(llm.Ask, string)                                {}
func (r *race) Remark(context.Context, string) (spoken.Turn, error) { return nil, errCloud }

func (r *race) Open(context.Context, string) (spoken.Turn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turns++
	t := &raceTurn{race: r, first: r.turns == 1, done: make(chan struct{}, 1), cut: make(chan struct{})}
	t.end = sync.OnceFunc(func() { close(t.cut) })
	return t, nil
}

// Run is the tool of the race.
func (r *race) Run(ctx context.Context, _ tools.Call) tools.Outcome {
	select {
	case <-time.After(r.works):
		return done("It is done.")
	case <-ctx.Done():
		return tools.Outcome{Class: tools.Cancelled}
	}
}

type raceTurn struct {
	race  *race
	first bool
	done  chan struct{} // cap 1; the result of the call came
	cut   chan struct{}
	end   func()
}

func (t *raceTurn) Write([]int16) error            { return nil }
func (t *raceTurn) Speech() (_, _ <-chan struct{}) { return nil, nil }
func (t *raceTurn) Commit() error                  { return nil }
func (t *raceTurn) Cut(time.Duration)              { t.end() }

func (t *raceTurn) Result(call, _ string) {
	t.race.mu.Lock()
	defer t.race.mu.Unlock()
	t.race.results[call]++
	select {
	case t.done <- struct{}{}:
	default:
	}
}

// Answer is three seconds of speech, after the tool. What was lost or cut yields
// nothing more.
func (t *raceTurn) Answer(ctx context.Context, _, _ time.Duration) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if !t.first {
			yield(sounds(raceSecond), nil)
			return
		}
		var lost <-chan time.Time
		if t.race.lostAt > 0 {
			lost = time.After(t.race.lostAt)
		}
		for _, step := range t.steps() {
			select {
			case <-step.when:
			case <-lost:
				yield(llm.Delta{}, errCloud)
				return
			case <-ctx.Done():
				return
			case <-t.cut:
				return
			}
			if step.delta.Call != nil {
				t.race.mu.Lock()
				t.race.calls++
				t.race.mu.Unlock()
			}
			if !yield(step.delta, nil) {
				return
			}
		}
	}
}

type raceStep struct {
	when  <-chan struct{}
	delta llm.Delta
}

func (t *raceTurn) steps() []raceStep {
	after := func(d time.Duration) <-chan struct{} {
		c := make(chan struct{})
		time.AfterFunc(d, func() { close(c) })
		return c
	}
	begins := after(t.race.begins)
	var steps []raceStep
	if t.race.tool != "" {
		steps = append(steps, raceStep{begins, llm.Delta{Call: &llm.ToolCall{ID: "call", Name: t.race.tool}}})
		begins = t.done
	}
	loud := func(text string) llm.Delta {
		d := sounds(text)
		for i := range d.Audio {
			d.Audio[i] = raceLevel
		}
		return d
	}
	return append(steps, raceStep{begins, loud(raceCloud)}, raceStep{after(t.race.begins + 700*time.Millisecond),
		loud("")},
		raceStep{after(t.race.begins + 1400*time.Millisecond), loud("")})
}

// heardAt is how loud a period was.
type heardAt struct {
	at   time.Time
	loud int32
}

func (r *race) run(t *testing.T) {
	t.Helper()
	with(t, func(k *rig) {
		k.duplex = true
		k.mind.sentences = []string{raceHome}
		k.ans.Responder, k.ans.FirstAudio = r, 5*time.Second
		k.ans.Tools = answer.NewToolbox(k.bus, r, phrase.English(), true)
		k.rules.reads = func(tool string) bool { return tool == "look" }
	}, func(t *testing.T, k *rig) {
		var heard []heardAt
		watched := make(chan struct{})
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			defer close(watched)
			tick := time.NewTicker(rigPeriod)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					heard = append(heard, heardAt{time.Now(), k.loud.Load()})
				case <-ctx.Done():
					return
				}
			}
		}()
		begun := time.Now()
		k.say(1, "hey hearth why")
		if r.cut != "never" {
			time.Sleep(r.cutAt - time.Since(begun))
			k.ears.will(2, "hey hearth and then", nil)
			k.speak(2)
			k.silence(2, vad.End, vad.Silence)
		}
		time.Sleep(30 * time.Second)
		synctest.Wait()
		stop()
		<-watched
		if err := r.judge(k, begun, heard); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	})
}

// judge looks at all that happened: one answer for each request, none of an older
// one, a result for each call, and no silence.
func (r *race) judge(k *rig, begun time.Time, heard []heardAt) error {
	said, ended := map[uint64][]string{}, map[uint64]*event.Turn{}
	for len(k.sub.C()) > 0 {
		e := <-k.sub.C()
		h := event.Head(e)
		if ended[h.Turn] != nil && h.Turn != 0 {
			if _, state := e.(*event.StateChanged); !state {
				return fmt.Errorf("%q of turn %d came after its end", h.Type, h.Turn)
			}
		}
		switch e := e.(type) {
		case *event.Said:
			said[h.Turn] = append(said[h.Turn], e.Text)
		case *event.Turn:
			ended[h.Turn] = e
		}
	}
	want := 1
	if r.cut != "never" {
		want = 2
	}
	if len(ended) != want {
		return fmt.Errorf("%d turns ended, not %d", len(ended), want)
	}
	first, second := ended[1], ended[2]
	if slices.Contains(said[1], raceCloud) && slices.Contains(said[1], raceHome) {
		return fmt.Errorf("two answers: %q", said[1])
	}
	if second != nil && (second.Outcome != "answered" || second.Answer != raceSecond) {
		return fmt.Errorf("the second request: %+v", second)
	}
	if r.results["call"] != r.calls {
		return fmt.Errorf("%d results for %d calls", r.results["call"], r.calls)
	}
	if first.Outcome != "interrupted" && first.Outcome != "superseded" && !sounded(heard, begun, first.Time) {
		return errors.New("silence, without an earcon")
	}
	return stale(heard, first)
}

// sounded reports whether anything was heard between two moments.
func sounded(heard []heardAt, from, to time.Time) bool {
	return slices.ContainsFunc(heard, func(h heardAt) bool {
		return h.loud > 0 && !h.at.Before(from) && !h.at.After(to.Add(rigPeriod))
	})
}

// stale finds sound of the first answer after its end: a level that holds for three
// periods, as no earcon's does.
func stale(heard []heardAt, first *event.Turn) error {
	level, held := int32(0), 0
	for _, h := range heard {
		if h.at.Before(first.Time) { // the steady level of the first answer
			if h.loud > level && h.loud >= raceLevel/8 {
				level = h.loud
			}
			continue
		}
		if h.at.Sub(first.Time) > 60*time.Millisecond && level > 0 && h.loud > level*9/10 {
			if held++; held >= 3 {
				return fmt.Errorf("the first answer sounds %v after its end", h.at.Sub(first.Time))
			}
			continue
		}
		held = 0
	}
	return nil
}
