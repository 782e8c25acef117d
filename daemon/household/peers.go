package household

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"hearthd/daemon/mqtt/contract"
)

// Peer is another box of the household.
type Peer struct {
	Node   string
	Area   string
	Groups []string
	Online bool
}

// directory is the other boxes: who is listed on the house's topic, says that it
// belongs to this house, and is there.
type directory struct {
	opt Options

	mu   sync.Mutex
	list map[string]*entry
}

type entry struct {
	Peer
	house string
}

func newDirectory(opt Options) *directory {
	return &directory{opt: opt, list: map[string]*entry{}}
}

// follows are the topics of a box that the directory knows it by.
func (d *directory) follows(node string) []string {
	own := d.opt.Prefix + "/" + node + "/"
	return []string{own + contract.About, own + contract.Availability}
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
		d.list[node] = &entry{Peer: Peer{Node: node}}
	case !there && known:
		delete(d.list, node)
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
	case contract.About:
		var about struct {
			House  string   `json:"house"`
			Area   string   `json:"area"`
			Groups []string `json:"groups"`
		}
		if json.Unmarshal(payload, &about) == nil {
			e.house, e.Area, e.Groups = about.House, about.Area, about.Groups
		}
	}
}

// peers are the boxes of this house, by name.
func (d *directory) peers() []Peer {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []Peer
	for _, e := range d.list {
		if e.house == d.opt.House {
			list = append(list, e.Peer)
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
		if e.Online && e.house == d.opt.House {
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

// Called reports whether name means p: its own name, its room's, or a group's. Case
// and what stands between the words do not matter.
func (p *Peer) Called(name string) bool {
	name = Spoken(name)
	return name == Spoken(p.Node) || name == Spoken(p.Area) && p.Area != "" ||
		slices.ContainsFunc(p.Groups, func(g string) bool { return Spoken(g) == name })
}

// Spoken is a name as a person says it: "living-room" is "living room".
func Spoken(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == ' ' }), " ")
}
