// Package lights shows what the speaker does on the lights that the kernel has below
// /sys/class/leds. Run, on the caller's goroutine, writes to them and to nothing else;
// a light that is slow holds up the other lights only. It imports the events.
package lights

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hearthd/daemon/event"
)

// queue is how far the lights may be behind; only the newest state counts.
const queue = 64

// off is the trigger of a light that nobody but us drives.
const off = "none"

// Light is how one light looks in some states.
type Light struct {
	Name    string   // in /sys/class/leds
	States  []string // of event.State; "thinking" stands for tool_calling too
	Percent int      // of its greatest brightness
	Trigger string   // of the kernel, such as heartbeat; empty: steady
}

// Options say which lights there are.
type Options struct {
	Root    string // before /sys/class/leds; empty in production
	Lights  []Light
	Bus     *event.Bus
	Changed func(err error) // what is wrong with lights, or nil
	Log     *slog.Logger
}

// Lights are those of the configuration.
type Lights struct {
	opt   Options
	names []string
	shown map[string]Light // what each shows; Run's only
	was   map[string]string
	wrong map[string]error
}

// New checks the options.
func New(o Options) (*Lights, error) {
	if len(o.Lights) == 0 || o.Bus == nil || o.Changed == nil || o.Log == nil {
		return nil, errors.New("new lights: lights, a bus, somebody who is told and a log are needed")
	}
	l := &Lights{opt: o, shown: make(map[string]Light), was: make(map[string]string), wrong: make(map[string]error)}
	for _, x := range o.Lights {
		if !slices.Contains(l.names, x.Name) {
			l.names = append(l.names, x.Name)
		}
	}
	return l, nil
}

// Run follows the state of the speaker until ctx ends, and then gives the lights back.
func (l *Lights) Run(ctx context.Context) error {
	sub := l.opt.Bus.Subscribe("lights", queue)
	defer sub.Close()
	defer l.giveBack()
	l.show(event.Starting)
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-sub.C():
			if s, ok := newest(e, sub.C()); ok {
				l.show(s)
			}
		}
	}
}

// newest is the last state among e and what is queued behind it.
func newest(e event.Event, more <-chan event.Event) (state event.State, ok bool) {
	for {
		if s, is := e.(*event.StateChanged); is {
			state, ok = s.To, true
		}
		select {
		case e = <-more:
		default:
			return state, ok
		}
	}
}

// show sets every light to what it is in a state.
func (l *Lights) show(state event.State) {
	failed := len(l.wrong)
	for _, name := range l.names {
		want := l.in(name, state)
		if now, ok := l.shown[name]; ok && now.Percent == want.Percent && now.Trigger == want.Trigger {
			continue
		}
		err := l.set(want)
		if err == nil {
			l.shown[name] = want
			delete(l.wrong, name)
			continue
		}
		delete(l.shown, name)
		l.wrong[name] = err
	}
	if len(l.wrong) != failed {
		l.tell()
	}
}

func (l *Lights) tell() {
	var all []error
	for _, name := range l.names {
		if err := l.wrong[name]; err != nil {
			all = append(all, err)
		}
	}
	l.opt.Changed(errors.Join(all...))
}

// in is how a light looks in a state: dark, if nothing is said of it.
func (l *Lights) in(name string, state event.State) Light {
	for _, x := range l.opt.Lights {
		if x.Name == name && (slices.Contains(x.States, string(state)) || state == event.ToolCalling && slices.Contains(x.States, string(event.Thinking))) {
			return x
		}
	}
	return Light{Name: name}
}

func (l *Lights) path(name, file string) string {
	return filepath.Join(l.opt.Root, "/sys/class/leds", name, file)
}

// set makes a light look like want. What drove it before is remembered.
func (l *Lights) set(want Light) error {
	if _, known := l.was[want.Name]; !known {
		was, err := l.trigger(want.Name)
		if err != nil {
			return fmt.Errorf("light %q: %w", want.Name, err)
		}
		l.was[want.Name] = was
	}
	trigger := want.Trigger
	if trigger == "" {
		trigger = off
	}
	brightness := 0
	if want.Percent > 0 {
		text, err := os.ReadFile(l.path(want.Name, "max_brightness"))
		if err != nil {
			return fmt.Errorf("light %q: %w", want.Name, err)
		}
		most, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return fmt.Errorf("light %q: %w", want.Name, err)
		}
		brightness = max(1, most*want.Percent/100)
	}
	// A trigger begins with the brightness that it finds; none keeps it.
	return errors.Join(l.write(want.Name, "trigger", off), l.write(want.Name, "brightness", strconv.Itoa(brightness)), l.writeIf(trigger != off, want.Name, "trigger", trigger))
}

func (l *Lights) writeIf(yes bool, name, file, text string) error {
	if !yes {
		return nil
	}
	return l.write(name, file, text)
}

// write never makes a file: there are none to make in sysfs.
func (l *Lights) write(name, file, text string) error {
	f, err := os.OpenFile(l.path(name, file), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return fmt.Errorf("light %q: %w", name, err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("light %q: set %s to %q: %w", name, file, text, err)
	}
	return nil
}

// trigger is the one that stands in brackets.
func (l *Lights) trigger(name string) (string, error) {
	text, err := os.ReadFile(l.path(name, "trigger"))
	if err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(string(text), "[")
	now, _, ok := strings.Cut(rest, "]")
	if !ok {
		return off, nil
	}
	return now, nil
}

// giveBack leaves the lights to what drove them before, and dark otherwise.
func (l *Lights) giveBack() {
	for name, was := range l.was {
		if err := errors.Join(l.write(name, "trigger", off), l.write(name, "brightness", "0"), l.writeIf(was != off, name, "trigger", was)); err != nil {
			l.opt.Log.Debug("give light back", "component", "lights", "error", err)
		}
	}
}
