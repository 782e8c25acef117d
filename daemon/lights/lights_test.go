package lights

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
)

// led is a light as sysfs has it.
type led struct {
	t   *testing.T
	dir string
}

func newLED(t *testing.T, root, name, most string) *led {
	t.Helper()
	l := &led{t, filepath.Join(root, "sys/class/leds", name)}
	if err := errors.Join(os.MkdirAll(l.dir, 0o755), l.put("max_brightness", most), l.put("brightness", "0"),
		l.put("trigger", "none kbd-numlock [mmc0] timer")); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *led) put(file, text string) error {
	return os.WriteFile(filepath.Join(l.dir, file), []byte(text+"\n"), 0o644)
}

// looks is its trigger and brightness.
func (l *led) looks() string {
	l.t.Helper()
	var all []string
	for _, f := range []string{"trigger", "brightness"} {
		text, err := os.ReadFile(filepath.Join(l.dir, f))
		if err != nil {
			l.t.Fatal(err)
		}
		all = append(all, strings.TrimSpace(string(text)))
	}
	return strings.Join(all, " ")
}

func TestLightsFollowTheStateAndAreGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := t.TempDir()
		ring, mute := newLED(t, root, "hat:green:ring", "10"), newLED(t, root, "mute", "1")
		bus := event.NewBus()
		var wrong []error
		l, err := New(Options{root: root, Bus: bus, Log: slog.New(slog.DiscardHandler),
			Changed: func(err error) { wrong = append(wrong, err) }, Lights: []Light{
				{Name: "hat:green:ring", States: []string{"listening"}, Percent: 100},
				{Name: "hat:green:ring", States: []string{"thinking"}, Percent: 25, Trigger: "timer"},
				{Name: "mute", States: []string{"muted", "faulted"}, Percent: 1},
			}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.Run(ctx) }()
		synctest.Wait()
		var got []string
		for _, s := range []event.State{event.Idle, event.Listening, event.Thinking, event.ToolCalling,
			event.Speaking, event.Muted} {
			bus.Publish(&event.VolumeChanged{Percent: 1})
			bus.Publish(&event.StateChanged{To: s})
			synctest.Wait()
			got = append(got, string(s)+": "+ring.looks()+", "+mute.looks())
		}
		want := []string{
			"idle: none 0, none 0", "listening: none 10, none 0", "thinking: timer 2, none 0",
			"tool_calling: timer 2, none 0",
			"speaking: none 0, none 0", "muted: none 0, none 1",
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if got := ring.looks() + ", " + mute.looks(); got != "mmc0 0, mmc0 0" || len(wrong) > 0 {
			t.Errorf("at the end: %s, %v", got, wrong)
		}
	})
}

func TestLightThatIsNotThereIsToldAndTriedAgain(t *testing.T) {
	root := t.TempDir()
	var wrong []error
	l, err := New(Options{root: root, Bus: event.NewBus(), Log: slog.New(slog.DiscardHandler),
		Changed: func(err error) { wrong = append(wrong, err) }, Lights: []Light{
			{Name: "usb", States: []string{"listening"}, Percent: 100},
		}})
	if err != nil {
		t.Fatal(err)
	}
	l.show(event.Idle)
	l.show(event.Listening)
	if len(wrong) != 1 || !strings.Contains(wrong[0].Error(), `light "usb"`) {
		t.Errorf("told %v", wrong)
	}
	led := newLED(t, root, "usb", "255")
	l.show(event.Listening)
	if got := led.looks(); got != "none 255" || len(wrong) != 2 || wrong[1] != nil {
		t.Errorf("%s, %v", got, wrong)
	}
	if _, err := New(Options{}); err == nil {
		t.Error("lights without lights are made")
	}
}

func TestOnlyTheNewestStateCounts(t *testing.T) {
	more := make(chan event.Event, 3)
	more <- &event.StateChanged{To: event.Thinking}
	more <- &event.VolumeChanged{}
	if s, ok := newest(&event.StateChanged{To: event.Listening}, more); !ok || s != event.Thinking {
		t.Errorf("%q, %v", s, ok)
	}
	if _, ok := newest(&event.VolumeChanged{}, more); ok {
		t.Error("a volume is a state")
	}
}
