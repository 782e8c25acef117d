package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/timers"
	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/timer"
)

const (
	// devicesWithin is how long an order waits for its devices, which the broker tells of
	// in the seconds after a start.
	devicesWithin = 30 * time.Second
)

// keepOrder keeps an order of a person.
func keepOrder(timers *timer.Timers) func(context.Context, home.Order) (tools.Result, error) {
	return func(ctx context.Context, order home.Order) (tools.Result, error) {
		return timers.Order(ctx, timer.Plan{Label: order.Label, Do: order.Call, In: order.In, Time: order.Time, Day: order.Day})
	}
}

// carrier carries out what was ordered for later, as a turn does.
type carrier struct {
	*base
	timers  *timers.Timers
	devices *devices
	tools   *answer.Toolbox
	speaker announcer
}

// announcer says what nobody asked for just now, as the dialogue does.
type announcer interface {
	Announce(ctx context.Context, text string, chime, urgent bool) error
}

// run carries out what is due until ctx ends. What was begun then is begun again after
// the next start: an order says what is to be, so that does no harm.
func (c carrier) run(ctx context.Context, due <-chan []timer.Event) error {
	var busy sync.WaitGroup
	defer busy.Wait()
	for {
		select {
		case <-ctx.Done():
			return nil
		case due := <-due:
			// One after the other: of what is late the last word counts.
			busy.Go(func() {
				for _, e := range due {
					c.carryOut(ctx, e)
				}
			})
		}
	}
}

// carryOut does one order, and says so only if that failed.
func (c carrier) carryOut(ctx context.Context, e timer.Event) {
	said, ok := "I was off, or my clock was wrong", false
	if !e.Once {
		said, ok = c.do(ctx, e)
	}
	if ctx.Err() != nil {
		return
	}
	c.timers.Ended([]int64{e.Timer.ID})
	if ok {
		return
	}
	if err := c.speaker.Announce(ctx, fmt.Sprintf("%s. %s.", c.timers.Due(e), tools.Sentence(said)), true, true); err != nil {
		c.log.Warn("tell of an order that was not carried out", "component", "timer", "timer", e.Timer.ID, "error", err)
	}
}

// do makes the call of e, and reports whether everything did what it was told.
func (c carrier) do(ctx context.Context, e timer.Event) (said string, ok bool) {
	var order home.Call
	if err := json.Unmarshal([]byte(e.Timer.Do), &order); err != nil {
		c.log.Error("order refused", "component", "timer", "timer", e.Timer.ID, "error", err)
		return "I no longer know how", false
	}
	if c.devices.tool != nil {
		c.devices.await(ctx, order)
	}
	call := llm.ToolCall{ID: fmt.Sprintf("order-%d", e.Timer.ID), Name: "home_control", Arguments: order.Arguments}
	out := c.tools.Run(ctx, tools.Call{ToolCall: call, Agreed: order.Question})
	return sayable(out), out.Class == tools.OK && home.Did(out.Result)
}

// await waits until the devices of c are known, for a while.
func (v *devices) await(ctx context.Context, c home.Call) {
	ctx, cancel := context.WithTimeout(ctx, devicesWithin)
	defer cancel()
	look := time.NewTicker(time.Second) // they are offered a little after they are known
	defer look.Stop()
	for !v.offers() || !v.tool.Knows(c) {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// offers reports whether the tools of the devices are offered.
func (v *devices) offers() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.offered
}
