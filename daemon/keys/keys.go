// Package keys reads the keys of the input devices of the house: those of a speakerphone or a hat,
// and GPIO buttons through the kernel's gpio-keys. Keyboards are left alone, so that nothing that
// people type is read. One goroutine looks for devices, one per device reads it, one carries out
// what the keys ask for; all have ended when Run returns. Each owns its buffer. It imports nothing
// of hearthd but daemon/queue.
package keys

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hearthd/daemon/queue"

	"golang.org/x/sys/unix"
)

const (
	// look is how often devices are looked for: as often as sound cards are.
	look = 5 * time.Second
	// doLimit bounds what one key does.
	doLimit = 5 * time.Second
	// ahead is how many keys may wait for what an earlier one does; more are dropped.
	ahead = 8
	// maxDevices bounds those that are read.
	maxDevices = 32
)

// Options say what is read and what it does.
type Options struct {
	// root is put before /dev/input and /sys/class/input; empty in production.
	root string
	// Devices are names, or parts of them, of devices that are read; "auto" stands for
	// all that have one of the keys of Actions and are no keyboard.
	Devices []string
	// Grab keeps the keys of a device from every other program.
	Grab bool
	// Actions are what keys do, by code; see Code.
	Actions map[uint16]string
	// Do does it. It is called by one goroutine.
	Do  func(ctx context.Context, action string) error
	Log *slog.Logger
}

// auto stands in Options.Devices for the devices that are found by their keys.
const auto = "auto"

// Keys is what reads them.
type Keys struct {
	opt     Options
	pressed chan string // actions
	wg      sync.WaitGroup

	mu   sync.Mutex
	open map[string]bool // by name in /dev/input
	told map[string]bool // devices whose failure to open was logged
}

// New checks the options.
func New(o Options) (*Keys, error) {
	if len(o.Devices) == 0 || len(o.Actions) == 0 || o.Do == nil || o.Log == nil {
		return nil, errors.New("new keys: devices, actions, what does them and a log are needed")
	}
	return &Keys{
		opt: o, pressed: make(chan string, ahead), open: make(map[string]bool), told: make(map[string]bool),
	}, nil
}

// Run reads keys until ctx ends. Devices may come and go.
func (k *Keys) Run(ctx context.Context) error {
	defer k.wg.Wait()
	k.wg.Go(func() { k.work(ctx) })
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		k.scan(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// work does what the keys ask for, one after the other.
func (k *Keys) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case action := <-k.pressed:
			dctx, cancel := context.WithTimeout(ctx, doLimit)
			if err := k.opt.Do(dctx, action); err != nil && ctx.Err() == nil {
				k.opt.Log.Info("key could not be carried out", "component", "keys", "action", action, "reason", err)
			}
			cancel()
		}
	}
}

// scan opens what is there and wanted, and not open yet.
func (k *Keys) scan(ctx context.Context) {
	nodes, err := filepath.Glob(filepath.Join(k.opt.root, "/dev/input/event*"))
	if err != nil {
		return // the pattern is valid
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for name := range k.told {
		if !slices.ContainsFunc(nodes, func(n string) bool { return filepath.Base(n) == name }) {
			delete(k.told, name)
		}
	}
	for _, node := range nodes {
		name := filepath.Base(node)
		if k.open[name] || len(k.open) == maxDevices {
			continue
		}
		about, err := k.look(name)
		if err != nil || !k.wanted(&about) {
			continue
		}
		f, err := openNode(node, k.opt.Grab)
		if err != nil {
			if !k.told[name] {
				k.opt.Log.Warn("input device cannot be read", "component", "keys", "device", about.name, "path", node,
					"error", err)
			}
			k.told[name] = true
			continue
		}
		delete(k.told, name)
		k.open[name] = true
		k.opt.Log.Info("keys are read", "component", "keys", "device", about.name, "path", node)
		k.wg.Go(func() { k.follow(ctx, name, about.name, f) })
	}
}

// openNode opens a device so that a read can be broken off.
func openNode(node string, grab bool) (*os.File, error) {
	f, err := os.OpenFile(node, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil || !grab {
		return f, err
	}
	raw, err := f.SyscallConn()
	if err == nil {
		var grabbed error
		err = raw.Control(func(fd uintptr) { grabbed = unix.IoctlSetInt(int(fd), eviocgrab, 1) })
		err = errors.Join(err, grabbed)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("grab: %w", err), f.Close())
	}
	return f, nil
}

// eviocgrab is EVIOCGRAB of linux/input.h: _IOW('E', 0x90, int).
const eviocgrab = 1<<30 | 4<<16 | 'E'<<8 | 0x90

// follow reads a device until it is gone or ctx ends.
func (k *Keys) follow(ctx context.Context, node, name string, f *os.File) {
	stop := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	err := errors.Join(readEvents(f, eventSize, k.event), f.Close())
	k.mu.Lock()
	delete(k.open, node)
	k.mu.Unlock()
	if ctx.Err() == nil {
		k.opt.Log.Info("input device is gone", "component", "keys", "device", name, "reason", err)
	}
}

// event takes one that was read.
func (k *Keys) event(e event) {
	action, ok := k.opt.Actions[e.Code]
	// Only the volume goes on while its key is held.
	if e.Type != evKey || !ok || e.Value != pressed && !(e.Value == held && strings.HasPrefix(action, "volume_")) {
		return
	}
	if !queue.Offer(k.pressed, action) {
		k.opt.Log.Debug("key dropped, too many wait", "component", "keys", "action", action)
	}
}
