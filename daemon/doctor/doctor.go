// Package doctor is what hearthctl doctor and the daemon's probes have in common: a Finding for
// each thing that was looked at, the running of checks side by side, the order in which findings
// are listed, and their text. It measures nothing itself; package box below it looks at the
// machine, and daemon at what only its own code can try.
//
// Run starts a goroutine per check and waits for each, except for one that ignores its limit, which
// it leaves behind and reports. The package imports nothing of hearthd.
package doctor

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Verdict says how bad a finding is.
type Verdict string

const (
	Fail Verdict = "fail" // something that the household asked for does not work
	Warn Verdict = "warn" // it works, and will not stay so, or not as well as it could
	OK   Verdict = "ok"
	Skip Verdict = "skip" // it was not looked at; the text says why
)

// Finding is the result of a check.
type Finding struct {
	Check   string  `json:"check"` // one of Names
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"`
	// Numbers are what was measured; the unit is the end of the name: free_mb, rtt_ms.
	Numbers map[string]float64 `json:"numbers,omitempty"`
	// Fix is the command or the line of configuration that mends it.
	Fix string `json:"fix,omitempty"`
	// Root says that this explains whatever else fails, although its check usually comes late in
	// the order.
	Root bool `json:"root,omitempty"`
	// Late puts the finding after others that are as bad: its cause may be where the box runs, a
	// container or a busy machine, and it explains little.
	Late bool `json:"-"`
	// Because names the check whose failure explains this one. Order sets it.
	Because string `json:"because,omitempty"`
	TookMS  int64  `json:"took_ms,omitempty"`
	// Repair mends it, where a program may do that safely; nil: a person has to.
	Repair func(context.Context) error `json:"-"`
}

// New makes a finding.
func New(check string, v Verdict, format string, args ...any) Finding {
	return Finding{Check: check, Verdict: v, Text: fmt.Sprintf(format, args...)}
}

// With adds a number.
func (f Finding) With(name string, value float64) Finding {
	numbers := map[string]float64{name: value}
	for k, v := range f.Numbers {
		numbers[k] = v
	}
	f.Numbers = numbers
	return f
}

// Mend adds what mends it.
func (f Finding) Mend(format string, args ...any) Finding {
	f.Fix = fmt.Sprintf(format, args...)
	return f
}

// Check looks at one thing.
type Check struct {
	Name  string
	Limit time.Duration
	// Heavy checks load the processor or make sound: they are run one after the other,
	// in their order, so that none of them disturbs what another one measures.
	Heavy bool
	Run   func(context.Context) []Finding
}

// grace is how much longer than its limit a check may take to return.
const grace = 2 * time.Second

// Run runs checks and gives their findings in the order of the checks. done is called,
// by one goroutine at a time, when one has ended.
func Run(ctx context.Context, checks []Check, done func(name string)) []Finding {
	found := make([][]Finding, len(checks))
	var mu sync.Mutex
	var all sync.WaitGroup
	turn := make(chan struct{}) // closed when the heavy check may begin
	close(turn)
	for i, c := range checks {
		before, after := turn, make(chan struct{})
		if c.Heavy {
			turn = after
		}
		all.Go(func() {
			defer close(after)
			if c.Heavy {
				<-before
			}
			list := one(ctx, c)
			mu.Lock()
			defer mu.Unlock()
			found[i] = list
			done(c.Name)
		})
	}
	all.Wait()
	var list []Finding
	for _, f := range found {
		list = append(list, f...)
	}
	return list
}

// one runs c within its limit.
func one(ctx context.Context, c Check) []Finding {
	if ctx.Err() != nil {
		return []Finding{New(c.Name, Skip, "interrupted")}
	}
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, c.Limit)
	defer cancel()
	came := make(chan []Finding, 1)
	go func() { came <- c.Run(ctx) }()
	late := time.NewTimer(c.Limit + grace)
	defer late.Stop()
	select {
	case list := <-came:
		for i := range list {
			list[i].TookMS = time.Since(begun).Milliseconds()
		}
		return list
	case <-late.C:
		return []Finding{New(c.Name, Fail, "does not come to an end: it hangs in a driver or a network file system").
			With("took_ms", float64(time.Since(begun).Milliseconds()))}
	}
}
