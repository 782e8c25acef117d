package act

import (
	"slices"
	"strings"

	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// job is a command to one device.
type job struct {
	home.Entity
	before  home.State
	want    home.State
	outcome outcome
	problem meaning.Problem // why nothing was sent
	asked   string          // the value in the words of the request
	unsure  bool            // it may have been sent
	back    bool            // it takes an earlier one back
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
		w, wanted := j.want[home.Brightness].(float64)
		h, had := j.before[home.Brightness].(float64)
		return wanted && had && w < h
	}
	how := "brighter"
	switch {
	case jobs[0].back:
		how = "before"
	case jobs[0].want[home.Brightness] == nil:
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
		now, _ := j.State[home.Main].(string)
		if now == "" || !home.IsKnown(now) || now == "open" || now == "closed" {
			now = "moving"
		}
		key, with["how"] = "home.done", t.Part("home.became", args{"state": now})
	case j.outcome == silent:
		key = "home.silent"
	case j.Kind == home.Scene || j.Kind == home.Script:
		key = "home.started"
	case j.Kind == home.Button:
		key = "home.pressed"
	case j.want[home.Main] == "stopped":
		key = "home.stopped"
	case !home.Momentarily(j.want):
		key = "home.sent"
	}
	return t.Say(key, with)
}

// telling is the order in which keys say what became of a device.
var telling = []home.Key{home.Brightness, home.Colour, home.Kelvin, home.Position, home.Tilt, home.Speed,
	home.TargetHumidity, home.Volume, home.Target, home.Mode, home.Preset, home.FanMode, home.SwingMode, home.Effect,
	home.Source, home.Muted, home.Main}

// become says in which state a device is after a command.
func (t *teller) become(j *job) string {
	for _, k := range telling {
		if v := j.want[k]; v != nil && (k != home.Main || len(j.want) == 1 || j.want[home.Room] != nil) {
			if c, both := j.want[home.Colour].(home.Color); both && k == home.Brightness && !j.back && j.asked != "" {
				return t.became(j, home.Colour, c) + " " + t.became(j, k, v)
			}
			return t.became(j, k, v)
		}
	}
	return t.Part("home.became", args{"state": "done"})
}

func (t *teller) became(j *job, k home.Key, v any) string {
	switch v := v.(type) {
	case float64:
		if unit := k.Unit(); unit == "percent" || unit == "kelvin" {
			return t.Part("home.level", args{"value": home.Rounded(v), "unit": unit})
		}
		unit := j.Unit
		if k == home.Target {
			unit = "°C"
		}
		return t.Part("home.set", args{"value": t.reading(v, unit)})
	case home.Color:
		color := j.asked // as it was asked for
		if color == "" || color[0] == '#' {
			color = home.ColorName(v)
		}
		return t.Part("home.coloured", args{"colour": home.Clean(color)})
	case string:
		switch {
		case k == home.Muted:
			return t.Part("home.became", args{"state": map[string]string{"on": "muted", "off": "unmuted"}[v]})
		case v == "off" || v == "returning" || k == home.Main && j.Kind != home.Select && j.Kind != home.Text:
			return t.Part("home.became", args{"state": v})
		}
		return t.Part("home.set", args{"value": t.state(v)})
	}
	return t.Part("home.became", args{"state": "done"})
}

// problem says why something cannot be set on a device.
func (t *teller) problem(p meaning.Problem, device any) string {
	return t.Say("home.cannot_"+p.Why, args{"device": device, "value": home.Clean(p.Value), "property": p.Property,
		"least": t.number(p.Least), "most": t.number(p.Most), "unit": p.Unit})
}

// line is what the console shows of one device of a command.
type line struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Want    home.State `json:"want,omitempty"`
	State   home.State `json:"state,omitempty"`
	Outcome outcome    `json:"outcome"`
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
