package discovery

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"hearthd/tools/home"
	"hearthd/tools/home/template"
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
func (b *builder) onOff(stateTmpl *template.Template) {
	on, off := b.str("payload_on", "ON"), b.str("payload_off", "OFF")
	b.read("state_topic", home.Main, stateTmpl, words(map[string]string{b.str("state_on", on): "on", b.str("state_off", off): "off"}))
	b.send("command_topic", home.Main, b.tmpl("command_template"), payloads(map[string]string{"on": on, "off": off}))
}

func toggle(b *builder) { b.onOff(b.tmpl("value_template", "state_value_template")) }

// siren sends JSON unless it has a template, and reads JSON or a word.
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
	t := b.tmpl("command_template")
	b.send("command_topic", home.Main, t, func(v any) (any, error) {
		p, err := payloads(map[string]string{"on": on, "off": off})(v)
		if err != nil || t != nil {
			return p, err
		}
		data, err := json.Marshal(map[string]any{"state": p})
		return string(data), err
	})
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
	b.read("state_topic", home.Main, b.tmpl("value_template"), words(map[string]string{b.str("payload_on", "ON"): "on", b.str("payload_off", "OFF"): "off"}))
}

func tracker(b *builder) {
	b.read("state_topic", home.Main, b.tmpl("value_template"), func(text string) (any, error) {
		switch text {
		case b.str("payload_home", "home"):
			return "home", nil
		case b.str("payload_not_home", "not_home"):
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
	b.read("state_topic", home.Main, b.tmpl("value_template"), numeric)
	b.send("command_topic", home.Main, b.tmpl("command_template"), func(v any) (any, error) {
		if f, ok := v.(float64); ok {
			return asIs(b.stepped(f))
		}
		return nil, errWant
	})
}

// stepped rounds to the steps that the device knows.
func (b *builder) stepped(f float64) float64 {
	if s := b.e.Step; s > 0 {
		return math.Round(math.Round(f/s)*s*1e6) / 1e6
	}
	return f
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

// command is a payload that is left out where the document says null.
func (b *builder) command(key, otherwise string) string {
	if v, given := b.config[key]; given && v == nil {
		return ""
	}
	return b.str(key, otherwise)
}

func cover(b *builder) {
	closed, open := b.num("position_closed", 0), b.num("position_open", 100)
	b.read("position_topic", home.Position, b.tmpl("position_template"), scaled(closed, open))
	if b.topic("position_topic") != "" && b.topic("state_topic") == "" {
		b.fromPosition(closed, open)
	}
	b.read("state_topic", home.Main, b.tmpl("value_template"), words(map[string]string{
		b.str("state_open", "open"): "open", b.str("state_closed", "closed"): "closed", b.str("state_opening", "opening"): "opening",
		b.str("state_closing", "closing"): "closing", b.str("state_stopped", "stopped"): "stopped",
	}))
	b.send("command_topic", home.Main, nil, payloads(map[string]string{
		"open": b.command("payload_open", "OPEN"), "closed": b.command("payload_close", "CLOSE"), "stopped": b.command("payload_stop", "STOP"),
	}))
	b.position("set_position_topic", home.Position, b.tmpl("set_position_template"), closed, open)
	least, most := b.num("tilt_min", 0), b.num("tilt_max", 100)
	b.read("tilt_status_topic", home.Tilt, b.tmpl("tilt_status_template"), scaled(least, most))
	b.position("tilt_command_topic", home.Tilt, b.tmpl("tilt_command_template"), least, most)
	b.knowPosition()
}

// fromPosition has a cover that only tells its position say whether it is open.
func (b *builder) fromPosition(closed, open float64) {
	take := scaled(closed, open)
	b.read("position_topic", home.Main, b.tmpl("position_template"), func(text string) (any, error) {
		p, err := take(text)
		if err != nil {
			return nil, err
		}
		if p == 0.0 {
			return "closed", nil
		}
		return "open", nil
	})
}

// knowPosition has "stopped" say whether what is stopped is open, as Home
// Assistant does where there is a position.
func (b *builder) knowPosition() {
	topic := b.topic("state_topic")
	if topic == "" || b.topic("position_topic") == "" {
		return
	}
	b.e.reads = append(b.e.reads, read{topic, func(_ template.Message, s home.State) error {
		if p, ok := s[home.Position].(float64); ok && s[home.Main] == "stopped" {
			s[home.Main] = map[bool]string{true: "closed", false: "open"}[p == 0]
		}
		return nil
	}})
}

// position has a place between closed and open set; the template knows percent
// as position and what the device counts as value.
func (b *builder) position(topicKey string, key home.Key, t *template.Template, closed, open float64) {
	topic := b.topic(topicKey)
	if topic == "" {
		return
	}
	b.e.Can[key] = true
	b.e.senders[key] = sender{topic, func(v any) (string, error) {
		n, err := asNumber(closed, open)(v)
		if err != nil || t == nil {
			return textOf(n), err
		}
		percent, _ := asNumber(0, 100)(v)
		vars := map[string]any{"value": n, "position_open": int(open), "position_closed": int(closed), "tilt_min": int(closed), "tilt_max": int(open)}
		if key == home.Tilt {
			vars["tilt_position"] = percent
		} else {
			vars["position"] = percent
		}
		return t.Command(vars)
	}}
}

// valve is a cover of water or gas, whose command may be its position, and whose
// state may be JSON.
func valve(b *builder) {
	closed, open := b.num("position_closed", 0), b.num("position_open", 100)
	positional := b.flag("reports_position", false)
	states := words(map[string]string{
		b.str("state_open", "open"): "open", b.str("state_closed", "closed"): "closed", b.str("state_opening", "opening"): "opening", b.str("state_closing", "closing"): "closing",
	})
	t := b.tmpl("value_template")
	place := scaled(closed, open)
	topic := b.topic("state_topic")
	if topic != "" {
		b.e.Reports[home.Main] = true
		b.e.Reports[home.Position] = positional
		b.e.reads = append(b.e.reads, read{topic, func(m template.Message, s home.State) error {
			text, err := value(t, m)
			if err != nil || text == "" {
				return err
			}
			return valveState(text, s, states, place)
		}})
	}
	t = b.tmpl("command_template")
	if positional {
		b.position("command_topic", home.Position, t, closed, open)
		if topic := b.topic("command_topic"); topic != "" {
			if stop := b.command("payload_stop", ""); stop != "" {
				b.send("command_topic", home.Main, nil, payloads(map[string]string{"stopped": stop, "open": textOf(open), "closed": textOf(closed)}))
			}
		}
		return
	}
	b.send("command_topic", home.Main, t, payloads(map[string]string{
		"open": b.command("payload_open", "OPEN"), "closed": b.command("payload_close", "CLOSE"), "stopped": b.command("payload_stop", ""),
	}))
}

func valveState(text string, s home.State, states, place func(string) (any, error)) error {
	var o struct {
		State    string
		Position *float64
	}
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &o) == nil {
		text = o.State
		if o.Position != nil {
			s[home.Position], _ = place(textOf(*o.Position)) // a number is one
		}
	}
	if p, err := place(text); err == nil {
		s[home.Position] = p
		s[home.Main] = map[bool]string{true: "closed", false: "open"}[p == 0.0]
		return nil
	}
	if text == "" {
		return nil
	}
	v, err := states(text)
	if err == nil {
		s[home.Main] = v
	}
	return err
}
