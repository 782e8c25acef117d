package mqtt

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"hearthd/daemon/api"
	"hearthd/daemon/event"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/mqtt/find"
	"hearthd/daemon/queue"
	"hearthd/daemon/refusal"

	paho "github.com/eclipse/paho.mqtt.golang"
)

const (
	// fleetQuiet is the silence after which all retained messages are taken to be here.
	fleetQuiet = 500 * time.Millisecond
	// fleetLimit bounds the whole request.
	fleetLimit = 8 * time.Second
	// maxFleet bounds the boxes that are listed.
	maxFleet = 20_000
)

// fleet collects the retained messages of all boxes.
type fleet struct {
	prefix string
	bell   queue.Bell // cap 1; something came

	mu    sync.Mutex
	boxes map[string]*api.Box
}

// Fleet lists all boxes on the broker, by name, over a connection of its own.
func (b *Bridge) Fleet(ctx context.Context) ([]api.Box, error) {
	if b.opt.Broker == contract.NoBroker {
		return nil, refusal.Error("mqtt.broker is off: there are no others to see")
	}
	ctx, cancel := context.WithTimeout(ctx, fleetLimit)
	defer cancel()
	p, err := b.endpoint.find(ctx, find.Brokers)
	if err != nil {
		return nil, fmt.Errorf("list boxes: %w", err)
	}
	f := &fleet{prefix: b.device.Prefix + "/", bell: queue.NewBell(), boxes: map[string]*api.Box{}}
	l, err := b.link(ctx, p, func(o *paho.ClientOptions) {
		visitor(o)
		o.SetDefaultPublishHandler(f.take)
	})
	if err != nil {
		return nil, fmt.Errorf("list boxes: %w", err)
	}
	defer l.cut()
	filters := map[string]byte{}
	levels := []string{contract.About, contract.Availability, contract.State, contract.Health, contract.Route}
	for _, level := range levels {
		filters[b.device.Prefix+"/+/"+level] = 0
	}
	if err := acknowledged(ctx, l.client.SubscribeMultiple(filters, nil), l.lost); err != nil {
		return nil, fmt.Errorf("list boxes: %w", err)
	}
	f.settle(ctx)
	l.client.Disconnect(uint(farewell.Milliseconds()))
	return f.list(), nil
}

// settle waits until all retained messages have come.
func (f *fleet) settle(ctx context.Context) {
	for {
		select {
		case <-f.bell:
		case <-time.After(fleetQuiet):
			return
		case <-ctx.Done():
			return
		}
	}
}

// take runs on the client's goroutine.
func (f *fleet) take(_ paho.Client, m paho.Message) {
	rest, _ := strings.CutPrefix(m.Topic(), f.prefix)
	node, level, ok := strings.Cut(rest, "/")
	if !ok || contract.Node(node) != node {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	x := f.boxes[node]
	if x == nil {
		if len(f.boxes) >= maxFleet {
			return
		}
		x = &api.Box{Node: node, Conditions: []event.Condition{}}
		f.boxes[node] = x
	}
	learn(x, level, m.Payload())
	f.bell.Ring()
}

// learn takes over what a topic says; a payload that cannot be read is ignored.
func learn(x *api.Box, level string, payload []byte) {
	switch level {
	case contract.Availability:
		x.Online = string(payload) == contract.Online
	case contract.State:
		if contract.Node(string(payload)) == string(payload) {
			x.State = string(payload)
		}
	case contract.About:
		var a about
		if json.Unmarshal(payload, &a) == nil {
			x.Version, x.House = a.Version, a.House
		}
	case contract.Health:
		var h healthDoc
		if json.Unmarshal(payload, &h) == nil && h.Conditions != nil {
			x.Conditions = h.Conditions
		}
	case contract.Route:
		var last api.LastTurn
		if json.Unmarshal(payload, &last) == nil && last.Turn != 0 {
			x.LastTurn = &last
		}
	}
}

func (f *fleet) list() []api.Box {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := []api.Box{}
	for _, node := range slices.Sorted(maps.Keys(f.boxes)) {
		list = append(list, *f.boxes[node])
	}
	return list
}
