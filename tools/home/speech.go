package home

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"hearthd/tools"
)

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
		kind := strings.ReplaceAll(string(good[0].Kind), "_", " ")
		if slices.ContainsFunc(good, func(j *job) bool { return j.Kind != good[0].Kind }) {
			kind = "device"
		}
		many := kind + "s"
		if kind == "switch" {
			many = "switches"
		}
		count := tools.Sentence(tools.Count(len(good), kind, many))
		if len(good) == 2 && len(jobs) == 2 {
			count = "Both " + many
		} else if len(good) == len(jobs) && len(jobs) > 1 {
			count = "All " + strings.ToLower(count)
		}
		verb := "are"
		if len(good) == 1 {
			verb = "is"
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
	subject := tools.Sentence(the)
	switch j.outcome {
	case done:
		return fmt.Sprintf("%s %s %s.", subject, is(name), become(j))
	case underway:
		return fmt.Sprintf("%s %s %s.", subject, is(name), moves(j))
	case already:
		was := "was"
		if is(name) == "are" {
			was = "were"
		}
		return fmt.Sprintf("%s %s already %s.", subject, was, become(j))
	case sent:
		switch j.Kind {
		case Scene, Script:
			return fmt.Sprintf("I started %s.", name)
		case Button:
			return fmt.Sprintf("I pressed %s.", name)
		}
		if j.want[Main] == "next" || j.want[Main] == "previous" {
			return fmt.Sprintf("I sent that to %s.", the)
		}
		if momentary[j.want[Main]] {
			return fmt.Sprintf("I told %s to stop.", the)
		}
		return fmt.Sprintf("I sent that to %s, which %s not report back.", the, map[string]string{"is": "does", "are": "do"}[is(name)])
	case silent:
		return fmt.Sprintf("I sent that to %s, but got no answer.", the)
	}
	if is(name) == "are" {
		return fmt.Sprintf("%s %s.", subject, ofMany.Replace(j.problem))
	}
	return fmt.Sprintf("%s %s.", subject, j.problem)
}

// ofMany makes a sentence of several out of one of a single device.
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
	want := j.want
	if v, ok := want[Brightness].(float64); ok {
		return "at " + number(math.Round(v)) + " percent"
	}
	if c, ok := want[Colour].(Color); ok {
		if j.asked != "" && j.asked[0] != '#' {
			return "now " + Clean(j.asked) // as it was asked for
		}
		return "now " + colorName(c)
	}
	if k, ok := want[Kelvin].(float64); ok {
		return "at " + number(k) + " kelvin"
	}
	for _, k := range []Key{Position, Tilt, Speed, TargetHumidity, Volume} {
		if v, ok := want[k].(float64); ok {
			return "at " + number(v) + " percent"
		}
	}
	if v, ok := want[Target].(float64); ok {
		return "set to " + number(v) + " degrees"
	}
	for _, k := range []Key{Mode, Preset, FanMode, SwingMode, Effect} {
		if v, ok := want[k].(string); ok {
			if v == "off" {
				return v
			}
			return "set to " + plainWord(v)
		}
	}
	if v, ok := want[Muted]; ok {
		return map[any]string{"on": "muted", "off": "no longer muted"}[v]
	}
	switch v := want[Main].(type) {
	case float64:
		return "set to " + number(v) + unitWord(j.Unit)
	case string:
		switch {
		case j.Kind == Select || j.Kind == Text:
			return "set to " + plainWord(v)
		case v == "returning":
			return "returning to the dock"
		}
		return v
	}
	return "done"
}

// line is what the console shows of one device of a command.
type line struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Want    State  `json:"want,omitempty"`
	State   State  `json:"state,omitempty"`
	Outcome string `json:"outcome"`
}

func report(jobs []*job) []line {
	words := map[outcome]string{done: "done", already: "already", underway: "moving", sent: "sent", silent: "no_answer", refused: "refused"}
	var out []line
	for _, j := range jobs {
		out = append(out, line{j.ID, j.Spoken(), j.want, j.State, words[j.outcome]})
	}
	return out
}

// job is a command to one device.
type job struct {
	Entity
	before  State
	want    State
	outcome outcome
	problem string // why nothing was sent
	asked   string // the value as it was called
}

type outcome int

const (
	waiting outcome = iota
	done
	already  // it was so before
	underway // it is moving
	sent     // it does not report back
	silent   // it did not answer
	refused  // nothing was sent
)

// momentary are wants that no state answers.
var momentary = map[any]bool{"stopped": true, "pressed": true, "next": true, "previous": true}
