package home

import (
	"slices"
	"strings"
)

// job is a command to one device.
type job struct {
	Entity
	before  State
	want    State
	outcome outcome
	problem problem // why nothing was sent
	asked   string  // the value in the words of the request
	unsure  bool    // it may have been sent
	back    bool    // it takes an earlier one back
}

type outcome string

const (
	waiting  outcome = ""
	done     outcome = "done"
	already  outcome = "already"   // it was so before
	underway outcome = "moving"    // it is moving
	sent     outcome = "sent"      // it does not report its state
	silent   outcome = "no_answer" // it did not answer
	refused  outcome = "refused"   // nothing was sent
)

// momentary are wanted states that no state of a device confirms.
var momentary = []any{"stopped", "next", "previous"}

// outcomes says how commands went.
func (t *teller) outcomes(jobs []*job) string {
	if len(jobs) == 1 {
		return t.outcome(jobs[0])
	}
	var good, other []*job
	for _, j := range jobs {
		if j.outcome == done || j.outcome == already || j.outcome == underway {
			good = append(good, j)
		} else {
			other = append(other, j)
		}
	}
	var parts []string
	if len(good) > 0 {
		kind := strings.ReplaceAll(string(good[0].Kind), "_", " ")
		if slices.ContainsFunc(good, func(j *job) bool { return j.Kind != good[0].Kind }) {
			kind = "device"
		}
		with := args{"n": len(good), "of": len(jobs), "kind": kind, "how": t.together(good)}
		parts = append(parts, t.Say("home.together", with))
	}
	for _, j := range other[:min(3, len(other))] {
		parts = append(parts, t.outcome(j))
	}
	if n := len(other) - 3; n > 0 {
		parts = append(parts, t.Say("home.likewise", args{"n": n}))
	}
	return strings.Join(parts, " ")
}

// together says what became of several devices, which need not be the same.
func (t *teller) together(jobs []*job) string {
	first := t.become(jobs[0])
	if !slices.ContainsFunc(jobs, func(j *job) bool { return t.become(j) != first }) {
		return first
	}
	darker := func(j *job) bool {
		w, wanted := j.want[Brightness].(float64)
		h, had := j.before[Brightness].(float64)
		return wanted && had && w < h
	}
	how := "brighter"
	switch {
	case jobs[0].back:
		how = "before"
	case jobs[0].want[Brightness] == nil:
		how = "set"
	case slices.ContainsFunc(jobs, darker):
		how = "dimmer"
	}
	return t.Part("home.became", args{"state": how})
}

func (t *teller) outcome(j *job) string {
	with := args{"device": t.device(&j.Entity), "how": ""}
	key := "home.told"
	switch {
	case j.outcome == refused:
		return t.problem(j.problem, with["device"])
	case j.outcome == done:
		key, with["how"] = "home.done", t.become(j)
	case j.outcome == already:
		key, with["how"] = "home.already", t.become(j)
	case j.outcome == underway:
		now, _ := j.State[Main].(string)
		if now == "" || !known[now] || now == "open" || now == "closed" {
			now = "moving"
		}
		key, with["how"] = "home.done", t.Part("home.became", args{"state": now})
	case j.outcome == silent:
		key = "home.silent"
	case j.Kind == Scene || j.Kind == Script:
		key = "home.started"
	case j.Kind == Button:
		key = "home.pressed"
	case j.want[Main] == "stopped":
		key = "home.stopped"
	case !slices.Contains(momentary, j.want[Main]):
		key = "home.sent"
	}
	return t.Say(key, with)
}

// become says in which state a device is after a command.
func (t *teller) become(j *job) string {
	for _, k := range []Key{Brightness, Colour, Kelvin, Position, Tilt, Speed, TargetHumidity, Volume, Target,
		Mode, Preset, FanMode, SwingMode, Effect, Source, Muted, Main} {
		if v := j.want[k]; v != nil && (k != Main || len(j.want) == 1 || j.want[Room] != nil) {
			if c, both := j.want[Colour].(Color); both && k == Brightness && !j.back && j.asked != "" {
				return t.became(j, Colour, c) + " " + t.became(j, k, v)
			}
			return t.became(j, k, v)
		}
	}
	return t.Part("home.became", args{"state": "done"})
}

func (t *teller) became(j *job, k Key, v any) string {
	switch v := v.(type) {
	case float64:
		if unit := measures[k].unit; unit == "percent" || unit == "kelvin" {
			return t.Part("home.level", args{"value": rounded(v), "unit": unit})
		}
		unit := j.Unit
		if k == Target {
			unit = "°C"
		}
		return t.Part("home.set", args{"value": t.reading(v, unit)})
	case Color:
		color := j.asked // as it was asked for
		if color == "" || color[0] == '#' {
			color = colorName(v)
		}
		return t.Part("home.coloured", args{"colour": Clean(color)})
	case string:
		switch {
		case k == Muted:
			return t.Part("home.became", args{"state": map[string]string{"on": "muted", "off": "unmuted"}[v]})
		case v == "off" || v == "returning" || k == Main && j.Kind != Select && j.Kind != Text:
			return t.Part("home.became", args{"state": v})
		}
		return t.Part("home.set", args{"value": t.state(v)})
	}
	return t.Part("home.became", args{"state": "done"})
}

// problem says why something cannot be set on a device.
func (t *teller) problem(p problem, device any) string {
	return t.Say("home.cannot_"+p.why, args{"device": device, "value": Clean(p.value), "property": p.property,
		"least": t.number(p.least), "most": t.number(p.most), "unit": p.unit})
}

// line is what the console shows of one device of a command.
type line struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	Want    State   `json:"want,omitempty"`
	State   State   `json:"state,omitempty"`
	Outcome outcome `json:"outcome"`
}

// report puts first what did not work, because the end of a long list is cut.
func report(jobs []*job) (lines []line) {
	for _, failed := range []bool{true, false} {
		for _, j := range jobs {
			if (j.outcome == silent || j.outcome == refused) == failed {
				lines = append(lines, line{j.ID, j.Spoken(), j.want, j.State, j.outcome})
			}
		}
	}
	return lines[:min(len(lines), maxLines)]
}
