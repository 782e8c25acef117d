package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/engines"
	"hearthd/daemon/timers"
	"hearthd/memory"
	"hearthd/tools/home/discovery"
)

// consoleChanges is what people change at the console, and ask there.
type consoleChanges struct {
	host    // what MQTT may change too
	store   *memory.Store
	timers  *timers.Timers
	reloads *reloader
}

func (b consoleChanges) CancelTimer(ctx context.Context, id int64) (bool, error) {
	return b.timers.Cancel(ctx, id)
}

func (b consoleChanges) ChangeList(ctx context.Context, c api.ListChange) ([]string, error) {
	if len(c.Add) > 0 {
		if _, err := b.store.AddItems(ctx, c.List, c.Add); err != nil {
			if errors.Is(err, memory.ErrTooLong) || errors.Is(err, memory.ErrTooMany) {
				err = dialogue.Refusal(err.Error())
			}
			return nil, err
		}
	}
	if len(c.Remove) > 0 {
		if _, err := b.store.RemoveItems(ctx, c.List, c.Remove); err != nil {
			return nil, err
		}
	}
	items, err := b.store.Items(ctx, c.List)
	if items == nil {
		items = []string{}
	}
	return items, err
}

func (b consoleChanges) Devices() (list []api.Device, skipped []string) {
	from := b.h.devices.from
	if from == nil {
		return nil, nil
	}
	for _, e := range from.Entities() {
		d := api.Device{
			ID: e.ID, Kind: string(e.Kind), Name: cmp.Or(e.Name, e.Device), Area: e.Area, Offline: e.Offline, Hidden: e.Category != "",
		}
		if e.Device != "" && e.Name != "" && e.Device != e.Name {
			d.Name = e.Device + ", " + e.Name
		}
		if len(e.State) > 0 {
			d.State = e.State
		}
		if w, is := b.h.devices.tool.WayIn(&e); is || w.Marked {
			d.Entrance = &api.Entrance{Is: is, Why: w.Why, Marked: w.Marked}
		}
		list = append(list, d)
	}
	if hub, ok := from.(*discovery.Hub); ok {
		skipped = append(hub.Skipped(), hub.Aside()...)
	}
	return list, skipped
}

// SetEntrance says of a device that is known, or was, whether it lets people in.
func (b consoleChanges) SetEntrance(ctx context.Context, id string, is *bool) error {
	from := b.h.devices.from
	if from == nil {
		return dialogue.Refusal("there are no devices")
	}
	if _, ok := from.Entity(id); !ok && is != nil {
		return dialogue.Refusal("there is no such device")
	}
	return b.h.devices.entrances.set(ctx, id, is)
}

func (b consoleChanges) Explain(text string) any {
	m := b.h.matcher.now.Load()
	if rest, ok := m.Wake(text); ok && rest != "" {
		text = rest
	}
	return m.Explain(text)
}

func (b consoleChanges) Hearing() api.Hearing {
	now := b.now().Listen
	return api.Hearing{
		Threshold: now.Threshold, Release: now.Release, PreRollMS: now.PreRoll.Milliseconds(), MinMS: now.MinSpeech.Milliseconds(),
		SilenceMS: now.EndSilence.Milliseconds(), LongestMS: now.MaxUtterance.Milliseconds(), Configured: !b.reloads.tuned.Load(),
	}
}

func (b consoleChanges) Tune(h api.Hearing) error {
	length := func(ms int64) time.Duration {
		return time.Duration(min(ms, time.Hour.Milliseconds())) * time.Millisecond
	}
	return b.reloads.tune(func(l *config.Listen) {
		l.Threshold, l.Release = h.Threshold, h.Release
		l.PreRoll, l.MinSpeech = length(h.PreRollMS), length(h.MinMS)
		l.EndSilence, l.MaxUtterance = length(h.SilenceMS), length(h.LongestMS)
	})
}

// tune changes how the gate listens, until the next reload, which takes over what
// the files say.
func (r *reloader) tune(change func(*config.Listen)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.now()
	now := *was
	change(&now.Listen)
	if ps := now.Validate(); len(ps) > 0 {
		return fmt.Errorf("%s: %s", ps[0].Key, ps[0].Reason)
	}
	ears, err := r.ears.Settings(engines.Segmenting(&now.Listen))
	if err != nil {
		return err
	}
	for _, key := range config.Changed(was, &now) {
		r.origins = r.origins.From(key, "the console")
		r.tuned.Store(true)
	}
	r.live.Store(&now)
	r.adjust(ears)
	return nil
}
