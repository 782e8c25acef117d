package mqtt

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/time/rate"

	"hearthd/daemon/health"
	"hearthd/daemon/mqtt/contract"
)

// eventQueue is how many events the bridge may lag behind: all timers may ring at once.
const eventQueue = 4096

// New checks the options and subscribes to the events; it connects to nothing.
func New(opt Options) (*Bridge, error) {
	if opt.Bus == nil || opt.Conditions == nil || opt.Speaker == nil || opt.Host == nil ||
		opt.Vitals == nil || opt.Installed == nil || opt.Log == nil {
		return nil, errors.New("new mqtt bridge: a part is missing")
	}
	for _, level := range []string{opt.Device.Discovery, opt.Device.Prefix, opt.Device.Node} {
		if level == "" || contract.Node(level) != level {
			return nil, fmt.Errorf("new mqtt bridge: bad topic level %q", level)
		}
	}
	b := &Bridge{
		opt: opt, out: newOutbox(), limits: limits(contract.Commands()),
		quick: make(chan call, maxCalls), asks: make(chan call, maxCalls),
	}
	b.access.conditions = opt.Conditions
	b.device = &b.opt.Device
	if opt.Broker == contract.NoBroker {
		return b, nil
	}
	if opt.Broker == contract.Embedded && (opt.User == "" || opt.Password == "") {
		return nil, errors.New("new mqtt bridge: the embedded broker needs a user and a password")
	}
	var err error
	if b.endpoint, err = opt.endpoint(); err != nil {
		return nil, fmt.Errorf("new mqtt bridge: %w", err)
	}
	b.putFirst()
	b.sub = opt.Bus.Subscribe("mqtt", eventQueue)
	return b, nil
}

// limits bounds how often each command is carried out.
func limits(commands []contract.Command) map[string]*rate.Limiter {
	all := make(map[string]*rate.Limiter)
	for _, c := range commands {
		all[c.Name] = rate.NewLimiter(rate.Every(c.Every), c.Burst)
	}
	return all
}

// Run keeps the connection until ctx ends, and then says goodbye. It fails when the
// embedded broker cannot start, and may then be called again; events from in between
// are not lost.
func (b *Bridge) Run(ctx context.Context) error {
	if b.opt.Broker == contract.NoBroker {
		<-ctx.Done()
		return nil
	}
	if b.opt.Broker == contract.Embedded {
		broker, err := startBroker(b.opt.Listen, b.opt.User, b.opt.Password, b.topic(contract.Availability))
		if err != nil {
			b.opt.Conditions.Set("broker", health.Error, noBroker(b.opt.Listen, err))
			return err
		}
		b.broker.Store(broker)
		defer func() {
			b.broker.Store(nil)
			if err := broker.Close(); err != nil {
				b.opt.Log.Warn("close embedded broker", "component", "mqtt", "error", err)
			}
		}()
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	news := make(chan news)
	wg.Go(func() { b.follow(ctx, news) })
	answered := make(chan struct{}) // closed when all commands are answered
	wg.Go(func() {
		defer close(answered)
		var workers sync.WaitGroup
		workers.Go(func() { b.runCommands(ctx, b.quick) })
		workers.Go(func() { b.runCommands(ctx, b.asks) })
		workers.Wait()
	})
	b.reconnect(ctx, news, answered)
	return nil
}

// maxCalls bounds the commands that wait; any more are answered with an error.
const maxCalls = 16
