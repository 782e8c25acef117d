package main

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/mqtt/contract"
)

// appliance is a box without ears and mouth: the daemon's bridge to the broker, and
// events as of a household.
type appliance struct {
	bus    *event.Bus
	bridge *mqtt.Bridge
	every  time.Duration
	turn   uint64
}

func newAppliance(o mqtt.Options, node, house string, every time.Duration) (*appliance, error) {
	a := &appliance{bus: event.NewBus(), every: every}
	var commands []string
	for _, c := range contract.Commands() {
		commands = append(commands, c.Name)
	}
	o.Device = contract.Device{
		Discovery: "homeassistant", Prefix: prefix, Node: node, Version: "bench", House: house, Commands: commands,
		Words: []string{contract.AllWords, contract.Phrase}, Policies: []string{contract.Auto, contract.Local},
	}
	o.Discovery = true
	o.Begin = contract.Settings{Volume: 70}
	o.Bus, o.Conditions, o.Speaker, o.Host = a.bus, health.New(a.bus), nobody{}, nobody{}
	o.Vitals = func() mqtt.Vitals { return mqtt.Vitals{UptimeS: 60, MemoryMB: 25, Frames: 3000} }
	o.Installed = func(context.Context) string { return "bench" }
	peers := mqtt.NewFeed()
	peers.Watch(contract.HouseTopic(prefix, house, contract.Claim),
		contract.HouseTopic(prefix, house, contract.Boxes)+"/+")
	o.Feeds = append(o.Feeds, peers)
	o.Log = slog.New(slog.DiscardHandler)
	var err error
	a.bridge, err = mqtt.New(o)
	return a, err
}

// talk is what a household does: a turn now and then, with all that is published of it.
func (a *appliance) talk(ctx context.Context) {
	for {
		pause := time.NewTimer(time.Duration(rand.Int64N(int64(2 * a.every))))
		select {
		case <-ctx.Done():
			pause.Stop()
			return
		case <-pause.C:
		}
		a.turn++
		head := event.Header{Session: 1, Turn: a.turn}
		for _, e := range []event.Event{
			&event.Woken{By: "hey jarvis", Score: 0.97},
			&event.StateChanged{From: event.Idle, To: event.Listening},
			&event.SpeechStarted{Utterance: a.turn}, &event.SpeechEnded{Utterance: a.turn, Reason: "silence", Seconds: 1.4},
			&event.StateChanged{From: event.Listening, To: event.Thinking},
			&event.StateChanged{From: event.Thinking, To: event.Speaking},
			&event.TimersChanged{Timers: []event.Timer{{ID: int64(a.turn), Kind: "timer", Label: "pasta",
				Ends: time.Now().Add(10 * time.Minute)}}},
			&event.Turn{
				Header: head, Source: "voice", WokenBy: "hey jarvis", Route: "intent", Intent: "timer_set", Outcome: "answered",
				Tools:  []event.ToolUse{{Tool: "timer_set", Outcome: "ok", TookMS: 4}},
				Stages: event.StageMS{Endpoint: 700, STT: 120, Route: 1, Tool: 4, TTS: 30, Play: 21, FirstSound: 876, Total: 2400},
			},
			&event.StateChanged{From: event.Speaking, To: event.Idle},
		} {
			a.bus.Publish(e)
		}
	}
}

// nobody refuses every command: the bench sends none.
type nobody struct{}

var errNobody = errors.New("a simulated appliance does nothing")

func (nobody) AnnounceAt(context.Context, string, bool, bool, time.Time) error { return errNobody }
func (nobody) PlayAt(context.Context, string, []byte, bool, time.Time) error {
	return errNobody
}
func (nobody) AskAs(context.Context, string, string, string) (*event.Turn, error) {
	return nil, errNobody
}
func (nobody) Listen(context.Context) error                           { return errNobody }
func (nobody) Stop(context.Context) error                             { return errNobody }
func (nobody) SetMuted(context.Context, bool) error                   { return errNobody }
func (nobody) SetVolume(context.Context, int) error                   { return errNobody }
func (nobody) Repeat(context.Context) error                           { return errNobody }
func (nobody) SetDND(context.Context, bool) error                     { return errNobody }
func (nobody) SetWakeWord(context.Context, string) error              { return errNobody }
func (nobody) SetPolicy(context.Context, string) error                { return errNobody }
func (nobody) Media(context.Context, mqtt.MediaOrder) (string, error) { return "", errNobody }
func (nobody) Timer(context.Context, mqtt.TimerOrder) (string, error) { return "", errNobody }
func (nobody) Tool(context.Context, string, []byte) (string, error)   { return "", errNobody }
func (nobody) Restart(context.Context) error                          { return errNobody }
