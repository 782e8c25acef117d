package home

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"hearthd/tools"
)

// job is a command to one device.
type job struct {
	Entity
	before  State
	want    State
	outcome outcome
	problem string // why nothing was sent
	asked   string // the value as it was called
}

type outcome string

const (
	waiting  outcome = ""
	done     outcome = "done"
	already  outcome = "already"   // it was so before
	underway outcome = "moving"    // it is moving
	sent     outcome = "sent"      // it does not report back
	silent   outcome = "no_answer" // it did not answer
	refused  outcome = "refused"   // nothing was sent
)

// momentary are wants that no state answers, with what is said of them.
var momentary = map[any]string{"stopped": "I told %s to stop.", "next": "I sent that to %s.", "previous": "I sent that to %s."}

// said tells what came of commands.
func said(jobs []*job) string {
	if len(jobs) == 1 {
		return one(jobs[0])
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
		kind := strings.NewReplacer("_", " ", "climate", "thermostat").Replace(string(good[0].Kind))
		if slices.ContainsFunc(good, func(j *job) bool { return j.Kind != good[0].Kind }) {
			kind = "device"
		}
		many := strings.Replace(kind+"s", "switchs", "switches", 1)
		count, verb := tools.Sentence(tools.Count(len(good), kind, many)), "are"
		switch {
		case len(good) == 1:
			verb = "is"
		case len(good) == 2 && len(jobs) == 2:
			count = "Both " + many
		case len(good) == len(jobs):
			count = "All " + strings.ToLower(count)
		}
		parts = append(parts, fmt.Sprintf("%s %s %s.", count, verb, together(good)))
	}
	for _, j := range other[:min(3, len(other))] {
		parts = append(parts, one(j))
	}
	if n := len(other) - 3; n > 0 {
		parts = append(parts, fmt.Sprintf("The same goes for %s.", tools.Count(n, "other device", "other devices")))
	}
	return strings.Join(parts, " ")
}

// together says what several devices became, which need not be the same.
func together(jobs []*job) string {
	first := become(jobs[0])
	if !slices.ContainsFunc(jobs, func(j *job) bool { return become(j) != first }) {
		return first
	}
	darker := func(j *job) bool {
		w, wanted := j.want[Brightness].(float64)
		h, had := j.before[Brightness].(float64)
		return wanted && had && w < h
	}
	switch {
	case jobs[0].want[Brightness] == nil:
		return "set"
	case slices.ContainsFunc(jobs, darker):
		return "dimmer"
	}
	return "brighter"
}

func one(j *job) string {
	name, the := j.called(), j.the()
	subject, verb, was, report, problem := tools.Sentence(the), is(name), "was", "does", j.problem
	if verb == "are" {
		was, report, problem = "were", "do", ofMany.Replace(problem)
	}
	told := momentary[j.want[Main]]
	switch {
	case j.outcome == done:
		return fmt.Sprintf("%s %s %s.", subject, verb, become(j))
	case j.outcome == underway:
		return fmt.Sprintf("%s %s %s.", subject, verb, moves(j))
	case j.outcome == already:
		return fmt.Sprintf("%s %s already %s.", subject, was, become(j))
	case j.outcome == silent:
		return fmt.Sprintf("I sent that to %s, but got no answer.", the)
	case j.outcome == refused:
		return fmt.Sprintf("%s %s.", subject, problem)
	case j.Kind == Scene || j.Kind == Script:
		return fmt.Sprintf("I started %s.", name)
	case j.Kind == Button:
		return fmt.Sprintf("I pressed %s.", name)
	case told != "":
		return fmt.Sprintf(told, the)
	}
	return fmt.Sprintf("I sent that to %s, which %s not report back.", the, report)
}

// ofMany makes the verb of several out of that of a single device.
var ofMany = strings.NewReplacer("has ", "have ", "does ", "do ", "goes ", "go ", "opens ", "open ", "closes", "close", "needs ", "need ", "says ", "say ")

// moves says what a cover or a vacuum is doing.
func moves(j *job) string {
	switch s, _ := j.State[Main].(string); s {
	case "opening", "closing", "locking", "unlocking", "cleaning", "mowing":
		return s
	case "returning":
		return "returning to the dock"
	}
	return "moving"
}

// become says what a device is after a command.
func become(j *job) string {
	for _, k := range []Key{Brightness, Colour, Kelvin, Position, Tilt, Speed, TargetHumidity, Volume, Target, Mode, Preset, FanMode, SwingMode, Effect, Muted, Main} {
		if v := j.want[k]; v != nil && (k != Main || len(j.want) == 1 || j.want[Room] != nil) {
			return became(j, k, v)
		}
	}
	return "done"
}

func became(j *job, k Key, v any) string {
	f, isNumber := v.(float64)
	word, _ := v.(string)
	c, isColor := v.(Color)
	switch {
	case isColor && j.asked != "" && j.asked[0] != '#':
		return "now " + Clean(j.asked) // as it was asked for
	case isColor:
		return "now " + colorName(c)
	case k == Brightness:
		return "at " + number(math.Round(f)) + " percent"
	case isPercent(k):
		return "at " + number(f) + " percent"
	case k == Kelvin:
		return "at " + number(f) + " kelvin"
	case k == Target:
		return "set to " + number(f) + " degrees"
	case isNumber:
		return "set to " + number(f) + unitWord(j.Unit)
	case k == Muted:
		return map[string]string{"on": "muted", "off": "no longer muted"}[word]
	case word == "returning":
		return "returning to the dock"
	case word == "off" || k == Main && j.Kind != Select && j.Kind != Text:
		return word
	}
	return "set to " + plainWord(word)
}

// line is what the console shows of one device of a command.
type line struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	Want    State   `json:"want,omitempty"`
	State   State   `json:"state,omitempty"`
	Outcome outcome `json:"outcome"`
}

func report(jobs []*job) (lines []line) {
	for _, j := range jobs {
		lines = append(lines, line{j.ID, j.Spoken(), j.want, j.State, j.outcome})
	}
	return lines
}
