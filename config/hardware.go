package config

import (
	"strconv"
	"strings"
	"time"
)

// Buttons are the keys of input devices.
type Buttons struct {
	// Devices are names, or parts of them, of devices whose keys are used; "auto" stands for all
	// that have such a key and are no keyboard.
	Devices []string `yaml:"devices" need:"yes"`
	Grab    bool     `yaml:"grab"`                  // keep them from every other program
	Step    int      `yaml:"step" min:"1" max:"50"` // of the volume, in percent points
	Actions []Button `yaml:"actions"`
}

// Button is what one key does.
type Button struct {
	Key    string `yaml:"key" need:"yes" form:"key"` // as linux/input-event-codes.h names it, or its number
	Action string `yaml:"do" enum:"listen,stop,mute,volume_up,volume_down,media_pause,media_next,media_previous,none"`
}

// Light is how one light of the kernel looks in some states.
type Light struct {
	LED     string   `yaml:"led" need:"yes" form:"led"` // in /sys/class/leds
	States  []string `yaml:"states"`
	Percent int      `yaml:"percent" min:"0" max:"100"` // of its greatest brightness; 0 means 100
	Trigger string   `yaml:"trigger" form:"trigger"`    // of the kernel; empty: steady
}

// Hook is a program that runs when something happens.
type Hook struct {
	On      []string      `yaml:"on"`
	Command []string      `yaml:"command"`
	Timeout time.Duration `yaml:"timeout"` // 0 means 10 s
}

// Keys gives what each key does, by code.
func (b *Buttons) Keys() map[uint16]string {
	does := make(map[uint16]string)
	for action, names := range map[string][]string{
		"volume_up": {"volumeup"}, "volume_down": {"volumedown"}, "mute": {"mute", "micmute"},
		"listen":     {"playpause", "play", "playcd", "phone", "voicecommand", "assistant"},
		"stop":       {"stop", "stopcd", "pausecd"},
		"media_next": {"nextsong"}, "media_previous": {"previoussong"},
	} {
		for _, n := range names {
			code, _ := keyCode(n) // each of them has one
			does[code] = action
		}
	}
	for _, a := range b.Actions {
		if code, ok := keyCode(a.Key); ok && a.Action == "none" {
			delete(does, code)
		} else if ok {
			does[code] = a.Action
		}
	}
	return does
}

// maxKey is KEY_MAX of linux/input-event-codes.h.
const maxKey = 0x2ff

// keyCode gives the code of a key by its name there, with or without KEY_ and in any
// case, or by its number.
func keyCode(name string) (uint16, bool) {
	if n, err := strconv.ParseUint(name, 0, 16); err == nil {
		return uint16(n), n > 0 && n <= maxKey
	}
	name = strings.TrimPrefix(strings.ToLower(name), "key_")
	if n, ok := strings.CutPrefix(name, "btn_"); ok && len(n) == 1 && n[0] >= '0' && n[0] <= '9' {
		return 0x100 + uint16(n[0]-'0'), true
	}
	code, ok := map[string]uint16{
		"volumeup": 115, "volumedown": 114, "mute": 113, "micmute": 248,
		"playpause": 164, "play": 207, "playcd": 200, "pausecd": 201, "stop": 128, "stopcd": 166,
		"nextsong": 163, "previoussong": 165, "phone": 169, "voicecommand": 582, "assistant": 583,
		"prog1": 148, "prog2": 149, "prog3": 202, "prog4": 203, "power": 116, "enter": 28, "space": 57,
		"f1": 59, "f2": 60, "f3": 61, "f4": 62, "f5": 63, "f6": 64, "f7": 65, "f8": 66, "f9": 67, "f10": 68,
		"f11": 87, "f12": 88,
	}[name]
	return code, ok
}
