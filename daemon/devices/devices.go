// Package devices offers the devices of the home: their tools while there are any, their names for
// the matcher, the owner's marks for ways in, and orders that are due. Where the devices come from
// is the caller's business. The goroutines are those of its Parts.
package devices

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/health"
	"hearthd/daemon/refusal"
	"hearthd/daemon/supervise"
	"hearthd/llm"
	"hearthd/memory"
	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/act"
	"hearthd/tools/intent"
	"hearthd/tools/phrase"
	"hearthd/tools/timer"
)

// Vocabularies of the intents: the slots that names of devices fill.
const (
	deviceNames = "device"
	areaNames   = "area"
	choiceNames = "choice"
	sceneNames  = "scene"
	robotNames  = "robot"
	optionNames = "option" // what devices may be set to
	fieldNames  = "field"  // devices that hold a text
	personNames = "person" // of whom it is known whether they are at home
)

// maxOptions bounds the words that devices may be set to.
const maxOptions = 500

// messages are the documents and states of devices that come over the broker.
type messages interface {
	Skipped() []string // that are not understood
	Aside() []string   // those whose templates take too long
	Missed() int       // how many came too fast
}

// names makes words understood, from the moment when they are set.
type names interface {
	SetNames(vocab string, list []intent.Name)
}

// Options are what devices are offered with.
type Options struct {
	Source   home.Devices    // nil: there are no devices, and nothing else is needed
	Found    <-chan struct{} // rings when there are other devices, or other names
	Messages messages        // nil: the devices are not on the broker

	Config   *config.Home
	Now      func() *config.Config // what holds after reloads
	Area     string                // of the box
	Store    *memory.Store
	Registry *tools.Registry
	Book     *phrase.Book // the sentences that are said
	Toolbox  *answer.Toolbox
	Names    names
	Timers   *timer.Timers
	Due      <-chan []timer.Event // orders
	// Announce says something aloud.
	Announce func(ctx context.Context, ask llm.Ask, text string, urgent bool) error
	// Own does with what the box itself plays what a person asks, and reports whether it plays something.
	Own        func(ctx context.Context, do string) (tools.Result, bool, error)
	Louder     func(ctx context.Context, step int) (tools.Result, error) // the box itself
	Conditions *health.Conditions
	Log        *slog.Logger
}

// Devices are the devices of the home.
type Devices struct {
	opt       Options
	home      *act.Home // nil: there are no devices
	tools     []tools.Tool
	entrances *entrances

	mu      sync.Mutex
	offered bool
}

// New makes the tools, which Parts offer.
func New(ctx context.Context, opt Options) (*Devices, error) {
	v := &Devices{opt: opt}
	if opt.Source == nil {
		return v, nil
	}
	var err error
	if v.entrances, err = newEntrances(ctx, opt.Store, opt.Now); err != nil {
		return nil, err
	}
	v.home, err = act.New(act.Options{
		Devices: opt.Source, Area: opt.Area, Marks: v.entrances.marks, Order: v.order,
		Floors: floors(opt.Config.Floors), Book: opt.Book, Own: opt.Own, Louder: opt.Louder,
		Choice: func(names []string) { v.names(choiceNames, names) },
	})
	if err != nil {
		return nil, err
	}
	v.tools = v.home.Tools()
	return v, nil
}

// Tools are the tools that are offered while there are devices.
func (v *Devices) Tools() []tools.Tool { return v.tools }

// Playing has the players of the box's room do what a person asks, and reports whether any of them plays.
func (v *Devices) Playing(ctx context.Context, do string, percent int) (tools.Result, bool, error) {
	if v.home == nil {
		return tools.Result{}, false, nil
	}
	return v.home.Playing(ctx, do, percent)
}

// PlayerSpokenOf has the player that was spoken of last do what a person asks, and reports whether there is one.
func (v *Devices) PlayerSpokenOf(ctx context.Context, do string, percent int) (tools.Result, bool, error) {
	if v.home == nil {
		return tools.Result{}, false, nil
	}
	return v.home.PlayerSpokenOf(ctx, do, percent)
}

// Halt stops what the last order set moving, and reports whether it was anything.
func (v *Devices) Halt(ctx context.Context) (tools.Result, bool, error) {
	if v.home == nil {
		return tools.Result{}, false, nil
	}
	return v.home.Halt(ctx)
}

// NamesWayIn reports whether a text may open a way into the house.
func (v *Devices) NamesWayIn(text string) bool { return v.home.NamesWayIn(text) }

// Marks are what the owner says of ways into the house.
func (v *Devices) Marks() home.Marks {
	if v.entrances == nil {
		return home.Marks{}
	}
	return v.entrances.marks()
}

// Parts offer the tools, and carry out the orders that are due.
func (v *Devices) Parts() []supervise.Part {
	parts := []supervise.Part{{Name: "orders", Policy: supervise.Restart, Run: v.carryOutOrders}}
	if v.opt.Source != nil {
		parts = append(parts, supervise.Part{Name: "devices", Policy: supervise.Restart, Run: v.offer})
	}
	return parts
}

// offer offers what there is, until ctx ends.
func (v *Devices) offer(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-v.opt.Found:
			v.found()
		}
	}
}

// floors are the areas, by the name of their floor.
func floors(list []config.Floor) map[string][]string {
	all := map[string][]string{}
	for _, f := range list {
		all[f.Name] = append(all[f.Name], f.Areas...)
	}
	return all
}

// found sets the names of the devices in the matcher, and offers the tools while there are any.
func (v *Devices) found() {
	var names []intent.Name
	var areas, scenes, robots, fields, persons []string
	options := map[string]bool{}
	for _, f := range v.opt.Config.Floors {
		areas = append(areas, f.Name)
	}
	count := 0
	for _, e := range v.opt.Source.Entities() {
		if count++; e.Category != "" {
			continue
		}
		for _, n := range e.Names(v.opt.Now().Tools.Intents.Language) {
			names = append(names, intent.Name{Value: n})
			switch e.Kind {
			case home.Scene, home.Script:
				scenes = append(scenes, n)
			case home.Button:
				if strings.Contains(n, " ") { // "feed the cat": one word alone may be part of any talk
					scenes = append(scenes, n)
				}
			case home.Vacuum, home.LawnMower:
				robots = append(robots, n)
			case home.Text:
				fields = append(fields, n)
			case home.BinarySensor:
				if e.Class == "presence" {
					persons = append(persons, n)
				}
			}
		}
		for _, list := range e.Options {
			for _, o := range list[:min(len(list), maxOptions-len(options))] {
				options[strings.ReplaceAll(o, "_", " ")] = true
			}
		}
		areas = append(append(areas, e.AreaNames()...), e.Floors...)
	}
	v.tellSkipped()
	v.opt.Names.SetNames(deviceNames, names)
	v.names(areaNames, areas)
	v.names(sceneNames, scenes)
	v.names(robotNames, robots)
	v.names(fieldNames, fields)
	v.names(personNames, persons)
	v.names(optionNames, slices.Sorted(maps.Keys(options)))
	v.register(count)
}

// register offers the tools when the first devices have come, and withdraws them when the last are gone.
func (v *Devices) register(count int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case count > 0 && !v.offered:
		if err := v.opt.Registry.Register(v.tools...); err != nil {
			v.opt.Log.Error("offer devices", "component", "home", "error", err)
		}
		v.opt.Log.Info("devices found", "component", "home", "count", count)
	case count == 0 && v.offered:
		for _, t := range v.tools {
			v.opt.Registry.Withdraw(t.Spec().Name)
		}
	}
	v.offered = count > 0
}

// tellSkipped keeps the condition of what is wrong with the devices on the broker.
func (v *Devices) tellSkipped() {
	m := v.opt.Messages
	if m == nil {
		return
	}
	v.opt.Conditions.Keep("devices", health.Warning, problems(m.Skipped(), m.Aside(), m.Missed()))
}

// problems says what is wrong with the devices on the broker; empty: nothing is.
func problems(skipped, aside []string, missed int) string {
	var parts []string
	if len(aside) > 0 {
		parts = append(parts,
			fmt.Sprintf("Templates of devices that take too long and are set aside: %d; the first: %s.",
				len(aside), aside[0]))
	}
	if len(skipped) > 0 {
		parts = append(parts, fmt.Sprintf("Device documents that are not understood: %d; the first: %s.", len(skipped),
			skipped[0]))
	}
	if missed > 0 {
		parts = append(parts, fmt.Sprintf("Messages of devices that came faster than they could be read: %d.", missed))
	}
	return strings.Join(parts, " ")
}

// names sets words as names that the matcher understands.
func (v *Devices) names(vocab string, words []string) {
	names := make([]intent.Name, len(words))
	for i, w := range words {
		names[i].Value = w
	}
	v.opt.Names.SetNames(vocab, names)
}

// List is what the console shows of the devices, with what was not understood.
func (v *Devices) List() (list []api.Device, skipped []string) {
	from := v.opt.Source
	if from == nil {
		return nil, nil
	}
	for _, e := range from.Entities() {
		d := api.Device{
			ID: e.ID, Kind: string(e.Kind), Name: cmp.Or(e.Name, e.Device), Area: e.Area, Offline: e.Offline,
			Hidden: e.Category != "",
		}
		if e.Device != "" && e.Name != "" && e.Device != e.Name {
			d.Name = e.Device + ", " + e.Name
		}
		if len(e.State) > 0 {
			d.State = e.State
		}
		if w, is := v.home.WayIn(&e); is || w.Marked {
			d.Entrance = &api.Entrance{Is: is, Why: w.Why, Marked: w.Marked}
		}
		list = append(list, d)
	}
	if m := v.opt.Messages; m != nil {
		skipped = append(m.Skipped(), m.Aside()...)
	}
	return list, skipped
}

// SetEntrance says whether a device, known now or earlier, lets people in.
func (v *Devices) SetEntrance(ctx context.Context, id string, is *bool) error {
	from := v.opt.Source
	if from == nil {
		return refusal.Error("there are no devices")
	}
	if _, ok := from.Entity(id); !ok && is != nil {
		return refusal.Error("there is no such device")
	}
	return v.entrances.set(ctx, id, is)
}
