package sharing

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/peer"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// timersAsked are the tools whose call may mean another box: they name a timer that runs.
var timersAsked = []string{"timer_left", "timer_cancel", "timer_change", "timer_pause", "timer_resume"}

// elsewhere is a tool whose call may mean another box.
type elsewhere struct {
	tools.Tool
	peers *Peers
	// where chooses the box for some arguments, and the arguments for that box; no node means this
	// box.
	where func(args json.RawMessage) (there place, told json.RawMessage)
}

// place is the box at which something is done.
type place struct {
	node string // empty: here
	tell bool   // the person did not name the box, and is told
}

// Limits are those of the tool.
func (e elsewhere) Limits() tools.Limits {
	if t, ok := e.Tool.(tools.Limited); ok {
		return t.Limits()
	}
	return tools.Limits{}
}

func (e elsewhere) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	if call.For.Box {
		return e.Tool.Call(ctx, call)
	}
	there, told := e.where(call.Arguments)
	if there.node == "" {
		return e.Tool.Call(ctx, call)
	}
	text, err := e.peers.have(ctx, there.node, e.Spec().Name, told)
	if err == nil && there.tell {
		text = e.peers.opt.Book.Say("speaker.there", phrase.Args{"box": contract.Spoken(there.node)}) + " " + text
	}
	return tools.Result{Text: text}, err
}

// have has another box run a tool, and returns what it says.
func (p *Peers) have(ctx context.Context, node, tool string, args any) (string, error) {
	book, box := p.opt.Book, phrase.Args{"box": contract.Spoken(node)}
	if b := boxCalled(p.Boxes(), node); b == nil || !b.Online || !p.Wire.Online() {
		return "", &tools.Failure{Say: book.Say("speaker.off", phrase.Args{"boxes": spoken([]string{node})}),
			Cause: fmt.Errorf("ask %q: it is not there", node)}
	}
	a, err := p.Order(ctx, node, contract.Tool, map[string]any{"tool": tool, "arguments": args})
	switch {
	case err != nil:
		return "", &tools.Failure{Say: book.Say("speaker.silent", box), Cause: err}
	case !a.OK:
		return "", &tools.Failure{Say: book.Say("speaker.could_not", box), Cause: fmt.Errorf("ask %q: %s", node, a.Error)}
	}
	return a.Text, nil
}

// There has the box in a room run a tool of radio and music, unless that is this box.
func (p *Peers) There(ctx context.Context, room, tool string, args any) (r tools.Result, here bool, err error) {
	if p.self().Called(room) {
		return r, true, nil
	}
	node := room
	if b := meant(p.Boxes(), room, there); b != nil {
		node = b.Node
	}
	r.Text, err = p.have(ctx, node, tool, args)
	r.Foreign = true // it may name a title
	return r, false, err
}

// meant is the box that a name means, or nil: of several in one room the one of which most is so.
func meant(list []peer.Box, name string, so ...func(*peer.Box) bool) (best *peer.Box) {
	most := -1
	for i := range list {
		n := 0
		for _, is := range so {
			if is(&list[i]) {
				n++
			}
		}
		if list[i].Called(name) && n > most {
			best, most = &list[i], n
		}
	}
	return best
}

func there(b *peer.Box) bool  { return b.Online }
func timing(b *peer.Box) bool { return b.Online && len(b.Timers) > 0 }

// boxCalled finds a box by its node.
func boxCalled(list []peer.Box, node string) *peer.Box {
	i := slices.IndexFunc(list, func(p peer.Box) bool { return p.Node == node })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// SharedTimers makes the timers of other boxes available to the tools.
func (p *Peers) SharedTimers(list []tools.Tool) []tools.Tool {
	if !p.opt.Config.ShareTimers {
		return list
	}
	for i, t := range list {
		if slices.Contains(timersAsked, t.Spec().Name) {
			list[i] = elsewhere{t, p, p.timerAt}
		}
	}
	return list
}

// timerAt finds the box whose timer is meant: this one's own first, then the one of a
// box that is named ("the kitchen timer"), then one of that label.
func (p *Peers) timerAt(args json.RawMessage) (place, json.RawMessage) {
	var fields map[string]any
	if json.Unmarshal(args, &fields) != nil {
		return place{}, nil
	}
	label, _ := fields["label"].(string)
	if label == "" || p.opt.Timers.Has(label) {
		return place{}, nil
	}
	peers, same := p.Boxes(), p.opt.Timers.Same
	if b := meant(peers, label, there, timing); b != nil {
		if !slices.ContainsFunc(b.Timers, func(l string) bool { return same(l, label) }) {
			delete(fields, "label") // it is the box's name
		}
		told, err := json.Marshal(fields)
		if err != nil { // it was JSON
			return place{}, nil
		}
		return place{node: b.Node}, told
	}
	for _, p := range peers {
		if p.Online && slices.ContainsFunc(p.Timers, func(l string) bool { return l != "" && same(l, label) }) {
			return place{node: p.Node, tell: true}, args
		}
	}
	return place{}, nil
}

// SharedLists lets another box keep the lists.
func (p *Peers) SharedLists(list []tools.Tool) []tools.Tool {
	at := p.opt.Config.ListsAt
	if at == "" || at == p.opt.Node {
		return list
	}
	for i, t := range list {
		list[i] = elsewhere{t, p, func(args json.RawMessage) (place, json.RawMessage) { return place{node: at}, args }}
	}
	return list
}

// Shares reports whether other boxes may ask for a tool.
func (p *Peers) Shares(tool string) bool {
	return p.opt.Config.ShareTimers && slices.Contains(timersAsked, tool) ||
		p.opt.Config.ListsAt == p.opt.Node && strings.HasPrefix(tool, "list_") ||
		tool == "media_play" || tool == "media_control" // which set/media does too
}
