// Package sharing is what the boxes of a house do together. It knows the other ones, and has
// the tools that reach them: announcements, messages, timers and lists that another box has.
// Its one goroutine is that of peer.Peers.
package sharing

import (
	"context"
	"log/slog"
	"slices"

	"hearthd/config"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/peer"
	"hearthd/llm"
	"hearthd/tools/intent"
	"hearthd/tools/phrase"
	"hearthd/tools/timer"
)

// names makes words understood, from the moment when they are set.
type names interface {
	SetNames(vocab string, list []intent.Name)
}

// Options say what the boxes share, and through which parts this one speaks.
type Options struct {
	Config *config.MQTT
	Node   string // this box
	Timers *timer.Timers
	// Announce says something at this box.
	Announce func(ctx context.Context, ask llm.Ask, text string, urgent bool) error
	Quiet    func() (until string, quiet bool) // nothing but what is urgent is announced now
	Names    names
	Book     *phrase.Book   // the sentences that are said
	Level    func() float32 // of the speech of the last seconds above the noise, in dB
	Log      *slog.Logger
}

// Peers are the other boxes.
type Peers struct {
	*peer.Peers
	Wire *mqtt.Feed // what the broker delivers from them
	opt  Options
}

// New makes them.
func New(opt Options) (*Peers, error) {
	c := opt.Config
	p := &Peers{opt: opt, Wire: mqtt.NewFeed()}
	var err error
	p.Peers, err = peer.New(peer.Options{
		Wire: p.Wire, Prefix: c.Prefix, House: c.House, Node: opt.Node, Timers: c.ShareTimers, Log: opt.Log,
		Named: p.named,
	})
	p.Wire.Deliver(p.Peers)
	return p, err
}

// Contend lets the boxes decide which one answers what was heard here; see peer.Peers.
func (p *Peers) Contend(b peer.Bid, tell func(peer.Verdict)) bool {
	b.Level = p.opt.Level()
	return p.Peers.Contend(b, tell)
}

// named makes the names of the boxes understood. Where there are others, this one may be named as
// well.
func (p *Peers) named(names []string) {
	if len(names) > 0 {
		names = slices.Concat(names, p.self().Names())
	}
	slices.Sort(names)
	var list []intent.Name
	for _, n := range slices.Compact(names) {
		list = append(list, intent.Name{Value: n})
	}
	p.opt.Names.SetNames("box", list)
}

// self is this box as the others know it.
func (p *Peers) self() *contract.Device {
	return &contract.Device{Node: p.opt.Node, Area: p.opt.Config.Area, Groups: p.opt.Config.Groups}
}
