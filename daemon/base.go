package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"hearthd/config"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/doctor"
	"hearthd/daemon/engines"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/journal"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/recall"
	"hearthd/daemon/secrets"
	"hearthd/daemon/sentences"
	"hearthd/daemon/speakers"
	"hearthd/daemon/state"
	"hearthd/systemd"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

// base is what every part of the daemon is made with.
type base struct {
	opt  Options
	cfg  *config.Config                // that it started with
	live atomic.Pointer[config.Config] // the same, with the changes of reloads
	// reloaded counts the reloads that changed something.
	reloaded atomic.Uint64
	node     string
	zone     *time.Location

	begun      time.Time
	bus        *event.Bus
	conditions *health.Conditions
	speakers   *speakers.Speakers
	holders    recall.Holders // of what was said
	secrets    *secrets.Secrets
	folder     *state.Folder
	engines    *engines.Engines
	sentences  *sentences.Sentences
	book       *phrase.Book // what is said
	activity   *dialogue.Activity
	tail       *journal.Tail // of the log
	log        *slog.Logger
}

// newBase checks the options. What is logged is also kept in memory, for those who look at the log.
func newBase(opt Options) (*base, error) {
	if opt.StateDir == "" || opt.RuntimeDir == "" || opt.Log == nil || opt.Notifier == nil {
		return nil, errors.New("new daemon: folders, log and notifier are needed")
	}
	if ps := opt.Config.Validate(); len(ps) > 0 {
		return nil, fmt.Errorf("new daemon: %w", ps)
	}
	node, err := contract.Named(opt.Config.Node)
	if err != nil {
		return nil, err
	}
	zone, err := zoneOf(&opt.Config)
	if err != nil {
		return nil, err
	}
	kept := journal.NewTail()
	b := &base{
		opt: opt, cfg: &opt.Config, node: node, zone: zone, begun: time.Now(), bus: event.NewBus(), tail: kept,
		activity: new(dialogue.Activity),
		log:      slog.New(answer.TurnLog(kept.Over(opt.Log.Handler()))),
	}
	b.conditions = health.New(b.bus)
	b.secrets = secrets.New(b.conditions, b.log)
	b.engines = engines.New(engines.Options{Config: b.cfg, Secrets: b.secrets, Conditions: b.conditions, Log: b.log})
	b.sentences = sentences.New(sentences.Options{Config: b.cfg, Conditions: b.conditions, Log: b.log})
	b.live.Store(b.cfg)
	if b.book, err = b.sentences.Book(); err != nil {
		return nil, err
	}
	b.speakers = speakers.New(b.book, b.log)
	return b, nil
}

// zoneOf is the time zone that a configuration names, or that of this machine.
func zoneOf(c *config.Config) (*time.Location, error) {
	if c.Tools.Timezone == "" {
		return time.Local, nil
	}
	zone, err := time.LoadLocation(c.Tools.Timezone)
	if err != nil {
		return nil, fmt.Errorf("load time zone: %w", err)
	}
	return zone, nil
}

// now is the configuration in force: that of the start, with the changes of reloads.
func (d *base) now() *config.Config {
	if c := d.live.Load(); c != nil {
		return c
	}
	return d.cfg
}

// quietHour reports whether only urgent announcements are made, and until when.
func (d *base) quietHour(now time.Time) (until string, quiet bool) {
	from, to, ok := config.Hours(d.now().Tools.QuietHours)
	if !ok {
		return "", false
	}
	now = when.Float(now, d.zone)
	at := now.Sub(when.Date(now))
	return d.book.Clock(when.Date(now).Add(to)), when.Within(at, from, to)
}

// Options is what main gives the daemon.
type Options struct {
	Config     config.Config
	Version    string
	StateDir   string // the store
	RuntimeDir string // the control socket, working files of engines
	Log        *slog.Logger
	Notifier   *systemd.Notifier
	Watchdog   time.Duration   // interval that systemd asks for, or 0
	Sockets    systemd.Sockets // passed by systemd: the listener "control", and streams of events

	// Probe makes a check of hearthctl doctor that needs the daemon's own code.
	Probe func(ctx context.Context, c *config.Config, check string, cold bool) ([]doctor.Finding, error)

	// File is where Config was read from, and Origins the place of each key in it; Load reads it
	// again. Nil: nothing can be reloaded.
	File     string
	Origins  config.Origins
	Mistakes error // what is wrong with File, where Config is the one that held before
	Load     func() (config.Config, config.Origins, error)
	Hangup   <-chan os.Signal // asks for a reload
	Level    *slog.LevelVar   // of Log; nil: it stays
}

// each calls f for each element of list, and returns the results.
func each[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = f(a)
	}
	return out
}
