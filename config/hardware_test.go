package config

import (
	"strings"
	"testing"
)

func TestKeysDoWhatTheySayUnlessTheConfigurationSaysOtherwise(t *testing.T) {
	b := Buttons{Actions: []Button{{"KEY_F1", "listen"}, {"mute", "none"}, {"0x246", "stop"}, {"btn_3", "volume_up"}}}
	keys := b.Keys()
	for code, want := range map[uint16]string{115: "volume_up", 114: "volume_down", 248: "mute", 113: "", 59: "listen",
		582: "stop", 0x103: "volume_up", 164: "listen", 30: ""} {
		if keys[code] != want {
			t.Errorf("key %d does %q, want %q", code, keys[code], want)
		}
	}
}

func TestMistakesInKeysLightsAndHooksAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"keys: {actions: [{key: f99, do: listen}]}":   "keys.actions[0].key: \"f99\"",
		"keys: {actions: [{key: f1, do: dance}]}":     "keys.actions[0].do: \"dance\"",
		"keys: {actions: [{key: '0x300', do: stop}]}": "keys.actions[0].key",
		"keys: {step: 0}":                                                      "keys.step",
		"lights: [{led: ../../x, states: [idle]}]":                             "lights[0].led",
		"lights: [{led: .., states: [idle]}]":                                  "lights[0].led",
		"lights: [{led: x}]":                                                   "lights[0].states",
		"lights: [{led: x, states: [happy]}]":                                  "lights[0].states: \"happy\"",
		"lights: [{led: x, states: [idle], percent: 101}]":                     "lights[0].percent",
		"lights: [{led: x, states: [idle, muted]}, {led: x, states: [muted]}]": "lights[1].states: \"muted\": stands twice",
		"lights: [{led: x, states: [idle], trigger: 'a b'}]":                   "lights[0].trigger",
		"hooks: [{on: [turn]}]":                                                "hooks[0].command",
		"hooks: [{command: [x]}]":                                              "hooks[0].on",
		"hooks: [{on: [turn], command: [./x]}]":                                "hooks[0].command",
		"hooks: [{on: [turn], command: [x], timeout: 1h}]":                     "hooks[0].timeout",
		"hooks: [{on: [turn], command: [x], shell: true}]":                     "hooks[0].shell: unknown key",
	} {
		_, err := Load(Source{File: write(t, "hearthd.yaml", text+"\n")})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
