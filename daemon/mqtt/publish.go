package mqtt

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"hearthd/daemon/api"
	"hearthd/daemon/event"
	"hearthd/daemon/mqtt/contract"
)

// vitalsEvery is how often the vitals are published.
const vitalsEvery = time.Minute

// about is the payload of the topic about.
type about struct {
	Contract  int      `json:"contract"`
	Version   string   `json:"version"`
	Installed string   `json:"installed"`
	Node      string   `json:"node"`
	House     string   `json:"house,omitempty"`
	Area      string   `json:"area,omitempty"`
	Groups    []string `json:"groups,omitempty"`
	Commands  []string `json:"commands"`
}

// healthDoc is the payload of the topic health.
type healthDoc struct {
	OK         bool              `json:"ok"`
	Conditions []event.Condition `json:"conditions"`
}

// putFirst gives every retained topic its first value, in the order of the contract.
func (b *Bridge) putFirst() {
	now := b.opt.Begin
	b.putAbout(b.device.Version)
	b.putText(contract.State, string(event.Starting))
	b.putHealth()
	b.putText(contract.Awake, contract.Off)
	b.putText(contract.Speech, contract.Off)
	b.putText(contract.Mute, onOff(now.Muted))
	b.putText(contract.DND, onOff(now.DND))
	b.putText(contract.Volume, strconv.Itoa(now.Volume))
	b.putJSON(b.topic(contract.Media), b.opt.Media, true)
	b.putText(contract.WakeWord, cmp.Or(now.WakeWord, contract.AllWords))
	b.putText(contract.Policy, cmp.Or(now.Policy, contract.Local))
	b.putText(contract.Route, "{}")
	b.putText(contract.Timers, "[]")
	b.putText(contract.NextTimer, "{}")
	b.putVitals()
	b.putText(contract.Availability, contract.Online)
	b.putDiscovery(b.opt.Discovery, nil)
	if d := b.device; d.House != "" {
		// Optional: the access list of a broker may keep its boxes apart.
		topic := b.houseTopic(contract.Boxes) + "/" + d.Node
		b.out.put(message{topic: topic, payload: []byte("1"), retained: true, optional: true})
	}
}

// putDiscovery announces the box to Home Assistant, or withdraws it; done, which may be nil,
// is closed when the broker has the message. It is optional: not every broker allows it.
func (b *Bridge) putDiscovery(on bool, done chan struct{}) {
	m := message{topic: b.device.Topic(), retained: true, optional: true, done: done}
	if on {
		doc, err := b.device.Document()
		if err != nil {
			b.opt.Log.Error("encode message", "component", "mqtt", "topic", m.topic, "error", err)
			return
		}
		m.payload = doc
	}
	b.out.put(m)
}

// Withdraw removes the box from Home Assistant, until hearthd starts again, and returns when
// the broker has the message.
func (b *Bridge) Withdraw(ctx context.Context) error {
	if b.opt.Broker == contract.NoBroker {
		return nil
	}
	done := make(chan struct{})
	b.putDiscovery(false, done)
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("withdraw from home assistant: %w", errNoAnswer)
	}
}

// follow turns events into messages until ctx ends, and keeps the condition "broker".
func (b *Bridge) follow(ctx context.Context, connection <-chan news) {
	w := b.newWatch()
	defer w.overdue.Stop()
	every := time.NewTicker(vitalsEvery)
	defer every.Stop()
	installed := b.device.Version
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-b.sub.C():
			b.publish(e)
			if n := b.sub.Lost(); n > 0 {
				b.opt.Log.Warn("events were missed", "component", "mqtt", "count", n)
			}
		case n := <-connection:
			w.hear(n)
		case <-w.overdue.C:
			w.late()
		case <-every.C:
			b.putVitals()
			if version := b.opt.Installed(ctx); version != installed {
				installed = version
				b.putAbout(version)
			}
		}
	}
}

// publish queues the messages that e calls for.
func (b *Bridge) publish(e event.Event) {
	switch e := e.(type) {
	case *event.StateChanged:
		b.putText(contract.State, string(e.To))
		switch e.To {
		case event.Listening:
			b.putText(contract.Awake, contract.On)
		case event.Idle, event.Muted, event.Faulted:
			b.putText(contract.Awake, contract.Off)
		}
	case *event.Woken:
		if e.By != "text" && e.By != "announcement" {
			b.putText(contract.Awake, contract.On)
		}
	case *event.SpeechStarted:
		b.putText(contract.Speech, contract.On)
	case *event.SpeechEnded:
		b.putText(contract.Speech, contract.Off)
	case *event.MuteChanged:
		b.putText(contract.Mute, onOff(e.Muted))
	case *event.DNDChanged:
		b.putText(contract.DND, onOff(e.On))
	case *event.VolumeChanged:
		b.putText(contract.Volume, strconv.Itoa(e.Percent))
	case *event.MediaChanged:
		b.putJSON(b.topic(contract.Media), e.Media, true)
	case *event.WakeWordChanged:
		b.putText(contract.WakeWord, e.Word)
	case *event.PolicyChanged:
		b.putText(contract.Policy, e.Policy)
	case *event.ConditionChanged:
		b.putHealth()
	case *event.Turn:
		b.putTurn(e)
	case *event.TimerFired, *event.RingResumed, *event.RingEnded:
		b.putJSON(b.topic(contract.Event), e, false)
	case *event.Yielded:
		b.putJSON(b.topic(contract.Yielded), e, false)
	case *event.TimersChanged:
		b.putTimers(e.Timers)
	}
}

func (b *Bridge) putTurn(e *event.Turn) {
	doc := *e
	if doc.Forgets() {
		doc.Transcript, doc.Answer = "", ""
	}
	b.putJSON(b.topic(contract.Turn), &doc, false)
	if e.Source == "announcement" {
		return
	}
	b.putJSON(b.topic(contract.Route), api.LastTurn{
		Route: e.Route, Intent: e.Intent, Thinker: e.Thinker, Source: e.Source, WokenBy: e.WokenBy, Outcome: e.Outcome,
		Turn: e.Header.Turn, Time: e.Time, FirstSoundMS: e.Stages.FirstSound, TotalMS: e.Stages.Total,
	}, true)
}

func (b *Bridge) putTimers(list []event.Timer) {
	if list == nil {
		list = []event.Timer{} // an empty list is [], never null
	}
	b.putJSON(b.topic(contract.Timers), list, true)
	var next any = struct{}{}
	if i := slices.IndexFunc(list, func(t event.Timer) bool { return t.LeftS == 0 }); i >= 0 {
		next = list[i]
	}
	b.putJSON(b.topic(contract.NextTimer), next, true)
}

func (b *Bridge) putHealth() {
	list := b.opt.Conditions.List()
	b.putJSON(b.topic(contract.Health), healthDoc{OK: len(list) == 0, Conditions: list}, true)
}

func (b *Bridge) putVitals() {
	v := b.opt.Vitals()
	if took := time.Duration(b.trip.Load()); took > 0 {
		ms := math.Round(took.Seconds()*1e5) / 100
		v.BrokerMS = &ms
	}
	b.putJSON(b.topic(contract.Vitals), v, true)
}

func (b *Bridge) putAbout(installed string) {
	b.putJSON(b.topic(contract.About), about{
		Contract: contract.Version, Version: b.device.Version, Installed: installed, Node: b.device.Node,
		House: b.device.House, Area: b.device.Area, Groups: b.device.Groups, Commands: b.device.Commands,
	}, true)
}

func (b *Bridge) putJSON(topic string, v any, retained bool) {
	b.encode(message{topic: topic, retained: retained}, v)
}

// encode queues m with v as its payload.
func (b *Bridge) encode(m message, v any) {
	data, err := json.Marshal(v)
	if err == nil && len(data) > maxMessage {
		err = fmt.Errorf("%d bytes are too long", len(data))
	}
	if err != nil {
		b.opt.Log.Error("encode message", "component", "mqtt", "topic", m.topic, "error", err)
		return
	}
	m.payload = data
	b.out.put(m)
}

func (b *Bridge) putText(level, text string) {
	b.out.put(message{topic: b.topic(level), payload: []byte(text), retained: true})
}

func onOff(on bool) string {
	if on {
		return contract.On
	}
	return contract.Off
}
