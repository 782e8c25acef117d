package e2e

import (
	"os"
	"slices"
	"testing"
	"time"
)

const (
	// usedTimes is how often each entity is used in each of two ways.
	usedTimes = 3
	// usePace is how often a command is given: a box refuses those that come too fast.
	usePace = 300 * time.Millisecond
)

// use is what is done with an entity, and what shows that the box has done it.
type use struct{ id, value, shows, as string }

// BenchmarkRealHouseAnswers uses each entity that can be used again and again, and says how long Home Assistant
// takes from the command to what the box shows of it.
func BenchmarkRealHouseAnswers(b *testing.B) {
	a := newAssist(b, "")
	k, _, env := cloudy(b, answers)
	m := newMosquitto(b, k.dir)
	a.joins(m)
	k.begin(append(append(env, m.environ()...), "HEARTHD_MEDIA_STATIONS="+stations(b, "Radio One", "Radio Two"),
		"HEARTHD_MQTT_COMMANDS=say announce ask listen stop repeat mute dnd volume media wake route")...)
	entities := map[string]entity{}
	pairs := [][]use{
		{{"mute", "ON", "state", "muted"}, {"mute", "OFF", "state", "idle"}},
		{{"dnd", "ON", "dnd", "on"}, {"dnd", "OFF", "dnd", "off"}},
		{{"volume", "40", "volume", `40(\.0)?`}, {"volume", "41", "volume", `41(\.0)?`}},
		{{"wake", "phrase", "wake", "phrase"}, {"wake", "all", "wake", "all"}},
		{{"policy", "local", "policy", "local"}, {"policy", "auto", "policy", "auto"}},
		{{"listen", "", "awake", "on"}, {"stop", "", "awake", "off"}},
		{{"say", "Hello to you all.", "state", "speaking"}, {"stop", "", "state", "idle"}},
		{{"repeat", "", "state", "speaking"}, {"stop", "", "state", "idle"}},
		{{"media_station", "Radio One", "media", "Radio One"}, {"media_station", "Radio Two", "media", "Radio Two"}},
		{{"media_pause", "", "media_state", "paused"}, {"media_play", "", "media_state", "playing"}},
		{{"media_previous", "", "media", "Radio One"}, {"media_next", "", "media", "Radio Two"}},
		{{"media_volume", "35", "media_volume", `35(\.0)?`}, {"media_volume", "36", "media_volume", `36(\.0)?`}},
		{{"media_stop", "", "media_state", "stopped"}},
	}
	for _, pair := range pairs {
		for _, u := range pair {
			entities[u.id], entities[u.shows] = entity{}, entity{}
		}
	}
	x, pace := a.finds("demo", entities), time.NewTicker(usePace)
	defer pace.Stop()
	for b.Loop() {
		load(b)
		var took [usedTimes]map[use]float64 // in ms
		for round := range took {
			took[round] = map[use]float64{}
			for _, u := range slices.Concat(pairs...) {
				<-pace.C
				begun := time.Now()
				x.sets(u.id, u.value)
				x.shows(u.shows, u.as)
				took[round][u] = time.Since(begun).Seconds() * 1000
			}
		}
		for _, u := range slices.Concat(pairs...) {
			var all []float64
			for _, r := range took {
				all = append(all, r[u])
			}
			slices.Sort(all)
			b.Logf("%s %s | %.0f ms, %.0f ms at most", u.id, u.value, all[usedTimes/2], all[usedTimes-1])
		}
		load(b)
	}
}

// load tells how busy the machine is.
func load(b *testing.B) {
	text, err := os.ReadFile("/proc/loadavg")
	check(b, err)
	b.Logf("load: %s", text)
}
