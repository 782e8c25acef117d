package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"hearthd/daemon/dialogue"
	"hearthd/daemon/event"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/vitals"
	"hearthd/llm"
	"hearthd/tools"
)

// ErrRestart is the error of Run when somebody asked for a restart.
var ErrRestart = errors.New("restart asked for over MQTT")

// restartPause lets the answer to a restart leave before hearthd does.
const restartPause = 500 * time.Millisecond

// What a household may get wrong.
const (
	errNothingSaid dialogue.Refusal = "nothing has been said yet"
	errNoSuchWord  dialogue.Refusal = "there is no such wake word"
	errNoResponder dialogue.Refusal = "there is no responder, so there is nothing to choose"
)

// manners are settings of the household that no other part keeps.
type manners struct {
	dnd   atomic.Bool
	word  atomic.Pointer[string] // nil: all
	local atomic.Bool            // nothing goes to the responder
}

// heeds reports whether a wake word, or contract.Phrase, may open a turn.
func (m *manners) heeds(word string) bool {
	only := m.word.Load()
	return only == nil || *only == contract.AllWords || *only == word
}

// minded is the matcher that does not hear the phrase when another word is set.
type minded struct {
	intents
	manners *manners
}

func (m minded) Wake(text string) (rest string, ok bool) {
	if !m.manners.heeds(contract.Phrase) {
		return "", false
	}
	return m.intents.Wake(text)
}

// host is what MQTT may ask of the daemon beside the dialogue.
type host struct {
	d *Daemon
	h *house
}

func (x host) Repeat(ctx context.Context) error {
	said, _ := x.h.toolbox.Said()
	if said == "" {
		return errNothingSaid
	}
	return x.d.dialogue.SayFrom(ctx, said, nil)
}

func (x host) SetDND(ctx context.Context, on bool) error {
	if err := x.d.store.SetDND(ctx, on); err != nil {
		return err
	}
	x.d.manners.dnd.Store(on)
	x.d.bus.Publish(&event.DNDChanged{On: on})
	return nil
}

func (x host) SetWakeWord(ctx context.Context, word string) error {
	if !slices.Contains(x.d.cfg.Wake.Choices(), word) {
		return errNoSuchWord
	}
	if err := x.d.store.SetWakeWord(ctx, word); err != nil {
		return err
	}
	x.d.manners.word.Store(&word)
	x.d.bus.Publish(&event.WakeWordChanged{Word: word})
	return nil
}

// SetPolicy says what may go to the responder.
func (x host) SetPolicy(ctx context.Context, policy string) error {
	if x.d.cfg.Choices() == nil {
		return errNoResponder
	}
	local := policy == contract.Local
	if err := x.d.store.SetLocal(ctx, local); err != nil {
		return err
	}
	x.d.manners.local.Store(local)
	x.d.bus.Publish(&event.PolicyChanged{Policy: policy})
	return nil
}

// Timer runs the tool that a voice would have run.
func (x host) Timer(ctx context.Context, o mqtt.TimerOrder) (string, error) {
	args := map[string]any{}
	if o.Label != "" {
		args["label"] = o.Label
	}
	switch o.Action {
	case "set", "change":
		args["duration_s"] = o.Seconds
	default:
		if o.All {
			args["all"] = true
		}
	}
	data, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	out := x.h.toolbox.Run(ctx, llm.ToolCall{ID: "mqtt", Name: "timer_" + o.Action, Arguments: data})
	if out.Class != string(tools.OK) {
		return "", dialogue.Refusal(out.Say)
	}
	return out.Text, nil
}

func (x host) Restart(context.Context) error {
	time.AfterFunc(restartPause, func() { x.d.end(ErrRestart) })
	return nil
}

// vitals is how the box is, for MQTT; its caller is one goroutine.
func (d *Daemon) vitals(r *cloud) func() mqtt.Vitals {
	m := vitals.New()
	return func() mqtt.Vitals {
		v := mqtt.Vitals{
			UptimeS: int64(time.Since(d.begun).Seconds()), MemoryMB: tenths(float64(m.Memory()) / 1e6), CPUPercent: tenths(m.Processor()),
			Frames: d.capture.Frames(), Dropped: d.capture.Dropped(),
		}
		if c, ok := m.Temperature(); ok {
			c = tenths(c)
			v.TemperatureC = &c
		}
		if r != nil {
			day, month := r.purse.sums(time.Now())
			v.SpentToday, v.SpentMonth = &day, &month
		}
		return v
	}
}

func tenths(f float64) float64 { return math.Round(f*10) / 10 }
