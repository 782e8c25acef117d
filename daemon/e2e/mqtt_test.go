package e2e

import "testing"

func TestHouseholdBrokerSeesTheSpeakerThroughItsOwnRestart(t *testing.T) {
	k := newKitchen(t)
	b := newMosquitto(t, k.dir)
	k.begin(b.environ()...)
	house := b.subscribe()
	house.await("1 hearth/demo/availability online")
	k.tellsTime()
	house.await("0 hearth/demo/state thinking")
	house.await("0 hearth/demo/turn", `"source":"voice"`, `"intent":"time_now"`, `"outcome":"answered"`)
	b.publish("hearth/demo/set/ask", `{"text":"what time is it","reply":"hearth/test/reply","id":"7"}`)
	house.await("0 hearth/test/reply", `"id":"7"`, `"ok":true`, `"outcome":"answered"`)

	// The broker dies while the answer is spoken.
	before := k.status()
	k.say("Hey hearth, set a pasta timer for ten minutes.")
	k.moves("speaking")
	b.kill()
	if doc := k.turn("voice"); doc.Outcome != "answered" || len(doc.Tools) != 1 {
		t.Errorf("with the broker gone: %+v", doc)
	}
	k.await("a lost broker", func(s Status) bool { return s.Broker == "connecting" })
	k.advances()
	k.tellsTime()
	if after := k.status(); after.Dropped != before.Dropped || after.Frames <= before.Frames {
		t.Errorf("capture suffered: %d samples were dropped, %d frames came", after.Dropped-before.Dropped, after.Frames-before.Frames)
	}
	b.start()
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
	house.await("1 hearth/demo/availability online")
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
