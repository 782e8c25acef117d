package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hearthd/daemon/dialogue"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/peer"
	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/timer"
)

// timersAsked are the tools that another box may be meant by: they name a timer that
// runs.
var timersAsked = []string{"timer_left", "timer_cancel", "timer_change", "timer_pause", "timer_resume"}

// errNotShared refuses a tool that other boxes may not ask for.
const errNotShared dialogue.Refusal = "that tool is not shared with other boxes"

// elsewhere is a tool of which another box may be meant.
type elsewhere struct {
	tools.Tool
	peers *peers
	// where chooses the box for some arguments, and what it is told; no node means
	// this one.
	where func(args json.RawMessage) (there place, told json.RawMessage)
}

// place is where something is done.
type place struct {
	node string // empty: here
	tell bool   // the person did not say so, and is told
}

func (e elsewhere) Call(ctx context.Context, args json.RawMessage) (tools.Result, error) {
	if llm.CallerOf(ctx).Box {
		return e.Tool.Call(ctx, args)
	}
	there, told := e.where(args)
	if there.node == "" {
		return e.Tool.Call(ctx, args)
	}
	name := "The " + contract.Spoken(there.node) + " speaker"
	if p := boxCalled(e.peers.boxes.Boxes(), there.node); p == nil || !p.Online || !e.peers.wire.Online() {
		return tools.Result{}, &tools.Failure{Say: name + " is off, or cannot be reached.", Cause: fmt.Errorf("ask %q: it is not there", there.node)}
	}
	a, err := e.peers.boxes.Order(ctx, there.node, contract.Tool, map[string]any{"tool": e.Spec().Name, "arguments": told})
	switch {
	case err != nil:
		return tools.Result{}, &tools.Failure{Say: name + " does not answer.", Cause: err}
	case !a.OK:
		return tools.Result{}, &tools.Failure{Say: "Sorry, " + strings.ToLower(name[:1]) + name[1:] + " could not do that.", Cause: fmt.Errorf("ask %q: %s", there.node, a.Error)}
	case there.tell:
		return tools.Result{Text: "In the " + contract.Spoken(there.node) + ": " + a.Text}, nil
	}
	return tools.Result{Text: a.Text}, nil
}

// peer finds a box by its node.
func boxCalled(list []peer.Box, node string) *peer.Box {
	i := slices.IndexFunc(list, func(p peer.Box) bool { return p.Node == node })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// sharedTimers lets a timer be asked for that runs at another box.
func (d *peers) sharedTimers(list []tools.Tool) []tools.Tool {
	if !d.cfg.MQTT.ShareTimers {
		return list
	}
	for i, t := range list {
		if slices.Contains(timersAsked, t.Spec().Name) {
			list[i] = elsewhere{t, d, d.timerAt}
		}
	}
	return list
}

// timerAt finds the box whose timer is meant: this one's own first, then the one of a
// box that is named ("the kitchen timer"), then one of that label.
func (d *peers) timerAt(args json.RawMessage) (place, json.RawMessage) {
	var fields map[string]any
	if json.Unmarshal(args, &fields) != nil {
		return place{}, nil
	}
	label, _ := fields["label"].(string)
	if label == "" || d.timers.Has(label) {
		return place{}, nil
	}
	peers := d.boxes.Boxes()
	for _, p := range peers {
		if !p.Called(label) {
			continue
		}
		if !slices.ContainsFunc(p.Timers, func(l string) bool { return timer.Same(l, label) }) {
			delete(fields, "label") // it is the box's name
		}
		told, err := json.Marshal(fields)
		if err != nil { // it was JSON
			return place{}, nil
		}
		return place{node: p.Node}, told
	}
	for _, p := range peers {
		if p.Online && slices.ContainsFunc(p.Timers, func(l string) bool { return l != "" && timer.Same(l, label) }) {
			return place{node: p.Node, tell: true}, args
		}
	}
	return place{}, nil
}

// sharedLists lets another box keep the lists.
func (d *peers) sharedLists(list []tools.Tool) []tools.Tool {
	at := d.cfg.MQTT.ListsAt
	if at == "" || at == d.node {
		return list
	}
	for i, t := range list {
		list[i] = elsewhere{t, d, func(args json.RawMessage) (place, json.RawMessage) { return place{node: at}, args }}
	}
	return list
}

// Tool runs what another box of the house was asked. Only tools that are shared can be
// asked for.
func (x host) Tool(ctx context.Context, name string, args []byte) (string, error) {
	timers := x.cfg.MQTT.ShareTimers && slices.Contains(timersAsked, name)
	lists := x.cfg.MQTT.ListsAt == x.node && strings.HasPrefix(name, "list_") && x.h.registry.Has(name)
	if !timers && !lists {
		return "", errNotShared
	}
	if len(args) == 0 {
		args = []byte("{}")
	}
	out := x.h.toolbox.Run(llm.WithCaller(ctx, llm.Caller{Box: true}), llm.ToolCall{ID: "mqtt", Name: name, Arguments: args})
	if out.Class != string(tools.OK) {
		return "", dialogue.Refusal(out.Say)
	}
	return out.Text, nil
}
