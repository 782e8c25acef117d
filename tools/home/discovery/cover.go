package discovery

import (
	"encoding/json"
	"maps"
	"strings"

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
	b.read("position_topic", home.Position, b.tmpl("position_template"), placed(closed, open))
	if b.topic("position_topic") != "" {
		b.fromPosition(closed, open, b.topic("state_topic") != "")
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
// One that also tells a state may have told none yet: Tasmota's old documents
// name a topic where there never is one.
func (b *builder) fromPosition(closed, open float64, toldElse bool) {
	b.e.Reports[home.Main] = true
	take, t, told := placed(closed, open), b.tmpl("position_template"), ""
	b.e.reads = append(b.e.reads, read{b.topic("position_topic"), func(m template.Message, s home.State) error {
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
	}})
}

// placed takes a position, which may stand in an object.
func placed(closed, open float64) func(string) (any, error) {
	take := scaled(closed, open)
	return func(text string) (any, error) {
		var o struct{ Position *float64 }
		if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &o) == nil && o.Position != nil {
			text = textOf(*o.Position)
		}
		return take(text)
	}
}

// openAt says whether what is at p percent is open.
func openAt(p any) string {
	if p == 0.0 {
		return "closed"
	}
	return "open"
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
			s[home.Main] = openAt(p)
		}
		return nil
	}})
}

// position has a place between closed and open set; the template knows percent
// as position and what the device counts as value.
func (b *builder) position(topicKey string, key home.Key, t *tmpl, closed, open float64) {
	topic := b.topic(topicKey)
	if topic == "" {
		return
	}
	b.e.Can[key] = true
	known := map[string]any{
		"position_open": int(b.num("position_open", 100)), "position_closed": int(b.num("position_closed", 0)),
		"tilt_min": int(b.num("tilt_min", 0)), "tilt_max": int(b.num("tilt_max", 100)),
	}
	b.e.senders[key] = sender{topic, func(v any) (string, error) {
		n, err := asNumber(closed, open)(v)
		if err != nil || t == nil {
			return textOf(n), err
		}
		percent, _ := asNumber(0, 100)(v)
		vars := maps.Clone(known)
		vars["value"] = n
		if key == home.Tilt {
			vars["tilt_position"] = percent
		} else {
			vars["position"] = percent
		}
		return t.Command(vars)
	}}
}

// valve is a cover of water or gas, whose command may be its position, and whose
// state may be JSON. ESPHome's have topics for their position, as covers do.
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
		if positional {
			b.e.Reports[home.Position] = true
		}
		b.e.reads = append(b.e.reads, read{topic, func(m template.Message, s home.State) error {
			text, err := value(t, m)
			if err != nil || text == "" {
				return err
			}
			return valveState(text, s, states, place)
		}})
	}
	b.read("position_topic", home.Position, b.tmpl("position_template"), place)
	b.position("set_position_topic", home.Position, b.tmpl("set_position_template"), closed, open)
	t = b.tmpl("command_template")
	if positional {
		b.position("command_topic", home.Position, t, closed, open)
		if topic := b.topic("command_topic"); topic != "" {
			if stop := b.command("payload_stop", ""); stop != "" {
				b.send("command_topic", home.Main, t, payloads(map[string]string{"stopped": stop, "open": textOf(open), "closed": textOf(closed)}))
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
		s[home.Main] = openAt(p)
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
