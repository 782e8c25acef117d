package e2e

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"hearthd/audio"
)

// storm starts the broker, floods it with commands once the daemon is there, kills it,
// and so on until end is called. kills grows.
func (k *kitchen) storm(b *mosquitto) (kills *atomic.Int64, end func()) {
	ctx, cancel := context.WithCancel(k.t.Context())
	kills = new(atomic.Int64)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			b.start()
			if k.Await(ctx, func(s Status) bool { return s.Broker == "connected" }) != nil {
				return
			}
			flood := b.client("mosquitto_pub", "-t", "hearth/demo/set/volume", "-l")
			flood.Stdin = strings.NewReader(strings.Repeat("70\n", 500))
			_ = flood.Run() // the broker may be too busy for it
			b.kill()
			kills.Add(1)
		}
	})
	return kills, func() {
		cancel()
		running.Wait()
	}
}

func TestHouseholdBrokerSeesTheSpeakerThroughItsOwnRestart(t *testing.T) {
	k := newKitchen(t)
	b := newMosquitto(t, k.dir)
	k.begin(b.environ()...)
	house := b.subscribe()
	house.await("", "hearth/demo/availability online") // retained, unless it comes just now
	calm := k.tellsTime().Stages.FirstSound
	house.await("0 hearth/demo/state thinking")
	house.await("0 hearth/demo/turn", `"source":"voice"`, `"intent":"time_now"`, `"outcome":"answered"`)
	b.publish("hearth/demo/set/ask", `{"text":"what time is it","reply":"hearth/demo/result/test","id":"7"}`)
	house.await("0 hearth/demo/result/test", `"id":"7"`, `"ok":true`, `"outcome":"answered"`)

	// The broker dies while the answer is spoken.
	before := k.status()
	kill := sync.OnceFunc(b.kill)
	k.diary.unread()
	if doc := k.heeds(func() {
		k.say("Hey hearth, set a pasta timer for ten minutes.")
		k.await("an answer, or nothing that was heard", func(s Status) bool {
			return s.State == "speaking" || k.diary.has(func(h happening) bool { return h.Type == "ignored" })
		})
		kill()
	}); doc.Outcome != "answered" || len(doc.Tools) != 1 {
		t.Errorf("with the broker gone: %+v", doc)
	}
	k.await("a lost broker", func(s Status) bool { return s.Broker == "connecting" })
	kills, end := k.storm(b)
	var stormy []int
	for least := tries(t, 1); len(stormy) < least || kills.Load() == 0; {
		stormy = append(stormy, k.tellsTime().Stages.FirstSound)
	}
	end()
	t.Logf("from the end of speech to the answer: %d ms before, %v ms while the broker was killed %d times", calm, stormy, kills.Load())
	after := k.status()
	dropped, frames := after.Dropped-before.Dropped, after.Frames-before.Frames
	if frames == 0 || dropped > frames*audio.FrameSamples/100 { // the machine may stand still for a moment
		t.Errorf("capture suffered: %d samples were dropped, %d frames came", dropped, frames)
	}
	k.await("the broker", func(s Status) bool { return s.Broker == "connected" })
	house = b.subscribe()
	house.await("", "hearth/demo/availability online")
	house = b.subscribe()
	house.await("", "hearth/demo/state idle")
	house = b.subscribe()
	house.await("", "hearth/demo/timers", `"pasta"`)
	k.ask("what time is it")
	house.await("0 hearth/demo/turn", `"intent":"time_now"`)

	check(t, k.Stop())
	b.subscribe().await("1 hearth/demo/availability offline")
}

func TestHouseholdBrokerSeesASpeakerThatWasKilled(t *testing.T) {
	k := newKitchen(t)
	b := newMosquitto(t, k.dir)
	k.begin(b.environ()...)
	house := b.subscribe()
	house.await("", "hearth/demo/availability online") // retained, unless it comes just now
	check(t, k.Kill())
	house.await("0 hearth/demo/availability offline")
}

func TestBrokerThatRefusesThePasswordIsACondition(t *testing.T) {
	k := newKitchen(t)
	b := newMosquitto(t, k.dir)
	k.launch(append(b.environ(), "HEARTHD_MQTT_USER=stranger")...)
	k.await("the condition", func(s Status) bool { return s.Broker == "connecting" && s.Has("broker") })
	k.tellsTime()
}
