package discovery

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// shapes are houses of n documents each, by what is large in them.
var shapes = map[string]func(i int) (topic, payload string){
	"small": func(i int) (string, string) {
		return fmt.Sprintf("homeassistant/switch/n%d/config", i),
			fmt.Sprintf(`{"name":"Plug %d","command_topic":"p/%d/set","state_topic":"p/%d","value_template":"{{ `+
				`value_json.state }}"}`, i, i, i)
	},
	"lights": func(i int) (string, string) {
		return fmt.Sprintf("homeassistant/light/n%d/config", i),
			fmt.Sprintf(`{"name":"L %d","schema":"template","command_topic":"p/%d/set","state_topic":"p/%d",`+
				`"command_on_template":"on{{ brightness }}%d","command_off_template":"off%d","state_template":"{{ `+
				`value_json.state }}","red_template":"{{ value_json.r }}","green_template":"{{ value_json.g }}",`+
				`"blue_template":"{{ value_json.b }}"}`, i, i, i, i, i)
	},
	"junk": func(i int) (string, string) {
		return fmt.Sprintf("homeassistant/switch/n%d/config", i),
			fmt.Sprintf(`{"name":"Plug %d","command_topic":"p/%d/set","junk":"%s"}`, i, i, strings.Repeat("j", 50_000))
	},
	"lists of junk": func(i int) (string, string) {
		return fmt.Sprintf("homeassistant/switch/n%d/config", i),
			fmt.Sprintf(`{"name":"Plug %d","command_topic":"p/%d/set","junk":[%s1]}`, i, i, strings.Repeat(`{},`, 10_000))
	},
	"junk of a number": func(i int) (string, string) {
		return fmt.Sprintf("homeassistant/number/n%d/config", i),
			fmt.Sprintf(`{"name":"N %d","command_topic":"p/%d/set","junk":[%s1],"more":{%s"z":[]}}`, i, i,
				strings.Repeat(`1,[],{},"",`, 3_000), strings.Repeat(`"\u0000":0,`, 3_000))
	},
	"ones": func(i int) (string, string) {
		return fmt.Sprintf("homeassistant/number/n%d/config", i),
			fmt.Sprintf(`{"name":"N %d","command_topic":"p/%d/set","junk":[%s1]}`, i, i, strings.Repeat(`1,`, 16_500))
	},
	"keys": func(i int) (string, string) {
		var keys strings.Builder
		for k := range 4000 {
			fmt.Fprintf(&keys, `"%d":{"":""},`, k)
		}
		return fmt.Sprintf("homeassistant/number/n%d/config", i),
			fmt.Sprintf(`{"name":"N %d","command_topic":"p/%d/set",%s"x":1}`, i, i, keys.String())
	},
	"payloads": func(i int) (string, string) {
		return fmt.Sprintf("homeassistant/cover/n%d/config", i),
			fmt.Sprintf(`{"name":"C %d","command_topic":"p/%d/set","payload_open":"%s","set_position_topic":"x"}`, i, i,
				strings.Repeat("p", 50_000))
	},
	"templates": func(i int) (string, string) {
		return fmt.Sprintf("homeassistant/sensor/n%d/config", i),
			fmt.Sprintf(`{"name":"S %d","state_topic":"p/%d","value_template":"%s%d"}`, i, i, strings.Repeat("{{1+1}}", 500), i)
	},
	"places": func(i int) (string, string) {
		places := strings.TrimSuffix(strings.Repeat(fmt.Sprintf(`{"topic":"a/%d"},`, i), 20), ",")
		parts := strings.TrimSuffix(strings.Repeat(`"%d":{"p":"switch","cmd_t":"x"},`, 200), ",")
		for j := range 200 {
			parts = strings.Replace(parts, "%d", fmt.Sprint(j), 1)
		}
		return fmt.Sprintf("homeassistant/device/n%d/config", i), `{"avty":[` + places + `],"cmps":{` + parts + `}}`
	},
	"options": func(i int) (string, string) {
		return fmt.Sprintf("homeassistant/select/n%d/config", i),
			fmt.Sprintf(`{"name":"S %d","command_topic":"p/%d","options":[%s"x"]}`, i, i, strings.Repeat(`"option",`, 190))
	},
	"options that are numbers": func(i int) (string, string) {
		return fmt.Sprintf("homeassistant/select/n%d/config", i),
			fmt.Sprintf(`{"name":"S %d","command_topic":"p/%d","options":[%s1]}`, i, i, strings.Repeat("1e199,", 199))
	},
	"payloads that are numbers": func(i int) (string, string) {
		return fmt.Sprintf("homeassistant/lock/n%d/config", i),
			fmt.Sprintf(`{"name":"L %d","command_topic":"p/%d","state_topic":"p","payload_lock":1e307,`+
				`"payload_unlock":2e307,"payload_open":3e307,`+
				`"state_locked":4e307,"state_unlocked":5e307,"state_locking":6e307,"state_unlocking":7e307,`+
				`"state_jammed":8e307,"state_open":9e307,"state_opening":1e308}`, i, i)
	},
	"modes of a thermostat": func(i int) (string, string) {
		return fmt.Sprintf("homeassistant/climate/n%d/config", i),
			fmt.Sprintf(`{"name":"T %d","mode_cmd_t":"p/%d","modes":[%[3]s],"fan_mode_cmd_t":"f/%[2]d",`+
				`"fan_modes":[%[3]s],"swing_mode_cmd_t":"s","swing_modes":[%[3]s],"pr_mode_cmd_t":"r","pr_modes":[%[3]s]}`,
				i, i, strings.TrimSuffix(strings.Repeat("1e199,", 199), ","))
	},
	"effects of a light": func(i int) (string, string) {
		return fmt.Sprintf("homeassistant/light/n%d/config", i),
			fmt.Sprintf(`{"name":"L %d","schema":"json","cmd_t":"p/%d","stat_t":"p/%d","effect":true,`+
				`"effect_list":[%s"x"],"supported_color_modes":[%s"rgb"]}`, i, i, i,
				strings.Repeat(`-1e198,true,`, 100), strings.Repeat(`"onoff",`, 3000))
	},
	"boards of many parts": func(i int) (string, string) {
		parts := strings.TrimSuffix(strings.Repeat("2,", 64), ",")
		return fmt.Sprintf("tasmota/discovery/%012X/config", i),
			fmt.Sprintf(`{"mac":"%012X","dn":"T","t":"t%[2]d%[3]s","ft":"%%prefix%%/%%topic%%/","tp":["cmnd","stat",`+
				`"tele"],"state":["OFF","ON"],"ofln":"%[4]s","onln":"%[4]s","rl":[%[5]s],"swc":[%[5]s],"fn":[]}`, i, i,
				strings.Repeat("t", 400), strings.Repeat("o", 20_000), parts)
	},
	"boards of coloured lights": func(i int) (string, string) { return boardOf(i, "2", `,"lk":1,"lt_st":5,"so":{"20":0}`) },
	"boards of shutters":        func(i int) (string, string) { return boardOf(i, "3", `,"sht":[[-90,90,1],[-90,90,1]]`) },
	"refused": func(i int) (string, string) {
		return fmt.Sprintf("homeassistant/switch/n%d/config", i), `{"name":"x","command_topic":"a/#","junk":"` +
			strings.Repeat("j", 100_000) + `"}`
	},
	"refused templates": func(i int) (string, string) {
		return fmt.Sprintf("homeassistant/sensor/n%d/config", i),
			fmt.Sprintf(`{"state_topic":"#","value_template":"%s%d"}`, strings.Repeat("{{1+1}}", 500), i)
	},
	"Tasmota": func(i int) (string, string) {
		return fmt.Sprintf("tasmota/discovery/%012X/config", i),
			fmt.Sprintf(`{"mac":"%012X","dn":"T","t":"t%d","ft":"%%prefix%%/%%topic%%/","tp":["cmnd","stat","tele"],`+
				`"state":["OFF","ON"],"ofln":"Offline","onln":"Online","rl":[1],"junk":"%s"}`, i, i, strings.Repeat("j", 50_000))
	},
	"refused Tasmota": func(i int) (string, string) {
		return fmt.Sprintf("tasmota/discovery/%012X/config", i), `{"mac":"x","junk":"` + strings.Repeat("j", 100_000) + `"}`
	},
	"Tasmota's sensors": func(i int) (string, string) {
		return fmt.Sprintf("tasmota/discovery/%012X/sensors", i), `{"sn":{"X":{` + strings.Repeat(`"a":1,`, 10_000) +
			`"b":1}}}`
	},
}

// boardOf describes a Tasmota whose relays are all of a kind.
func boardOf(i int, relay, more string) (topic, payload string) {
	relays := strings.TrimSuffix(strings.Repeat(relay+",", 64), ",")
	return fmt.Sprintf("tasmota/discovery/%012X/config", i), fmt.Sprintf(`{"mac":"%012X","dn":"T","t":"t%[1]d",`+
		`"ft":"%%prefix%%/%%topic%%/","tp":["cmnd","stat","tele"],"state":["OFF","ON"],"ofln":"Offline","onln":"Online",`+
		`"rl":[%[2]s]%[3]s}`, i, relays, more)
}

// Whatever is published, the heap grows by no more than the house is said to weigh.
func TestWeightsCoverWhatIsKept(t *testing.T) {
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			h, _ := newHub(t)
			before := heap()
			for i := range 40 {
				topic, payload := shape(i)
				hear(h, topic, []byte(payload))
			}
			grown := heap() - before
			if most := int64(h.house.size) + 256<<10; grown > most {
				t.Errorf("%d bytes are kept, but %d are counted", grown, h.house.size)
			}
			t.Logf("%d kB are kept, %d kB are counted, %d devices", grown>>10, h.house.size>>10, len(h.Entities()))
			for i := range 40 {
				topic, _ := shape(i)
				hear(h, topic, nil)
			}
			if h.house.size != 0 || len(h.house.templates) != 0 || len(h.house.topics) != 0 || len(h.house.boards) != 0 ||
				len(h.house.sums) != 0 {
				t.Errorf("of nothing, %d bytes, %d templates, %d topics and %d boards are left", h.house.size,
					len(h.house.templates), len(h.house.topics), len(h.house.boards))
			}
			runtime.KeepAlive(h)
		})
	}
}

// A house of junk stays within its budget, and what came before it is still there.
func TestHouseHasOneBudget(t *testing.T) {
	h, _ := newHub(t)
	topic, payload := shapes["small"](0)
	hear(h, topic, []byte(payload))
	h.house.size += maxHouse - 1<<20 // as other documents would
	for i := range 40 {
		topic, payload := shapes["junk"](i + 1)
		hear(h, topic, []byte(payload))
		topic, payload = shapes["Tasmota"](i)
		hear(h, topic, []byte(payload))
	}
	if h.house.size > maxHouse {
		t.Errorf("%d bytes", h.house.size)
	}
	if _, there := h.Entity("switch/n0"); !there {
		t.Error("the house is gone")
	}
	if s := h.Skipped(); len(s) == 0 || !strings.Contains(s[0], "need more than") {
		t.Errorf("%q", s)
	}
}
