package discovery

import (
	"maps"

	"hearthd/tools/home"
	"hearthd/tools/home/template"
)

// command is a payload that is left out where the document says null.
func (b *builder) command(key, otherwise string) string {
	if v, given := b.config[key]; given && v == nil {
		return ""
	}
	return b.str(key, otherwise)
}

func cover(b *builder) {
	closed, open := b.num("position_closed", 0), b.num("position_open", 100)
	place := field("position", scaled(closed, open))
	b.read("position_topic", home.Position, b.tmpl("position_template"), place)
	if b.topic("position_topic") != "" {
		b.fromPosition(place)
	}
	b.read("state_topic", home.Main, b.tmpl("value_template"), words(map[string]string{
		b.str("state_open", "open"): "open", b.str("state_opening", "opening"): "opening",
		b.str("state_closed", "closed"): "closed", b.str("state_closing", "closing"): "closing",
		b.str("state_stopped", "stopped"): "stopped",
	}))
	if b.topic("position_topic") != "" {
		b.listen("state_topic", stoppedSomewhere)
	}
	b.send("command_topic", home.Main, nil, payloads(map[string]string{
		"open": b.command("payload_open", "OPEN"), "closed": b.command("payload_close", "CLOSE"),
		"stopped": b.command("payload_stop", "STOP"),
	}))
	if b.topic("command_topic") == "" { // Tasmota's have one topic for each
		b.jobs(home.Main, map[string]job{
			"open": {topicKey: "open_command_topic"}, "closed": {topicKey: "close_command_topic"},
			"stopped": {topicKey: "stop_command_topic"},
		})
	}
	b.position("set_position_topic", home.Position, b.tmpl("set_position_template"), closed, open)
	least, most := b.num("tilt_min", 0), b.num("tilt_max", 100)
	b.read("tilt_status_topic", home.Tilt, b.tmpl("tilt_status_template"), scaled(least, most))
	b.position("tilt_command_topic", home.Tilt, b.tmpl("tilt_command_template"), least, most)
}

// fromPosition makes a cover that only reports its position report whether it is open. One that can
// also report a state may not have done so yet: Tasmota's old documents name a topic on which it
// never comes.
func (b *builder) fromPosition(take func(string) (any, error)) {
	b.e.Reports[home.Main] = true
	toldElse, t, told := b.topic("state_topic") != "", b.tmpl("position_template"), ""
	b.listen("position_topic", func(m template.Message, s home.State) error {
		if now, _ := s[home.Main].(string); toldElse && now != told {
			return nil
		}
		text, err := value(t, m)
		if err != nil || text == "" || text == "None" {
			return err
		}
		p, err := take(text)
		if err != nil {
			return err
		}
		told = openAt(p)
		s[home.Main] = told
		return nil
	})
}

// openAt says whether what is at p percent is open.
func openAt(p any) string {
	if p == 0.0 {
		return "closed"
	}
	return "open"
}

// stoppedSomewhere makes "stopped" report whether the cover is open, as Home Assistant does where
// there is a position.
func stoppedSomewhere(_ template.Message, s home.State) error {
	if p, ok := s[home.Position].(float64); ok && s[home.Main] == "stopped" {
		s[home.Main] = openAt(p)
	}
	return nil
}

// position makes a position between closed and open settable; the template knows percent as
// position and the device's own unit as value.
func (b *builder) position(topicKey string, key home.Key, t *tmpl, closed, open float64) {
	known := map[string]any{
		"position_open": int(b.num("position_open", 100)), "position_closed": int(b.num("position_closed", 0)),
		"tilt_min": int(b.num("tilt_min", 0)), "tilt_max": int(b.num("tilt_max", 100)),
	}
	percent := map[home.Key]string{home.Position: "position", home.Tilt: "tilt_position"}[key]
	b.sendWith(topicKey, key, t, func(v any) (vars map[string]any, err error) {
		vars = maps.Clone(known)
		if vars["value"], err = asNumber(closed, open)(v); err != nil {
			return nil, err
		}
		vars[percent], err = asNumber(0, 100)(v)
		return vars, err
	})
}

// valve is a cover of water or gas, whose command may be its position, and whose
// state may be JSON. ESPHome's have topics for their position, as covers do.
func valve(b *builder) {
	closed, open := b.num("position_closed", 0), b.num("position_open", 100)
	positional := b.flag("reports_position", false)
	states := words(map[string]string{
		b.str("state_open", "open"): "open", b.str("state_opening", "opening"): "opening",
		b.str("state_closed", "closed"): "closed", b.str("state_closing", "closing"): "closing",
	})
	place, t := scaled(closed, open), b.tmpl("value_template")
	b.read("state_topic", home.Main, t, field("state", func(text string) (any, error) {
		if p, err := place(text); err == nil {
			return openAt(p), nil
		}
		return states(text)
	}))
	if positional {
		b.read("state_topic", home.Position, t, field("position", func(text string) (any, error) {
			p, err := place(text)
			if err != nil { // it is a word
				err = errNothing
			}
			return p, err
		}))
	}
	b.read("position_topic", home.Position, b.tmpl("position_template"), place)
	b.position("set_position_topic", home.Position, b.tmpl("set_position_template"), closed, open)
	commands := map[string]string{
		"open": b.command("payload_open", "OPEN"), "closed": b.command("payload_close", "CLOSE"),
		"stopped": b.command("payload_stop", ""),
	}
	t = b.tmpl("command_template")
	if positional {
		b.position("command_topic", home.Position, t, closed, open)
		commands["open"], commands["closed"] = textOf(open), textOf(closed)
	}
	if !positional || commands["stopped"] != "" {
		b.send("command_topic", home.Main, t, payloads(commands))
	}
}
