package household

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"

	"hearthd/daemon/mqtt/contract"
)

// Peer is another box of the household.
type Peer struct {
	contract.Device // its node, area and groups
	Online          bool
	Timers          []string // the labels of what runs there, if timers are shared; "" has none
}

// directory is the other boxes: who is listed on the house's topic, says that it
// belongs to this house, and is there.
type directory struct {
	opt Options

	mu    sync.Mutex
	list  map[string]*Peer
	named []string // what Named was told last
}

func newDirectory(opt Options) *directory {
	return &directory{opt: opt, list: map[string]*Peer{}}
}

// follows are the topics of a box that the directory knows it by.
func (d *directory) follows(node string) []string {
	own := d.opt.Prefix + "/" + node + "/"
	list := []string{own + contract.About, own + contract.Availability}
	if d.opt.Timers {
		list = append(list, own+contract.Timers)
	}
	return list
}

// listed notes that a box is in the house, or not any more.
func (d *directory) listed(node string, there bool) {
	if node == d.opt.Node || contract.Node(node) != node {
		return
	}
	d.mu.Lock()
	_, known := d.list[node]
	switch {
	case there && !known && len(d.list) < maxBoxes:
		d.list[node] = &Peer{Device: contract.Device{Node: node}}
	case !there && known:
		delete(d.list, node)
		d.name()
	default:
		d.mu.Unlock()
		return
	}
	d.mu.Unlock()
	if there {
		d.opt.Wire.Watch(d.follows(node)...)
	} else {
		d.opt.Wire.Unwatch(d.follows(node)...)
	}
}

// hear takes what a box says of itself.
func (d *directory) hear(node, level string, payload []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := d.list[node]
	if e == nil {
		return
	}
	switch level {
	case contract.Availability:
		e.Online = string(payload) == contract.Online
	case contract.Timers:
		e.Timers = labels(payload)
	case contract.About:
		var about struct {
			House  string   `json:"house"`
			Area   string   `json:"area"`
			Groups []string `json:"groups"`
		}
		if json.Unmarshal(payload, &about) == nil {
			e.House, e.Area, e.Groups = about.House, about.Area, about.Groups
			d.name()
		}
	}
}

// name tells by what names the boxes are called. Its caller holds the lock.
func (d *directory) name() {
	var names []string
	for _, e := range d.list {
		if e.House == d.opt.House {
			names = append(names, e.Names()...)
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); !slices.Equal(names, d.named) {
		d.named = names
		d.opt.Named(names)
	}
}

// peers are the boxes of this house, by name.
func (d *directory) peers() []Peer {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []Peer
	for _, e := range d.list {
		if e.House == d.opt.House {
			list = append(list, *e)
		}
	}
	slices.SortFunc(list, func(a, b Peer) int { return cmp.Compare(a.Node, b.Node) })
	return list
}

// count is how many of them are there.
func (d *directory) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, e := range d.list {
		if e.Online && e.House == d.opt.House {
			n++
		}
	}
	return n
}

// Peers are the other boxes of the household, by name, those that are off too.
func (h *Household) Peers() []Peer { return h.peers.peers() }

// There are the names of those that are there.
func (h *Household) There() []string {
	var list []string
	if h.opt.Wire.Online() {
		for _, p := range h.Peers() {
			if p.Online {
				list = append(list, p.Node)
			}
		}
	}
	return list
}

// labels are those of the timers of a box.
func labels(payload []byte) (list []string) {
	var timers []struct {
		Kind  string `json:"kind"`
		Label string `json:"label"`
	}
	if json.Unmarshal(payload, &timers) != nil {
		return nil
	}
	for _, t := range timers {
		if t.Kind == "timer" {
			list = append(list, t.Label)
		}
	}
	return list
}
