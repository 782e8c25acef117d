package contract

import "slices"

// more are the keys of an entity beside its topics.
type more = map[string]any

// Templates for Home Assistant, which drops a state of more than 255 characters.
const (
	asText      = `{"text": {{ value | tojson }}}`
	turnEvent   = `{"event_type": {{ value_json.outcome | tojson }}, "route": {{ value_json.route | tojson }}, "intent": {{ value_json.intent | default('') | tojson }}, "source": {{ value_json.source | tojson }}}`
	timerEvent  = `{"event_type": {{ value_json.type | tojson }}, "kind": {{ (value_json.timer | default({})).kind | default('') | tojson }}, "label": {{ (value_json.timer | default({})).label | default('') | tojson }}, "reason": {{ value_json.reason | default('') | tojson }}}`
	versions    = `{"installed_version": {{ value_json.version | tojson }}, "latest_version": {{ value_json.installed | tojson }}}`
	timersAsMap = `{"timers": {{ value }}}`
)

// entities are those of d. An entity whose command d does not obey is left out.
func (d *Device) entities() []entity {
	list := slices.Concat(d.activity(), d.settings(), d.buttons(), d.diagnostics())
	return slices.DeleteFunc(list, func(e entity) bool { return e.sets != "" && !d.obeys(e.sets) })
}

// activity is what the box does and hears.
func (d *Device) activity() []entity {
	list := []entity{
		{"state", "sensor", "State", State, "", "", more{"device_class": "enum", "icon": "mdi:account-voice",
			"options": []string{"starting", "idle", "listening", "thinking", "tool_calling", "speaking", "muted", "faulted"}}},
		{"route", "sensor", "Last route", Route, "", "", more{"icon": "mdi:directions-fork", "entity_category": "diagnostic",
			"value_template": "{{ value_json.route | default('none') }}", "json_attributes_topic": attributesOf(Route)}},
		{"latency", "sensor", "Response time", Route, "", "", more{"device_class": "duration", "unit_of_measurement": "ms", "state_class": "measurement",
			"entity_category": "diagnostic", "value_template": "{{ value_json.first_sound_ms | default(None) }}"}},
		{"awake", "binary_sensor", "Awake", Awake, "", "", more{"icon": "mdi:ear-hearing"}},
		{"speech", "binary_sensor", "Speech", Speech, "", "", more{"device_class": "sound"}},
		{"problem", "binary_sensor", "Problem", Health, "", "", more{"device_class": "problem", "entity_category": "diagnostic",
			"value_template": "{{ 'OFF' if value_json.ok else 'ON' }}", "json_attributes_topic": attributesOf(Health)}},
		{"next_timer", "sensor", "Next timer", NextTimer, "", "", more{"device_class": "timestamp",
			"value_template": "{{ value_json.ends | default(None) }}", "json_attributes_topic": attributesOf(NextTimer)}},
		{"timers", "sensor", "Timers", Timers, "", "", more{"icon": "mdi:timer-outline", "state_class": "measurement",
			"value_template": "{{ value_json | length }}", "json_attributes_topic": attributesOf(Timers), "json_attributes_template": timersAsMap}},
		{"timer", "event", "Timer", Event, "", "", more{"event_types": []string{"timer_fired", "ring_resumed", "ring_ended"}, "value_template": timerEvent, "icon": "mdi:timer-alert-outline"}},
		{"turn", "event", "Turn", Turn, "", "", more{"event_types": []string{"answered", "failed", "interrupted", "superseded", "stopped"}, "value_template": turnEvent, "icon": "mdi:message-text-outline"}},
	}
	if d.Transcripts {
		const only = "`log.transcripts`"
		list = append(list,
			entity{"transcript", "sensor", "Last request", Turn, "", only, more{"icon": "mdi:comment-question-outline", "value_template": "{{ (value_json.transcript | default(''))[:255] }}"}},
			entity{"answer", "sensor", "Last answer", Turn, "", only, more{"icon": "mdi:comment-text-outline", "value_template": "{{ (value_json.answer | default(''))[:255] }}"}},
		)
	}
	return list
}

// settings keep their value until somebody changes it.
func (d *Device) settings() []entity {
	list := []entity{
		{"mute", "switch", "Microphone off", Mute, Mute, "", more{"icon": "mdi:microphone-off"}},
		{"dnd", "switch", "Do not disturb", DND, DND, "", more{"icon": "mdi:bell-off-outline"}},
		{"volume", "number", "Volume", Volume, Volume, "", more{"min": 0, "max": 100, "step": 1, "unit_of_measurement": "%", "mode": "slider", "icon": "mdi:volume-high"}},
	}
	if len(d.Words) > 1 {
		list = append(list, entity{"wake", "select", "Wake word", WakeWord, WakeWord, "there is more than one", more{"options": d.Words, "entity_category": "config", "icon": "mdi:account-voice"}})
	}
	if len(d.Policies) > 1 {
		list = append(list, entity{"policy", "select", "Route policy", Policy, Route, "there is a responder", more{"options": d.Policies, "entity_category": "config", "icon": "mdi:cloud-outline"}})
	}
	return list
}

// buttons are commands that are carried out once, with or without a text.
func (d *Device) buttons() []entity {
	press := func(icon string) more { return more{"payload_press": On, "icon": icon} }
	return []entity{
		{"say", "text", "Say", "", Say, "", more{"max": 255, "command_template": asText, "icon": "mdi:bullhorn-outline"}},
		{"ask", "text", "Ask", "", Ask, "", more{"max": 255, "command_template": asText, "icon": "mdi:comment-question"}},
		{"announce", "notify", "Announce", "", Announce, "", more{"command_template": asText}},
		{"stop", "button", "Stop", "", Stop, "", press("mdi:stop")},
		{"listen", "button", "Listen", "", Listen, "", press("mdi:microphone")},
		{"repeat", "button", "Repeat", "", Repeat, "", press("mdi:repeat")},
		{"restart", "button", "Restart", "", Restart, "`mqtt.commands` names it", more{"payload_press": On, "device_class": "restart", "entity_category": "config"}},
	}
}

// diagnostics are measurements of the box itself.
func (d *Device) diagnostics() []entity {
	vital := func(id, name, field, only string, m more) entity {
		m["entity_category"], m["value_template"] = "diagnostic", "{{ value_json."+field+" | default(None) }}"
		return entity{id, "sensor", name, Vitals, "", only, m}
	}
	update := entity{"version", "update", "Version", About, "", "", more{"entity_category": "diagnostic", "value_template": versions, "title": "hearthd"}}
	if d.obeys(Restart) {
		update.sets = Restart
		update.more["payload_install"] = On
	}
	list := []entity{
		update,
		vital("memory", "Memory", "memory_mb", "", more{"device_class": "data_size", "unit_of_measurement": "MB", "state_class": "measurement"}),
		vital("cpu", "Processor", "cpu_percent", "", more{"unit_of_measurement": "%", "state_class": "measurement", "icon": "mdi:chip"}),
		vital("dropped", "Samples dropped", "dropped", "", more{"state_class": "total_increasing", "icon": "mdi:microphone-question"}),
		vital("broker", "Broker round trip", "broker_ms", "", more{"device_class": "duration", "unit_of_measurement": "ms", "state_class": "measurement"}),
	}
	if d.Currency != "" {
		spent := func(id, name string) entity {
			return vital(id, name, id, "there is a responder", more{"device_class": "monetary", "unit_of_measurement": d.Currency, "state_class": "total"})
		}
		list = append(list, spent("spent_today", "Spent today"), spent("spent_month", "Spent this month"))
	}
	if d.Temperature {
		list = append(list, vital("temperature", "Temperature", "temperature_c", "the box has a thermometer", more{"device_class": "temperature", "unit_of_measurement": "°C", "state_class": "measurement"}))
	}
	return list
}
