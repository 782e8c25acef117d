package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/audio"
)

// corners are where each kind of thing stands once.
var corners = []string{"attic", "cellar", "pantry", "study", "nursery", "hallway", "porch", "library", "workshop", "laundry",
	"balcony", "sauna"}

// thing is a kind of device, of which there is one in each corner. Sentences and configuration have NAME and ID for its
// name and a word of its own; says "?" is a question that is agreed to.
type thing struct {
	appliance
	control, read order // no text: it cannot be controlled, or read
}

// things are of every domain that hearthd claims.
var things = []thing{
	{appliance{domain: "light", name: "lamp"}, order{"turn on the NAME", "on", ""}, order{"is the NAME on", "", "(?i)yes|is on"}},
	{appliance{domain: "switch", name: "plug"}, order{"turn on the NAME", "on", ""}, order{"is the NAME on", "", "(?i)yes|is on"}},
	{appliance{domain: "cover", name: "shutter", config: `"device_class":"shutter"`}, order{"open the NAME", "open", ""},
		order{"is the NAME open", "", "(?i)yes|is open"}},
	{appliance{domain: "fan", name: "fan"}, order{"turn on the NAME", "on", ""}, order{"is the NAME on", "", "(?i)yes|is on"}},
	{appliance{domain: "lock", name: "gate"}, order{"lock the NAME", "locked", ""},
		order{"is the NAME locked", "", "(?i)yes|is locked"}},
	{appliance{domain: "climate", name: "thermostat", config: `"modes":["off","heat"],"mode_command_topic":"zz/ID/mode",` +
		`"temperature_command_topic":"zz/ID/target","min_temp":7,"max_temp":30`},
		order{"set the NAME to 21 degrees", "temperature=21", ""}, order{"what is the NAME set to", "", "21|twenty-one"}},
	{appliance{domain: "water_heater", name: "boiler", config: `"modes":["off","eco"],"mode_command_topic":"zz/ID/mode",` +
		`"temperature_command_topic":"zz/ID/target","min_temp":40,"max_temp":70`},
		order{"set the NAME to 55 degrees", "temperature=55", ""}, order{"what is the NAME set to", "", "55|fifty-five"}},
	{appliance{domain: "humidifier", name: "humidifier", config: `"target_humidity_command_topic":"zz/ID/target"`},
		order{"turn on the NAME", "on", ""}, order{"is the NAME on", "", "(?i)yes|is on"}},
	{appliance{domain: "valve", name: "valve", config: `"reports_position":false`}, order{"open the NAME", "open", ""},
		order{"is the NAME open", "", "(?i)yes|is open"}},
	// What it is told is what it reports.
	{appliance{domain: "vacuum", name: "robot", config: `"supported_features":["start","pause","stop","return_home"],` +
		`"payload_start":"{\"state\":\"cleaning\"}","command_topic":"zz/ID/state"`, told: `{"state":"docked"}`},
		order{"start the NAME", "cleaning", ""}, order{"what is the NAME doing", "", "(?i)clean"}},
	{appliance{domain: "lawn_mower", name: "mower", config: `"start_mowing_command_topic":"zz/ID/go",` +
		`"dock_command_topic":"zz/ID/home","pause_command_topic":"zz/ID/pause"`},
		order{"start the NAME", "mowing", ""}, order{"what is the NAME doing", "", "(?i)mow"}},
	{appliance{domain: "scene", name: "party", config: `"payload_on":"ON"`}, order{"activate NAME", "20.*", ""}, order{}},
	{appliance{domain: "button", name: "chime"}, order{"press the NAME", "20.*", ""}, order{}},
	{appliance{domain: "sensor", name: "freezer temperature", told: "-18.5",
		config: `"device_class":"temperature","unit_of_measurement":"°C"`}, order{},
		order{"what is the NAME", "", "18.5|eighteen point five"}},
	{appliance{domain: "binary_sensor", name: "window", config: `"device_class":"window"`, told: "ON"}, order{},
		order{"is the NAME open", "", "(?i)yes|is open"}},
	{appliance{domain: "number", name: "level", config: `"min":0,"max":100`}, order{"set the NAME to 35", `35(\.0)?`, ""},
		order{"what is the NAME", "", "35|thirty-five"}},
	{appliance{domain: "select", name: "washing program", config: `"options":["Cotton","eco"]`},
		order{"set the NAME to eco", "eco", ""}, order{"what is the NAME", "", "(?i)eco"}},
	{appliance{domain: "text", name: "sign"}, order{"set the NAME to back at five", "back at five", ""},
		order{"what is the NAME", "", "(?i)back at five"}},
	{appliance{domain: "siren", name: "horn"}, order{"turn on the NAME", "on", ""}, order{"is the NAME on", "", "(?i)yes|is on"}},
	{appliance{domain: "alarm_control_panel", name: "alarm", config: `"code_arm_required":false`, told: "armed_away"}, order{},
		order{"is the NAME armed", "", "(?i)yes"}},
	{appliance{domain: "media_player", name: "player"}, order{"turn on the NAME", "on", ""},
		order{"is the NAME on", "", "(?i)yes|is on"}},
	{appliance{domain: "input_boolean", name: "guest mode"}, order{"turn on NAME", "on", ""},
		order{"is NAME on", "", "(?i)yes|is on"}},
	{appliance{domain: "input_number", name: "target", config: "min: 10\n    max: 40"}, order{"set the NAME to 28", `28(\.0)?`, ""},
		order{"what is the NAME", "", "28|twenty-eight"}},
	{appliance{domain: "input_select", name: "dryer", config: "options: [Cotton, Synthetics]"},
		order{"set the NAME to synthetics", "Synthetics", ""}, order{"what is the NAME", "", "(?i)synthetics"}},
	{appliance{domain: "input_text", name: "board"}, order{"write buy milk on the NAME", "buy milk", ""},
		order{"what is the NAME", "", "(?i)buy milk"}},
	{appliance{domain: "input_button", name: "feeder"}, order{"press the NAME", "20.*", ""}, order{}},
	{appliance{domain: "script", name: "routine", config: "sequence: [{delay: 5}]"},
		order{"run the NAME", "current=1", ""}, order{}},
}

// helps reports whether a thing is Home Assistant's own, and not on the broker.
func (s *thing) helps() bool {
	return strings.HasPrefix(s.domain, "input_") || s.domain == "script" || s.domain == "media_player"
}

// playerIn is a media player that is on while the guest mode of its corner is.
const playerIn = `  - platform: universal
    name: %s
    attributes:
      state: input_boolean.%s_guest_mode
    commands:
      turn_on:
        action: input_boolean.turn_on
        target:
          entity_id: input_boolean.%[2]s_guest_mode
`

// in is the thing in a corner.
func (s *thing) in(corner string) appliance {
	d := s.appliance
	d.name = strings.ToUpper(corner[:1]) + corner[1:] + " " + s.name
	d.config = strings.ReplaceAll(d.config, "ID", strings.ReplaceAll(strings.ToLower(d.name), " ", "_"))
	return d
}

// helpersIn is the configuration of those that Home Assistant has itself.
func helpersIn() string {
	var text strings.Builder
	for _, s := range things {
		if !s.helps() {
			continue
		}
		fmt.Fprintf(&text, "%s:\n", s.domain)
		for _, c := range corners {
			d := s.in(c)
			if s.domain == "media_player" {
				fmt.Fprintf(&text, playerIn, d.name, c)
				continue
			}
			_, id, _ := strings.Cut(d.entity(), ".")
			name := map[bool]string{true: "alias", false: "name"}[s.domain == "script"]
			fmt.Fprintf(&text, "  %s:\n    %s: %s\n", id, name, d.name)
			if d.config != "" {
				fmt.Fprintf(&text, "    %s\n", d.config)
			}
		}
	}
	return text.String()
}

// mute is a voice that says nothing at once, so that hundreds of answers take no time.
func mute(t *testing.T) []string {
	path := filepath.Join(t.TempDir(), "nothing.wav")
	f, err := os.Create(path)
	check(t, err)
	check(t, audio.EncodeWAV(f, audio.Chunk{Samples: make([]int16, audio.Rate/50), Rate: audio.Rate}))
	check(t, f.Close())
	return []string{"HEARTHD_TTS_ENGINE=command", "HEARTHD_TTS_COMMAND_ARGV=cat " + path}
}

// does reports whether a sentence about a device did or told what it should.
func (k *kitchen) does(see *sightings, d appliance, o order) bool {
	k.t.Helper()
	see.act()
	text := strings.ReplaceAll(o.text, "NAME", strings.ToLower(d.name))
	turn := k.ask(text)
	asked := turn.Question
	if asked != "" {
		turn = k.agree(asked)
	}
	ok := turn.Outcome == "answered" && turn.Route == "intent" && (o.says == "" || matches(o.says, turn.Answer))
	for _, u := range turn.Tools {
		ok = ok && u.Outcome == "ok"
	}
	attribute, want, has := strings.Cut(o.shows, "=")
	if !has {
		attribute, want = "", o.shows
	}
	if ok && want != "" {
		ok = see.gives(d.entity(), attribute, want)
	}
	if !ok {
		k.t.Errorf("%q: %q by %s %s, asked %q; it shows %s", text, turn.Answer, turn.Route, turn.Intent, asked,
			see.shown(d.entity(), attribute))
	}
	return ok
}

// TestRealHouseOfThreeHundred has a device of every domain in each of twelve corners, and speaks of each by its name.
func TestRealHouseOfThreeHundred(t *testing.T) {
	a := newAssist(t, helpersIn())
	b := newMosquitto(t, t.TempDir())
	a.joins(b)
	var all []appliance
	for _, s := range things {
		var some []appliance
		for _, c := range corners {
			some = append(some, s.in(c))
		}
		if !s.helps() {
			announce(b, some)
		}
		all = append(all, some...)
	}
	if a.has(all); len(all) < 300 {
		t.Fatalf("%d devices", len(all))
	}
	k := served(t, a, a.grants("hearthd"), mute(t)...) // which may wait for other tests first
	begun := time.Now()
	see := a.watches()
	k.until("the devices", func() bool { return k.ask("turn off the sauna plug").Answer == "The sauna plug is off." })
	t.Logf("%d devices, known %v after the start", len(all), time.Since(begun).Round(time.Millisecond))
	begun = time.Now()
	asked := 0
	for _, s := range things {
		right := map[string]int{}
		for _, c := range corners {
			for _, o := range []order{s.control, s.read} {
				if o.text == "" {
					continue
				}
				asked++
				if k.does(see, s.in(c), o) {
					right[o.text]++
				}
			}
		}
		for _, o := range slices.DeleteFunc([]order{s.control, s.read}, func(o order) bool { return o.text == "" }) {
			t.Logf("%s | %s | %d of %d", s.domain, o.text, right[o.text], len(corners))
		}
	}
	took := time.Since(begun)
	t.Logf("%d sentences in %v, %v each", asked, took.Round(time.Second), (took / time.Duration(asked)).Round(time.Millisecond))
}
