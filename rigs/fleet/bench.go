package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hearthd/daemon/mqtt"
	"hearthd/daemon/mqtt/contract"
)

// prefix keeps the bench apart from a household on the same broker.
const prefix = "hearthbench"

const (
	joinLimit = 5 * time.Minute
	look      = 20 * time.Millisecond
	away      = 3 * time.Second // the broker, when it is restarted
)

// bench is what is asked for, and what runs.
type bench struct {
	url, user, password string
	ca                  string
	boxes, house        int
	every, steady       time.Duration
	w                   io.Writer
	broker              *broker // nil: somebody else's
	list                []*appliance
	observer            *observer
}

func (b *bench) run(ctx context.Context) error {
	if b.url == "" {
		var err error
		if b.broker, err = newBroker(); err != nil {
			return err
		}
		defer b.broker.close()
		b.url = "mqtt://127.0.0.1:" + b.broker.port
	}
	o := mqtt.Options{Broker: b.url, User: b.user, CAFile: b.ca}
	if b.password != "" {
		data, err := os.ReadFile(b.password)
		if err != nil {
			return fmt.Errorf("read password: %w", err)
		}
		o.Password = strings.TrimSpace(string(data))
	}
	if err := b.build(o); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	b.head()
	for _, a := range b.list {
		running.Go(func() {
			if err := a.bridge.Run(ctx); err != nil {
				fmt.Fprintln(os.Stderr, "fleet:", err)
			}
		})
	}
	begun := time.Now()
	if err := b.join(ctx, "first start, all at once", begun); err != nil {
		return err
	}
	for _, a := range b.list[:b.boxes] {
		running.Go(func() { a.talk(ctx) })
	}
	if err := b.talk(ctx); err != nil || b.broker == nil {
		return err
	}
	if err := b.broker.kill(); err != nil {
		return err
	}
	if err := pause(ctx, away); err != nil {
		return err
	}
	b.observer.forget()
	if err := b.broker.start(); err != nil {
		return err
	}
	return b.join(ctx, fmt.Sprintf("broker killed, and back after %v", away), time.Now())
}

// head says what is measured where.
func (b *bench) head() {
	if b.broker != nil {
		fmt.Fprintln(b.w, "# Many boxes on one broker\n\nMade by `make bench-fleet`. The appliances are simulated, their "+
			"bridge to the broker is the daemon's.")
		fmt.Fprintln(b.w)
	}
	fmt.Fprintf(b.w, "%d appliances, %d to a household, a turn every %v each; %s; %s\n\n", b.boxes, b.house, b.every,
		b.name(), machine())
	fmt.Fprintln(b.w, "| what | value |\n|---|---|")
}

func (b *bench) name() string {
	if b.broker == nil {
		scheme, _, _ := strings.Cut(b.url, "://")
		return "a broker that was named, over " + scheme
	}
	return "Mosquitto on this machine, without TLS"
}

// machine is on what, and beside what, is measured.
func machine() string {
	load := "unknown"
	if data, err := os.ReadFile("/proc/loadavg"); err == nil {
		load, _, _ = strings.Cut(string(data), " ")
	}
	return fmt.Sprintf("%d processors (%s), shared by all, with a load of %s before", runtime.NumCPU(), runtime.GOARCH,
		load)
}

// build makes the appliances, and one more that watches what they publish, as Home
// Assistant does.
func (b *bench) build(o mqtt.Options) error {
	for i := range b.boxes {
		a, err := newAppliance(o, fmt.Sprintf("box%d", i), fmt.Sprintf("house%d", i/b.house), b.every)
		if err != nil {
			return err
		}
		b.list = append(b.list, a)
	}
	b.observer = &observer{online: map[string]bool{}}
	all := mqtt.NewFeed()
	all.Deliver(b.observer)
	all.Watch(prefix + "/#")
	o.Feeds = []*mqtt.Feed{all}
	a, err := newAppliance(o, "observer", "", b.every)
	b.list = append(b.list, a)
	return err
}

// join waits until every box is connected and seen online, and reports how that went.
func (b *bench) join(ctx context.Context, what string, begun time.Time) error {
	tick := time.NewTicker(look)
	defer tick.Stop()
	var times []time.Duration // when each was connected
	steps := map[int]int{}    // boxes by the second in which they were
	for seen := 0; seen < b.boxes; seen = b.observer.count() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		since := time.Since(begun)
		if since > joinLimit {
			return fmt.Errorf("%s: only %d of %d are online after %v", what, b.observer.count(), b.boxes, joinLimit)
		}
		n := 0
		for _, a := range b.list[:b.boxes] {
			if a.bridge.State() == "connected" {
				n++
			}
		}
		for len(times) < n {
			times = append(times, since)
			steps[int(since/time.Second)]++
		}
	}
	took := time.Since(begun)
	most := 0
	for _, n := range steps {
		most = max(most, n)
	}
	at := func(share float64) time.Duration {
		return times[min(len(times)-1, int(share*float64(len(times))))].Round(look)
	}
	fmt.Fprintf(b.w, "| %s: half of them connected | %v |\n", what, at(0.5))
	fmt.Fprintf(b.w, "| – 99 %% connected | %v |\n", at(0.99))
	fmt.Fprintf(b.w, "| – all connected, and seen online by an observer | %v |\n", took.Round(look))
	fmt.Fprintf(b.w, "| – most connections in one second | %d |\n", most)
	return nil
}

// talk measures the broker while the appliances have their turns.
func (b *bench) talk(ctx context.Context) error {
	if err := pause(ctx, b.steady/4); err != nil { // what is left of the start
		return err
	}
	begun, from := time.Now(), b.observer.messages.Load()
	var spent time.Duration
	if b.broker != nil {
		var err error
		if spent, err = b.broker.spent(); err != nil {
			return err
		}
	}
	if err := pause(ctx, b.steady); err != nil {
		return err
	}
	took := time.Since(begun).Seconds()
	fmt.Fprintf(b.w, "| published and seen by the observer | %.0f messages/s |\n",
		float64(b.observer.messages.Load()-from)/took)
	if b.broker != nil {
		now, err := b.broker.spent()
		if err != nil {
			return err
		}
		fmt.Fprintf(b.w, "| broker's processor meanwhile | %.1f %% of one |\n", 100*(now-spent).Seconds()/took)
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// observer sees all that is published.
type observer struct {
	messages atomic.Int64

	mu     sync.Mutex
	online map[string]bool
}

// Receive takes a message.
func (o *observer) Receive(topic string, payload []byte) {
	o.messages.Add(1)
	rest, _ := strings.CutPrefix(topic, prefix+"/")
	node, level, _ := strings.Cut(rest, "/")
	if level != contract.Availability || node == "observer" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if string(payload) == contract.Online {
		o.online[node] = true
	} else {
		delete(o.online, node)
	}
}

// Connected is called at each connection.
func (o *observer) Connected() {}

func (o *observer) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	clear(o.online)
}

func (o *observer) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.online)
}
