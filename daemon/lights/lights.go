// Package lights shows the state of the speaker on the lights that the kernel has below
// /sys/class/leds. Run, on the caller's goroutine, writes to them and to nothing else; a
// slow light holds up only the other lights. It imports daemon/event.
package lights

import (
	"cmp"
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

// queue is how many events may wait; of them only the newest state is shown.
const queue = 64

// off is the trigger of a light that the kernel does not drive.
const off = "none"

// Light is how one light looks in some states.
type Light struct {
	Name    string   // in /sys/class/leds
	States  []string // of event.State; "thinking" includes tool_calling
	Percent int      // of full brightness
	Trigger string   // of the kernel, such as heartbeat; empty: steady
}

// Options say which lights there are.
type Options struct {
	root    string // before /sys/class/leds; empty in production
	Lights  []Light
	Bus     *event.Bus
	Changed func(err error) // what is wrong with lights, or nil
	Log     *slog.Logger
}

// Lights are the lights of the configuration.
type Lights struct {
	opt   Options
	names []string
	shown map[string]Light  // what each shows; Run's only
	was   map[string]string // their triggers before; Run's only
	wrong map[string]error  // why a light cannot be set; Run's only
}

// New checks the options.
func New(o Options) (*Lights, error) {
	if len(o.Lights) == 0 || o.Bus == nil || o.Changed == nil || o.Log == nil {
		return nil, errors.New("new lights: lights, a bus, a function for changes and a log are needed")
	}
	l := &Lights{opt: o, shown: make(map[string]Light), was: make(map[string]string), wrong: make(map[string]error)}
	for _, x := range o.Lights {
		if !slices.Contains(l.names, x.Name) {
			l.names = append(l.names, x.Name)
		}
	}
	return l, nil
}

// Run follows the state of the speaker until ctx ends, and then restores the lights.
func (l *Lights) Run(ctx context.Context) error {
	sub := l.opt.Bus.Subscribe("lights", queue)
	defer sub.Close()
	defer l.restore()
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

// show sets every light as it is to be in a state.
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
		l.report()
	}
}

func (l *Lights) report() {
	var all []error
	for _, name := range l.names {
		if err := l.wrong[name]; err != nil {
			all = append(all, err)
		}
	}
	l.opt.Changed(errors.Join(all...))
}

// in is how a light looks in a state: dark, if the configuration does not mention it.
func (l *Lights) in(name string, state event.State) Light {
	for _, x := range l.opt.Lights {
		shows := func(s event.State) bool { return slices.Contains(x.States, string(s)) }
		if x.Name == name && (shows(state) || state == event.ToolCalling && shows(event.Thinking)) {
			return x
		}
	}
	return Light{Name: name}
}

func (l *Lights) path(name, file string) string {
	return filepath.Join(l.opt.root, "/sys/class/leds", name, file)
}

// set makes a light look like want, and remembers what drove it before.
func (l *Lights) set(want Light) error {
	if _, known := l.was[want.Name]; !known {
		was, err := l.trigger(want.Name)
		if err != nil {
			return fmt.Errorf("light %q: %w", want.Name, err)
		}
		l.was[want.Name] = was
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
	return l.drive(want.Name, brightness, cmp.Or(want.Trigger, off))
}

// drive sets brightness and trigger of a light. A trigger takes over the brightness that it
// finds, and setting none keeps it, so the brightness comes in between.
func (l *Lights) drive(name string, brightness int, trigger string) error {
	err := errors.Join(l.write(name, "trigger", off), l.write(name, "brightness", strconv.Itoa(brightness)))
	if trigger != off {
		err = errors.Join(err, l.write(name, "trigger", trigger))
	}
	return err
}

// write never creates a file: sysfs has those that it has.
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

// trigger reads the present trigger of a light, which is in brackets.
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

// restore gives the lights back to the triggers that drove them before; a light that had none is dark.
func (l *Lights) restore() {
	for name, was := range l.was {
		if err := l.drive(name, 0, was); err != nil {
			l.opt.Log.Debug("give light back", "component", "lights", "error", err)
		}
	}
}
