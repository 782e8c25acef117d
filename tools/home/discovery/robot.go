package discovery

import (
	"encoding/json"

	"hearthd/tools/home"
	"hearthd/tools/home/template"
)

// vacuum reads the JSON of its state: state, battery_level, fan_speed.
func vacuum(b *builder) {
	if topic := b.topic("state_topic"); topic != "" {
		b.e.Reports[home.Main] = true
		t := b.tmpl("value_template")
		b.e.reads = append(b.e.reads, read{topic, func(m template.Message, s home.State) error {
			text, err := value(t, m)
			if err != nil || text == "" {
				return err
			}
			var o struct {
				State   string   `json:"state"`
				Battery *float64 `json:"battery_level"`
				Speed   any      `json:"fan_speed"`
			}
			if err := json.Unmarshal([]byte(text), &o); err != nil {
				o.State = text
			}
			if len(o.State) > maxText {
				return errValue
			}
			if o.State != "" {
				s[home.Main] = o.State
			}
			if o.Battery != nil {
				s[home.Battery] = *o.Battery
			}
			if v := textOf(o.Speed); o.Speed != nil && len(v) <= maxText {
				s[home.FanMode] = v
			}
			return nil
		}})
	}
	b.send("command_topic", home.Main, nil, payloads(map[string]string{
		"cleaning": b.str("payload_start", "start"), "paused": b.str("payload_pause", "pause"), "stopped": b.str("payload_stop", "stop"),
		"returning": b.str("payload_return_to_base", "return_to_base"),
	}))
	if b.topic("set_fan_speed_topic") != "" {
		b.e.Options[home.FanMode] = b.list("fan_speed_list")
		b.e.Reports[home.FanMode] = b.e.Reports[home.Main]
		b.send("set_fan_speed_topic", home.FanMode, nil, asIs)
	}
}

// lawnMower has a topic of its own for each of its commands.
func lawnMower(b *builder) {
	b.read("activity_state_topic", home.Main, b.tmpl("activity_value_template"), plainText)
	type job struct{ topic, tmpl, value string }
	jobs := map[string]job{
		"mowing": {"start_mowing_command_topic", "start_mowing_command_template", "start_mowing"},
		"paused": {"pause_command_topic", "pause_command_template", "pause"}, "returning": {"dock_command_topic", "dock_command_template", "dock"},
	}
	topics := map[string]string{}
	tmpls := map[string]*tmpl{}
	for state, j := range jobs {
		topics[state], tmpls[state] = b.topic(j.topic), b.tmpl(j.tmpl)
		b.e.Can[home.Main] = b.e.Can[home.Main] || topics[state] != ""
	}
	b.e.compose = func(want, _ home.State) ([]message, error) {
		state, _ := want[home.Main].(string)
		if topics[state] == "" {
			return nil, errWant
		}
		text := jobs[state].value
		if t := tmpls[state]; t != nil {
			var err error
			if text, err = t.Command(map[string]any{"value": text}); err != nil {
				return nil, err
			}
		}
		return []message{{topics[state], text}}, nil
	}
}
