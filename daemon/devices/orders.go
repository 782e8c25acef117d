package devices

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/home/act"
	"hearthd/tools/timer"
)

// devicesWithin is how long an order waits for its devices, which the broker reports in the seconds
// after a start.
const devicesWithin = 30 * time.Second

// order keeps an order of a person.
func (v *Devices) order(ctx context.Context, order act.Order) (tools.Result, error) {
	return v.opt.Timers.Order(ctx, timer.Plan{Label: order.Label, Do: order.Call, In: order.In, Time: order.Time,
		Day: order.Day, From: order.From})
}

// carryOutOrders carries out what is due until ctx ends. An order that was begun when the process
// ended is carried out again after the next start: it says what state is wanted, so that does no
// harm.
func (v *Devices) carryOutOrders(ctx context.Context) error {
	var busy sync.WaitGroup
	defer busy.Wait()
	for {
		select {
		case <-ctx.Done():
			return nil
		case due := <-v.opt.Due:
			// One after the other: of several late ones the last decides.
			busy.Go(func() {
				for _, e := range due {
					v.carryOut(ctx, e)
				}
			})
		}
	}
}

// carryOut does one order, and says so only if that failed.
func (v *Devices) carryOut(ctx context.Context, e timer.Event) {
	said, ok := v.opt.Book.Say("dialogue.was_off"), false
	if !e.Once {
		said, ok = v.do(ctx, e)
	}
	if ctx.Err() != nil {
		return
	}
	v.opt.Timers.Ended([]int64{e.Timer.ID})
	if ok {
		return
	}
	if err := v.opt.Announce(ctx, llm.Ask{}, v.opt.Timers.Due(e)+". "+said, true); err != nil {
		v.opt.Log.Warn("report an order that was not carried out", "component", "timer", "timer", e.Timer.ID,
			"error", err)
	}
}

// do makes the call of e, and reports whether everything was done.
func (v *Devices) do(ctx context.Context, e timer.Event) (said string, ok bool) {
	var order act.Call
	if err := json.Unmarshal([]byte(e.Timer.Do), &order); err != nil {
		v.opt.Log.Error("order refused", "component", "timer", "timer", e.Timer.ID, "error", err)
		return v.opt.Book.Say("dialogue.know_how"), false
	}
	if v.home != nil {
		v.await(ctx, order)
	}
	call := llm.ToolCall{ID: fmt.Sprintf("order-%d", e.Timer.ID), Name: "home_control", Arguments: order.Arguments}
	out := v.opt.Toolbox.Run(ctx, tools.Call{ToolCall: call, Agreed: order.Question})
	return v.opt.Toolbox.Sayable(out), out.Class == tools.OK && act.Did(out.Result)
}

// await waits until the devices of c are known, for a while.
func (v *Devices) await(ctx context.Context, c act.Call) {
	ctx, cancel := context.WithTimeout(ctx, devicesWithin)
	defer cancel()
	look := time.NewTicker(time.Second) // the tools are offered a little after the devices are known
	defer look.Stop()
	for !v.offers() || !v.home.Knows(c) {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// offers reports whether the tools of the devices are offered.
func (v *Devices) offers() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.offered
}
