package responder

import (
	"context"
	"fmt"
	"sync"
	"time"

	"hearthd/daemon/health"
	"hearthd/daemon/queue"
)

const (
	// costQueue is how many costs may wait to be written to the disk.
	costQueue = 64
	// costLimit bounds the wait until one cost is stored.
	costLimit = time.Second
)

// budget is what the responder has cost, and what it may cost. Any goroutine may use it; Run writes
// to the disk.
type budget struct {
	opt   Options
	costs chan float64

	mu    sync.Mutex
	at    time.Time // the day of the sums
	day   float64   // spent
	month float64
	owed  float64 // the part of both that is not on the disk yet
	told  bool    // people were told on that day that the budget is spent
}

func newBudget(ctx context.Context, opt Options) (*budget, error) {
	b := &budget{opt: opt, costs: make(chan float64, costQueue), at: time.Now()}
	var err error
	b.day, b.month, err = opt.Store.Spent(ctx, b.at)
	return b, err
}

// spend adds what a response or a transcript cost. The sums count at once; the disk follows.
func (b *budget) spend(money float64) {
	b.mu.Lock()
	b.turnDay(time.Now())
	b.day += money
	b.month += money
	b.owed += money
	b.mu.Unlock()
	if !queue.Offer(b.costs, money) {
		b.kept(money)
		b.opt.Log.Error("cost not stored, the disk is too slow", "component", "responder", "money", money)
	}
}

// turnDay switches to the sums of another day: a new one, or one that the clock was set back to. If
// they cannot be read, the known ones stay. mu is held.
func (b *budget) turnDay(now time.Time) {
	if now.Format(time.DateOnly) == b.at.Format(time.DateOnly) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), costLimit)
	defer cancel()
	day, month, err := b.opt.Store.Spent(ctx, now)
	if err != nil {
		b.opt.Log.Error("read cost", "component", "responder", "error", err)
		day, month = b.day-b.owed, b.month-b.owed
	}
	b.at, b.day, b.month, b.told = now, day+b.owed, month+b.owed, false
}

// kept notes that an amount is on the disk, or never will be.
func (b *budget) kept(money float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.owed -= money
}

// sums are what was spent today and in this month.
func (b *budget) sums(now time.Time) (day, month float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turnDay(now)
	return b.day, b.month
}

// over reports whether the budget of the day or of the month is spent.
func (b *budget) over(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turnDay(now)
	c := &b.opt.Now().Responder
	over := b.day >= c.Daily || b.month >= c.Monthly
	if over {
		b.opt.Conditions.Set("budget", health.Warning,
			fmt.Sprintf("The responder has cost %.2f %s today and %.2f this month, which is its budget; the "+
				"thinker answers instead.",
				b.day, c.Prices.Currency, b.month))
	} else {
		b.opt.Conditions.Clear("budget")
	}
	return over
}

// tell reports, once a day, whether a person is to be told.
func (b *budget) tell() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := !b.told
	b.told = true
	return first
}

// Run stores what was spent until ctx ends, and then what still waits.
func (b *budget) Run(ctx context.Context) error {
	for {
		select {
		case money := <-b.costs:
			b.keep(ctx, money)
			continue
		default:
		}
		select {
		case <-ctx.Done():
			return nil
		case money := <-b.costs:
			b.keep(ctx, money)
		}
	}
}

func (b *budget) keep(ctx context.Context, money float64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), costLimit)
	defer cancel()
	defer b.kept(money)
	if err := b.opt.Store.AddSpent(ctx, time.Now(), money); err != nil {
		b.opt.Log.Error("keep cost", "component", "responder", "error", err)
	}
}

// Spent is what today and this month have cost.
func (r *Responder) Spent() (day, month float64) { return r.budget.sums(time.Now()) }
