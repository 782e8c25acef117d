package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Buttons are the keys of input devices.
type Buttons struct {
	// Devices are names, or parts of them, of devices whose keys are obeyed; "auto"
	// stands for all that have such a key and are no keyboard.
	Devices []string `yaml:"devices"`
	Grab    bool     `yaml:"grab"` // keep them from every other program
	Step    int      `yaml:"step"` // of the volume, in percent points
	Actions []Button `yaml:"actions"`
}

// Button is what one key does.
type Button struct {
	Key    string `yaml:"key"` // as linux/input-event-codes.h names it, or its number
	Action string `yaml:"do"`
}

// Light is how one light of the kernel looks in some states.
type Light struct {
	LED     string   `yaml:"led"` // in /sys/class/leds
	States  []string `yaml:"states"`
	Percent int      `yaml:"percent"` // of its greatest brightness; 0 means 100
	Trigger string   `yaml:"trigger"` // of the kernel; empty: steady
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
		"listen": {"playpause", "play", "playcd", "phone", "voicecommand", "assistant"},
		"stop":   {"stop", "stopcd", "pausecd"},
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
		"phone": 169, "voicecommand": 582, "assistant": 583,
		"prog1": 148, "prog2": 149, "prog3": 202, "prog4": 203, "power": 116, "enter": 28, "space": 57,
		"f1": 59, "f2": 60, "f3": 61, "f4": 62, "f5": 63, "f6": 64, "f7": 65, "f8": 66, "f9": 67, "f10": 68,
		"f11": 87, "f12": 88,
	}[name]
	return code, ok
}

// hookEvents are the types of events that a hook may run on.
func hookEvents() []string {
	return []string{
		"state", "woken", "hushed", "speech_started", "speech_ended", "heard", "ignored", "routed", "tool_started",
		"tool_finished", "said", "barge_in", "turn", "condition", "timers", "timer_fired", "ring_resumed", "ring_ended",
		"volume", "mute", "dnd", "policy", "wake_word", "yielded",
	}
}

func (b *Buttons) check(k *checker) {
	k.allFilled("keys.devices", b.Devices)
	k.between("keys.step", b.Step, 1, 50)
	for i, a := range b.Actions {
		at := fmt.Sprintf("keys.actions[%d].", i)
		if _, ok := keyCode(a.Key); !ok {
			k.add(at+"key", a.Key, "must be a key such as playpause, f1 or btn_0, or its number")
		}
		k.oneOf(at+"do", a.Action, "listen", "stop", "mute", "volume_up", "volume_down", "none")
	}
	if len(b.Devices) > 0 && len(b.Keys()) == 0 {
		k.add("keys.actions", "", "leaves no key anything to do; keys.devices: [] reads none")
	}
}

func checkHooks(k *checker, hooks []Hook) {
	for i, h := range hooks {
		at := fmt.Sprintf("hooks[%d].", i)
		if len(h.On) == 0 {
			k.add(at+"on", "", "must name events")
		}
		for _, e := range h.On {
			k.oneOf(at+"on", e, hookEvents()...)
		}
		k.command(at+"command", h.Command)
		if h.Timeout != 0 {
			k.duration(at+"timeout", h.Timeout, time.Second, 10*time.Minute)
		}
	}
}

func checkLights(k *checker, lights []Light) {
	seen := make(map[string]bool)
	for i, l := range lights {
		at := fmt.Sprintf("lights[%d].", i)
		k.match(at+"led", l.LED, `^[A-Za-z0-9_+:-][A-Za-z0-9_.+:-]{0,63}$`, "must be the name of a folder in /sys/class/leds")
		k.between(at+"percent", l.Percent, 0, 100)
		k.match(at+"trigger", l.Trigger, `^[A-Za-z0-9_.:-]{0,64}$`, "must be a trigger of the kernel, such as heartbeat")
		if len(l.States) == 0 {
			k.add(at+"states", "", "must name states")
		}
		for _, s := range l.States {
			k.oneOf(at+"states", s, "starting", "idle", "listening", "thinking", "tool_calling", "speaking", "muted", "faulted")
			if seen[l.LED+"\n"+s] {
				k.add(at+"states", s, "stands twice for this light")
			}
			seen[l.LED+"\n"+s] = true
		}
	}
}
