package daemon

import (
	"context"
	"fmt"
	"sync"
	"time"

	"hearthd/daemon/api"
	"hearthd/daemon/health"
	"hearthd/memory"
)

const (
	// costQueue is how many costs may wait for the disk to take what they cost.
	costQueue = 64
	// costLimit bounds the wait for the disk to take one.
	costLimit = time.Second
)

// purse is what the responder has cost, and its budget. Any goroutine may use it; Run
// writes to the disk.
type purse struct {
	*base
	store *memory.Store
	costs chan float64

	mu    sync.Mutex
	at    time.Time // the day of the sums
	day   float64   // spent
	month float64
	owed  float64 // of both, what the disk does not have yet
	told  bool    // that the budget is spent, on that day
}

func newPurse(ctx context.Context, b *base, store *memory.Store) (*purse, error) {
	p := &purse{base: b, store: store, costs: make(chan float64, costQueue), at: time.Now()}
	var err error
	p.day, p.month, err = store.Spent(ctx, p.at)
	return p, err
}

// spend takes what a response or a transcript cost. The sums hold at once; the disk follows.
func (p *purse) spend(money float64) {
	p.mu.Lock()
	p.turnDay(time.Now())
	p.day += money
	p.month += money
	p.owed += money
	p.mu.Unlock()
	select {
	case p.costs <- money:
	default:
		p.kept(money)
		p.log.Error("a cost is not kept, the disk is behind", "component", "responder", "money", money)
	}
}

// turnDay takes the sums of another day: of a new one, or of one that the clock has
// come back to. If they cannot be read, those that are known hold. mu is held.
func (p *purse) turnDay(now time.Time) {
	if now.Format(time.DateOnly) == p.at.Format(time.DateOnly) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), costLimit)
	defer cancel()
	day, month, err := p.store.Spent(ctx, now)
	if err != nil {
		p.log.Error("read cost", "component", "responder", "error", err)
		day, month = p.day-p.owed, p.month-p.owed
	}
	p.at, p.day, p.month, p.told = now, day+p.owed, month+p.owed, false
}

// kept notes that the disk has money, or never will.
func (p *purse) kept(money float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owed -= money
}

// sums are what was spent today and in this month.
func (p *purse) sums(now time.Time) (day, month float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turnDay(now)
	return p.day, p.month
}

// over reports whether the budget of the day or of the month is spent.
func (p *purse) over(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turnDay(now)
	c := &p.now().Responder
	over := p.day >= c.Daily || p.month >= c.Monthly
	if over {
		p.conditions.Set("budget", health.Warning, fmt.Sprintf("The responder has cost %.2f %s today and %.2f this month, which is its budget; the thinker answers instead.",
			p.day, c.Prices.Currency, p.month))
	} else {
		p.conditions.Clear("budget")
	}
	return over
}

// tell reports, once a day, that a person is to be told.
func (p *purse) tell() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := !p.told
	p.told = true
	return first
}

// Run writes what was spent, at the end too.
func (p *purse) Run(ctx context.Context) error {
	for {
		select {
		case money := <-p.costs:
			p.keep(ctx, money)
			continue
		default:
		}
		select {
		case <-ctx.Done():
			return nil
		case money := <-p.costs:
			p.keep(ctx, money)
		}
	}
}

func (p *purse) keep(ctx context.Context, money float64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), costLimit)
	defer cancel()
	defer p.kept(money)
	if err := p.store.AddSpent(ctx, time.Now(), money); err != nil {
		p.log.Error("keep cost", "component", "responder", "error", err)
	}
}

// spending is what status shows of the responder; nil when there is none.
func (d *base) spending(ctx context.Context, store *memory.Store) (*api.Spending, error) {
	c := &d.now().Responder
	if c.URL == "" {
		return nil, nil
	}
	day, month, err := store.Spent(ctx, time.Now())
	return &api.Spending{Day: day, Month: month, Daily: c.Daily, Monthly: c.Monthly, Currency: c.Prices.Currency}, err
}
