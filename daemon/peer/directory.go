package peer

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"

	"hearthd/daemon/mqtt/contract"
)

// Box is another box of the house.
type Box struct {
	contract.Device // of which node, house, area and groups are known
	Online          bool
	Timers          []string // labels of the timers that run there, if timers are shared
}

// directory is what is known of the other boxes: that they are listed on the topic of the
// house, what they say of themselves, and whether they are online.
type directory struct {
	opt Options

	mu    sync.Mutex
	list  map[string]*Box
	named []string // the names that Named was called with last
}

func newDirectory(opt Options) *directory {
	return &directory{opt: opt, list: map[string]*Box{}}
}

// follows are the topics of a box that the directory reads.
func (d *directory) follows(node string) []string {
	own := d.opt.Prefix + "/" + node + "/"
	list := []string{own + contract.About, own + contract.Availability}
	if d.opt.Timers {
		list = append(list, own+contract.Timers)
	}
	return list
}

// listed notes that a box joins or leaves the house.
func (d *directory) listed(node string, there bool) {
	if node == d.opt.Node || contract.Node(node) != node {
		return
	}
	d.mu.Lock()
	_, known := d.list[node]
	switch {
	case there && !known && len(d.list) < maxBoxes:
		d.list[node] = &Box{Device: contract.Device{Node: node}}
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

// away takes all boxes to be off until they are heard of.
func (d *directory) away() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range d.list {
		e.Online = false
	}
}

// hear reads what a box publishes about itself.
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

// name calls Named if the names of the boxes have changed. Its caller holds the lock.
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

// boxes are the boxes of this house, by name.
func (d *directory) boxes() []Box {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []Box
	for _, e := range d.list {
		if e.House == d.opt.House {
			list = append(list, *e)
		}
	}
	slices.SortFunc(list, func(a, b Box) int { return cmp.Compare(a.Node, b.Node) })
	return list
}

// count is how many of them are online.
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

// Boxes are the other boxes of the house, by name, including those that are off.
func (p *Peers) Boxes() []Box { return p.directory.boxes() }

// Online are the names of those that are online.
func (p *Peers) Online() []string {
	var list []string
	if p.opt.Wire.Online() {
		for _, b := range p.Boxes() {
			if b.Online {
				list = append(list, b.Node)
			}
		}
	}
	return list
}

// labels reads the labels of the timers of a box.
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
