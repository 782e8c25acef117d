package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hearthd/rigs/testcard"
)

// pipelined is a Home Assistant with a voice pipeline of rigs, in which ears hear what a file says.
func pipelined(t *testing.T) *assist {
	t.Helper()
	a := newAssist(t, "stt:\ntts:\nmedia_source:\nassist_pipeline:\nassist_satellite:\nintent:\nrig:\n", "rig")
	a.asks("assist_pipeline/pipeline/set_preferred", map[string]any{"pipeline_id": a.pipeline("Rig", "conversation.rig")}, nil)
	return a
}

// pipeline makes one in which an agent answers.
func (a *assist) pipeline(name, agent string) string {
	a.t.Helper()
	var p struct{ ID string }
	a.asks("assist_pipeline/pipeline/create", map[string]any{
		"name": name, "language": "en", "conversation_engine": agent, "conversation_language": "en",
		"stt_engine": "stt.rig", "stt_language": "en", "tts_engine": "tts.rig", "tts_language": "en", "tts_voice": nil,
		"wake_word_entity": nil, "wake_word_id": nil,
	}, &p)
	return p.ID
}

// hears sets what its ears hear next.
func (a *assist) hears(text string) {
	a.t.Helper()
	check(a.t, os.WriteFile(filepath.Join(a.root, a.dir, "heard.txt"), []byte(text), 0o644))
}

// satellited is a kitchen that a real Home Assistant uses as a satellite.
func satellited(t *testing.T, a *assist, env ...string) (*kitchen, *boxInHouse) {
	t.Helper()
	port, err := freePort()
	check(t, err)
	k := newKitchen(t, append([]string{"HEARTHD_SATELLITE_LISTEN=127.0.0.1:" + port, "HEARTHD_AUDIO_VOLUME=60",
		"HEARTHD_MEDIA_STATIONS=" + stations(t, "Radio One", "Radio Two")}, env...)...)
	check(t, os.WriteFile(k.dir+"/key", []byte(satelliteKey), 0o600))
	k.env = append(k.env, "HEARTHD_SATELLITE_KEY=file:"+k.dir+"/key")
	k.begin()
	at, err := strconv.Atoi(port)
	check(t, err)
	a.configures("esphome", map[string]any{"host": "127.0.0.1", "port": at}, map[string]any{"noise_psk": satelliteKey})
	x := &boxInHouse{assist: a, ids: map[string]string{}, used: map[string]bool{}}
	wants := []string{"media_player", "mute", "dnd", "listen", "stop", "repeat", "media_next", "media_previous", "media_volume",
		"state", "media", "next_timer", "timers", "problem", "assist_satellite", "wake_word"}
	a.until("the entities of the satellite", func() (lacks []string) {
		for unique, id := range a.known("esphome") {
			_, name, _ := strings.Cut(unique, "-")
			if _, after, ok := strings.Cut(name, "-"); ok {
				name = after
			}
			x.ids[name] = id
		}
		for _, id := range wants {
			if x.ids[id] == "" {
				lacks = append(lacks, id)
			}
		}
		return lacks
	})
	a.until("the states of the satellite", func() (lacks []string) {
		x.see = a.watches()
		x.see.mu.Lock()
		defer x.see.mu.Unlock()
		for _, id := range wants {
			if now, there := x.see.now[x.ids[id]]; !there || now.State == "unavailable" {
				lacks = append(lacks, id)
			}
		}
		return lacks
	})
	return k, x
}

func TestRealHouseUsesTheSatellite(t *testing.T) {
	a := pipelined(t)
	k, x := satellited(t, a)
	x.sees(map[string]string{
		"media_player": "idle", "mute": "off", "dnd": "off", "media_volume": `\d+(\.0)?`, "state": "idle", "media": "stopped",
		"next_timer": "unknown", "timers": `0(\.0)?`, "problem": "off", "assist_satellite": "idle", "wake_word": "all",
		"listen": "unknown", "stop": "unknown", "repeat": "unknown", "media_next": "unknown", "media_previous": "unknown",
	})
	player := x.ids["media_player"]
	for _, s := range []struct {
		id, value string
		action    string // of the media player, with data
		data      map[string]any
		shows, as string
	}{
		{id: "mute", value: "ON", shows: "state", as: "muted"}, {id: "mute", value: "OFF", shows: "mute", as: "off"},
		{id: "dnd", value: "ON", shows: "dnd", as: "on"}, {id: "dnd", value: "OFF", shows: "dnd", as: "off"},
		{id: "listen", shows: "state", as: "listening"}, {id: "stop", shows: "state", as: "idle"},
		{id: "wake_word", value: "phrase", shows: "wake_word", as: "phrase"},
		{action: "volume_set", data: map[string]any{"volume_level": 0.35}},
		{action: "play_media", data: map[string]any{"media_content_id": station(t), "media_content_type": "music"},
			shows: "media_player", as: "playing"},
		{action: "media_pause", shows: "media_player", as: "paused"},
		{action: "media_play", shows: "media_player", as: "playing"},
		{id: "media_volume", value: "35", shows: "media_volume", as: `35(\.0)?`},
		{action: "media_stop", shows: "media_player", as: "idle"},
	} {
		begun := time.Now()
		if s.action != "" {
			x.see.act()
			x.calls("media_player."+s.action, player, s.data)
		} else {
			x.sets(s.id, s.value)
		}
		if s.shows == "" {
			x.until("the volume", func() (lacks []string) {
				if !x.see.gives(player, "volume_level", "0.35") {
					lacks = []string{"0.35"}
				}
				return lacks
			})
		} else {
			x.shows(s.shows, s.as)
		}
		t.Logf("%s%s %s: within %v", s.id, s.action, s.value, time.Since(begun).Round(time.Millisecond))
	}
	k.event("the wake word", func(h happening) bool {
		return h.Type == "wake_word" && strings.Contains(string(h.raw), `"word":"phrase"`)
	})
	x.see.act()
	k.ask("play radio one")
	x.shows("media", "Radio One")
	x.sets("media_next", "")
	x.shows("media", "Radio Two")
	x.sets("media_previous", "")
	x.shows("media", "Radio One")
	x.see.act()
	x.calls("media_player.media_stop", player, nil)
	x.shows("media_player", "idle")
	x.sets("repeat", "")
	x.shows("state", "speaking")
	x.see.act()
	k.ask("set a timer for ten minutes")
	x.sees(map[string]string{"timers": `1(\.0)?`, "next_timer": `20..-..-..T.*`})
	for _, line := range a.warned("esphome", "satellite", "demo") {
		if !strings.Contains(line, "aioesphomeapi.connection") { // it tries without the key, and one that never fits, first
			t.Errorf("Home Assistant warns: %s", line)
		}
	}
}

func TestRealHouseAnnouncesAtTheSatellite(t *testing.T) {
	a := pipelined(t)
	k, x := satellited(t, a)
	says := x.ids["assist_satellite"]
	k.ask("play radio one")
	k.await("an idle box", func(s Status) bool { return s.State == "idle" })
	for _, preannounce := range []bool{true, false} {
		begun := time.Now()
		x.see.act()
		a.calls("assist_satellite.announce", says, map[string]any{"message": "Dinner is ready.", "preannounce": preannounce})
		t.Logf("announced, and its end told, within %v", time.Since(begun).Round(time.Millisecond))
		if doc := k.turn("announcement"); doc.Outcome != "answered" || doc.Stages.FirstSound == 0 {
			t.Errorf("%+v", doc)
		}
		x.shows("assist_satellite", "idle")
	}
	from := k.played()
	a.calls("media_player.play_media", x.ids["media_player"], map[string]any{
		"media_content_id": "media-source://tts/tts.rig?message=Tea+is+ready", "media_content_type": "music", "announce": true,
	})
	if doc := k.turn("announcement"); doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}
	k.audible(from)
}

func TestRealHouseThinksForTheSatellite(t *testing.T) {
	a := pipelined(t)
	k, x := satellited(t, a, "HEARTHD_AUDIO_AEC=device")
	says := x.ids["assist_satellite"]
	a.hears("how warm is the bath")
	x.see.act()
	a.calls("assist_satellite.start_conversation", says, map[string]any{"start_message": "May I ask?", "preannounce": false})
	k.moves("listening")
	k.say("How warm is the bath?")
	doc := k.turn("voice")
	if doc.Route != "home_assistant" || doc.Outcome != "answered" || doc.Transcript != "how warm is the bath" ||
		doc.Answer != "You said how warm is the bath." || doc.Stages.FirstSound == 0 {
		t.Errorf("%+v", doc)
	}
	t.Logf("Home Assistant's answer was heard %d ms after the person ended", doc.Stages.FirstSound)
	for _, state := range []string{"listening", "processing", "responding", "idle"} {
		x.shows("assist_satellite", state)
	}
	for _, line := range a.warned("samples, loud") {
		t.Log(line)
	}

	a.hears("and the pool, which is a question that takes long to repeat for whoever has to say it all once more")
	k.moves("listening") // for it was a question
	k.say("And the pool?")
	k.moves("speaking")
	a.hears("wait")
	k.hears(make([]int16, testcard.Rate), k.synthesise("wait a moment please"))
	if doc := k.turn("voice"); doc.Route != "home_assistant" || doc.Outcome != "interrupted" {
		t.Errorf("%+v", doc)
	}
	if doc := k.turn("voice"); doc.Route != "home_assistant" || doc.WokenBy != "barge_in" || doc.Answer != "You said wait." {
		t.Errorf("%+v", doc)
	}

	a.hears("timer")
	a.calls("assist_satellite.start_conversation", says, map[string]any{"start_message": "Yes?", "preannounce": false})
	k.moves("listening")
	k.say("Set a timer.")
	k.event("its answer", func(h happening) bool { return h.Type == "said" && h.Text == "Started." })
	rings := k.event("its timer rings here", func(h happening) bool { return h.Type == "timer_fired" })
	if rings.Timer.Label != "pizza" {
		t.Errorf("%s", rings.raw)
	}
	x.sets("stop", "")
	k.event("it rings no more", func(h happening) bool { return h.Type == "ring_ended" })
}

// Two wake words lead to two pipelines, which Home Assistant lets people choose; a restart of the box changes nothing.
func TestRealHouseHasAPipelineForEachWakeWord(t *testing.T) {
	dir := models(t)
	a := pipelined(t)
	a.pipeline("Other", "conversation.home_assistant")
	word := func(name string) string {
		return "{model: " + filepath.Join(dir, "wake", name+".json") + ", route: homeassistant}"
	}
	k, x := satellited(t, a, "HEARTHD_WAKE_ENGINE=button", "HEARTHD_WAKE_FOLLOW_UP=0s",
		"HEARTHD_WAKE_WORDS=["+word("okay_nabu")+","+word("hey_jarvis")+"]")
	x.sets("wake_word", "all")
	x.sets("wake_word_2", "hey jarvis")
	x.sets("pipeline_2", "Other")
	a.hears("sing of the sea")
	for range 2 {
		for name, want := range map[string]string{"hey_jarvis": "^Sorry", "okay_nabu": "^You said sing of the sea"} {
			k.hears(voiced(clip(t, filepath.Join(dir, "wake", "clips", name+"_2.wav"))), make([]int16, testcard.Rate*9/10), k.synthesise("sing of the sea"))
			doc := k.turn("voice")
			if doc.Outcome == "superseded" { // the rig hears a request in the end of the word, too
				doc = k.turn("voice")
			}
			if doc.Route != "home_assistant" || !matches(want, doc.Answer) {
				t.Errorf("%s: %+v", name, doc)
			}
			k.await("an idle box", func(s Status) bool { return s.State == "idle" })
		}
		check(t, k.Stop())
		x.shows("state", "unavailable")
		k.begin()
		x.sees(map[string]string{"state": "idle", "wake_word": "all", "wake_word_2": "hey jarvis"})
	}
}

func TestRealHouseKeepsTheSatellite(t *testing.T) {
	a := pipelined(t)
	k, x := satellited(t, a)
	idle := func(what string, begun time.Time) {
		a.until("the satellite", func() (lacks []string) {
			x.see = a.watches()
			x.see.mu.Lock()
			defer x.see.mu.Unlock()
			if now := x.see.now[x.ids["state"]]; now.State != "idle" {
				lacks = []string{now.State}
			}
			return lacks
		})
		t.Logf("%s: right after %v", what, time.Since(begun).Round(time.Millisecond))
		x.sets("mute", "ON")
		x.shows("state", "muted")
		x.sets("mute", "OFF")
		x.shows("state", "idle")
	}
	a.restart()
	idle("Home Assistant restarted", time.Now())
	for _, name := range []string{"demo", "pantry"} {
		check(t, k.Stop())
		x.shows("state", "unavailable")
		k.begin("HEARTHD_NODE=" + name)
		idle("box restarted as "+name, time.Now())
	}
	for unique, id := range a.known("esphome") {
		if strings.HasSuffix(id, "_2") && !strings.Contains(unique, "wake_word_2") && !strings.Contains(unique, "pipeline_2") {
			t.Errorf("there is a second %s", id)
		}
	}
}
