package discovery

import (
	"encoding/json"
	"strings"
	"time"

	"hearthd/tools/home"
)

// platforms make the entities of the components that a person can use. The
// defaults of payloads and states are Home Assistant's.
var platforms = map[string]func(*builder){
	"alarm_control_panel": alarm,
	"binary_sensor":       binarySensor,
	"button":              button,
	"climate":             climate,
	"cover":               cover,
	"date":                textual, "datetime": textual, "text": textual, "time": textual,
	"device_tracker": tracker,
	"event":          event,
	"fan":            fan,
	"humidifier":     humidifier,
	"lawn_mower":     lawnMower,
	"light":          light,
	"lock":           lock,
	"notify":         textual,
	"number":         number,
	"scene":          scene,
	"select":         selection,
	"sensor":         sensor,
	"siren":          siren,
	"switch":         toggle,
	"update":         update,
	"vacuum":         vacuum,
	"valve":          valve,
	"water_heater":   waterHeater,
}

// unspoken are components that Home Assistant knows and a person cannot use by
// voice.
var unspoken = map[string]bool{"camera": true, "device_automation": true, "image": true, "infrared": true, "tag": true}

// onOff has Main switched and read, by the payloads of keys on and off.
func (b *builder) onOff(stateTmpl *tmpl) {
	on, off := b.str("payload_on", "ON"), b.str("payload_off", "OFF")
	b.read("state_topic", home.Main, stateTmpl, words(map[string]string{b.str("state_on", on): "on", b.str("state_off", off): "off"}))
	b.send("command_topic", home.Main, b.tmpl("command_template"), payloads(map[string]string{"on": on, "off": off}))
}

func toggle(b *builder) { b.onOff(b.tmpl("value_template", "state_value_template")) }

// siren sends JSON unless it has a template, and reads JSON or a word. To be
// silent it may have a template of its own.
func siren(b *builder) {
	on, off := b.str("payload_on", "ON"), b.str("payload_off", "OFF")
	states := words(map[string]string{b.str("state_on", on): "on", b.str("state_off", off): "off"})
	b.read("state_topic", home.Main, b.tmpl("state_value_template", "value_template"), func(text string) (any, error) {
		var o struct{ State string }
		if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &o) == nil {
			text = o.State
		}
		return states(text)
	})
	topic, t := b.topic("command_topic"), b.tmpl("command_template")
	if topic == "" {
		return
	}
	silent := b.tmpl("command_off_template", "command_template")
	b.e.Can[home.Main] = true
	b.e.senders[home.Main] = sender{topic, func(v any) (string, error) {
		p, err := payloads(map[string]string{"on": on, "off": off})(v)
		switch {
		case err != nil:
			return "", err
		case v == "off" && silent != nil:
			return silent.Command(map[string]any{"value": p})
		case t != nil:
			return t.Command(map[string]any{"value": p})
		}
		data, err := json.Marshal(map[string]any{"state": p})
		return string(data), err
	}}
}

func sensor(b *builder) {
	b.e.expires = time.Duration(max(b.num("expire_after", 0), 0)) * time.Second
	take := plainText
	if b.e.Unit != "" {
		take = func(text string) (any, error) {
			if v, err := numeric(text); err == nil {
				return v, nil
			}
			return plainText(text)
		}
	}
	b.read("state_topic", home.Main, b.tmpl("value_template"), take)
}

func binarySensor(b *builder) {
	b.e.expires = time.Duration(max(b.num("expire_after", 0), 0)) * time.Second
	b.e.clears = time.Duration(max(b.num("off_delay", 0), 0)) * time.Second
	b.read("state_topic", home.Main, b.tmpl("value_template"), words(map[string]string{b.str("payload_on", "ON"): "on", b.str("payload_off", "OFF"): "off"}))
}

func tracker(b *builder) {
	here, away := b.str("payload_home", "home"), b.str("payload_not_home", "not_home")
	b.read("state_topic", home.Main, b.tmpl("value_template"), func(text string) (any, error) {
		switch text {
		case here:
			return "home", nil
		case away:
			return "away", nil
		}
		return plainText(text)
	})
}

func event(b *builder) {
	b.read("state_topic", home.Main, b.tmpl("value_template"), func(text string) (any, error) {
		var e struct {
			Type string `json:"event_type"`
		}
		if json.Unmarshal([]byte(text), &e) == nil && e.Type != "" {
			return plainText(e.Type)
		}
		return plainText(text)
	})
}

func update(b *builder) {
	b.read("state_topic", home.Main, b.tmpl("value_template"), func(text string) (any, error) {
		var u struct {
			Installed string `json:"installed_version"`
		}
		if json.Unmarshal([]byte(text), &u) == nil && u.Installed != "" {
			return plainText(u.Installed)
		}
		return plainText(text)
	})
}

func button(b *builder) {
	b.send("command_topic", home.Main, b.tmpl("command_template"), payloads(map[string]string{"on": b.str("payload_press", "PRESS")}))
}

func scene(b *builder) {
	b.send("command_topic", home.Main, nil, payloads(map[string]string{"on": b.str("payload_on", "ON")}))
}

func number(b *builder) {
	b.e.Min, b.e.Max, b.e.Step = b.num("min", 1), b.num("max", 100), b.num("step", 1)
	reset := b.str("payload_reset", "None")
	b.read("state_topic", home.Main, b.tmpl("value_template"), func(text string) (any, error) {
		if text == reset {
			return nil, nil
		}
		return numeric(text)
	})
	b.send("command_topic", home.Main, b.tmpl("command_template"), b.stepped())
}

func selection(b *builder) {
	b.e.Options[home.Main] = b.list("options")
	b.read("state_topic", home.Main, b.tmpl("value_template"), plainText)
	b.send("command_topic", home.Main, b.tmpl("command_template"), asIs)
}

func textual(b *builder) {
	b.e.Kind = home.Text
	b.read("state_topic", home.Main, b.tmpl("value_template"), plainText)
	b.send("command_topic", home.Main, b.tmpl("command_template"), asIs)
}

func alarm(b *builder) { b.read("state_topic", home.Main, b.tmpl("value_template"), plainText) }

func lock(b *builder) {
	b.read("state_topic", home.Main, b.tmpl("value_template"), words(map[string]string{
		b.str("state_locked", "LOCKED"): "locked", b.str("state_unlocked", "UNLOCKED"): "unlocked", b.str("state_locking", "LOCKING"): "locking",
		b.str("state_unlocking", "UNLOCKING"): "unlocking", b.str("state_jammed", "JAMMED"): "jammed", b.str("state_open", "OPEN"): "open", b.str("state_opening", "OPENING"): "opening",
	}))
	b.send("command_topic", home.Main, b.tmpl("command_template"), payloads(map[string]string{
		"locked": b.str("payload_lock", "LOCK"), "unlocked": b.str("payload_unlock", "UNLOCK"), "open": b.str("payload_open", ""),
	}))
}
