package home

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"hearthd/llm"
	"hearthd/tools"
)

const (
	// answerWithin is how long a device may take to say that it did what it was
	// told: battery devices of Zigbee wake up seldom, and covers report late.
	answerWithin = 4 * time.Second
	// callLimit leaves that time to each of the executor's calls.
	callLimit = 12 * time.Second
	// maxTogether bounds the devices of one command.
	maxTogether = 100
	// chooseWithin is how long a question which one is meant stays open, and
	// recentWithin how long "it" means what the last command was for.
	chooseWithin = time.Minute
	recentWithin = 3 * time.Minute
)

// Options is what New takes.
type Options struct {
	Devices Devices
	Area    string              // the room of the box; may be empty
	Floors  map[string][]string // areas by the name of a floor, beside what the devices tell
	// Marks are what the owner said of ways into the house; nil: nothing.
	Marks func() Marks
	// Order keeps a command for later, and tells when it will be carried out; nil: there
	// is no later.
	Order func(context.Context, Order) (tools.Result, error)
	// Choice is told which names the person may answer when several devices were
	// meant; it must not block, and may be nil.
	Choice func(names []string)
}

// Home is the tools of the house.
type Home struct {
	opt Options

	mu      sync.Mutex
	open    []string  // IDs of the devices of which one must be chosen
	ask     arguments // what it is to do
	reading bool      // open is for home_read
	asked   time.Time
	recent  []string // IDs of the devices of the last command
	done    time.Time
}

// New makes the tools.
func New(o Options) (*Home, error) {
	if o.Devices == nil {
		return nil, errors.New("make home tools: devices are needed")
	}
	return &Home{opt: o}, nil
}

// arguments are those of home_control and home_read.
type arguments struct {
	Action         string   `json:"action,omitempty"`
	Name           string   `json:"name,omitempty"`
	Area           string   `json:"area,omitempty"`
	Except         string   `json:"except,omitempty"`
	Kind           string   `json:"kind,omitempty"`
	Brightness     *float64 `json:"brightness,omitempty"`
	BrightnessStep *float64 `json:"brightness_step,omitempty"`
	Color          string   `json:"color,omitempty"`
	Kelvin         *float64 `json:"kelvin,omitempty"`
	Effect         string   `json:"effect,omitempty"`
	Position       *float64 `json:"position,omitempty"`
	Tilt           *float64 `json:"tilt,omitempty"`
	Temperature    *float64 `json:"temperature,omitempty"`
	TempStep       *float64 `json:"temperature_step,omitempty"`
	Humidity       *float64 `json:"humidity,omitempty"`
	Speed          *float64 `json:"speed,omitempty"`
	Mode           string   `json:"mode,omitempty"`
	Value          string   `json:"value,omitempty"`
	What           string   `json:"what,omitempty"`
	Is             string   `json:"is,omitempty"`
	Which          string   `json:"which,omitempty"` // all, any, none, list or number

	room string // what is in this room goes first, where no place was named
}

const (
	nameProperty = `"name":{"type":"string","maxLength":80,"description":"the device as the person called it: kitchen light, front door, freezer temperature; a kind for all of them: lights, all blinds"},` +
		`"area":{"type":"string","maxLength":60,"description":"room or floor, if it is not part of the name; here, house"},` +
		`"which":{"enum":["all","any","none","list","number"]}`
	controlSchema = `{"type":"object","properties":{"action":{"enum":["on","off","toggle","open","close","stop","lock","unlock","start","pause","dock","press","set"],"description":"set only with a value"},` +
		nameProperty + `,"kind":{"type":"string","maxLength":30},"except":{"type":"string","maxLength":80,"description":"device that stays as it is"},` +
		`"brightness":{"type":"number","minimum":0,"maximum":100,"description":"percent"},"brightness_step":{"type":"number","minimum":-100,"maximum":100},` +
		`"color":{"type":"string","maxLength":20,"description":"a name such as blue or warm white, or #rrggbb"},"kelvin":{"type":"number","minimum":1000,"maximum":10000},"effect":{"type":"string","maxLength":60},` +
		`"position":{"type":"number","minimum":0,"maximum":100,"description":"percent open"},"tilt":{"type":"number","minimum":0,"maximum":100},` +
		`"temperature":{"type":"number","minimum":-50,"maximum":250},"temperature_step":{"type":"number","minimum":-50,"maximum":50},"humidity":{"type":"number","minimum":0,"maximum":100},` +
		`"speed":{"type":"number","minimum":0,"maximum":100,"description":"percent"},"mode":{"type":"string","maxLength":60,"description":"mode or preset of a thermostat, fan or vacuum"},` +
		`"value":{"type":"string","maxLength":120,"description":"of a number, a selection or a text"}},"required":["action"],"additionalProperties":false}`
	readSchema = `{"type":"object","properties":{` + nameProperty + `,"kind":{"type":"string","maxLength":30},` +
		`"what":{"type":"string","maxLength":40,"description":"what is measured: temperature, humidity, battery, power …"},` +
		`"is":{"enum":["on","off","open","closed","locked","unlocked"],"description":"what the person asks whether it is so"}},"additionalProperties":false}`
	chooseSchema = `{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":80}},"required":["name"],"additionalProperties":false}`
)

// Tools are home_control, home_read and home_choose, and home_later where orders are kept.
func (h *Home) Tools() []tools.Tool {
	control := tools.Func(llm.ToolSpec{
		Name:        "home_control",
		Description: "Controls devices of the house: lights, switches, plugs, blinds, garage, locks, thermostats, fans, vacuums, scenes. Reports what was really done.",
		Parameters:  json.RawMessage(controlSchema),
	}, told(h.control))
	read := tools.Func(llm.ToolSpec{
		Name:        "home_read",
		Description: "Tells the state of devices and sensors of the house: whether lights are on or doors open, temperatures, batteries.",
		Parameters:  json.RawMessage(readSchema),
		ReadOnly:    true,
	}, told(h.read))
	choose := tools.Func(llm.ToolSpec{
		Name:        "home_choose",
		Description: "Answers the question which one of several devices is meant, and then does what was asked before.",
		Parameters:  json.RawMessage(chooseSchema),
	}, told(h.choose))
	list := []tools.Tool{
		tools.WithLimits(control, tools.Limits{Timeout: callLimit, ConfirmFunc: h.question}),
		read,
		tools.WithLimits(choose, tools.Limits{Timeout: callLimit, ConfirmFunc: h.chosenQuestion}),
	}
	if h.opt.Order != nil {
		list = append(list, h.laterTool())
	}
	return list
}

func (h *Home) control(ctx context.Context, a arguments) (tools.Result, error) {
	targets, choice := h.targets(&a)
	switch {
	case len(targets) == 0:
		return h.nothing(&a), nil
	case choice:
		return h.which(targets, &a, false), nil
	case len(targets) > maxTogether:
		return tools.Result{Text: fmt.Sprintf("That would be %d devices. Please say which ones.", len(targets))}, nil
	}
	return h.do(ctx, targets, &a)
}

// targets are the devices that a command means; choice says that it means one
// of them.
func (h *Home) targets(a *arguments) (targets []Entity, choice bool) {
	all := h.entities()
	h.inPlace(*a, func(a *arguments) bool {
		targets, choice = h.targetsIn(all, a)
		return len(targets) > 0
	})
	if a.Except == "" || len(targets) == 0 {
		return targets, choice
	}
	stay := find(targets, newQuery(a.Except, ""), func(*Entity) bool { return true })
	if len(stay) == 0 { // who is misunderstood wants nothing switched
		return nil, false
	}
	return slices.DeleteFunc(targets, func(e Entity) bool { return slices.ContainsFunc(stay, func(s Entity) bool { return s.ID == e.ID }) }), false
}

func (h *Home) targetsIn(all []Entity, a *arguments) (targets []Entity, choice bool) {
	found, choice := h.targetsOf(all, a)
	if parts := a.several(all); len(found) == 0 && parts != nil {
		return h.united(all, parts)
	}
	return found, choice
}

func (h *Home) targetsOf(all []Entity, a *arguments) (targets []Entity, choice bool) {
	q := a.query()
	suits := a.suits
	switch {
	case q.nothing() || pronouns[strings.ToLower(strings.TrimSpace(a.Name))] && a.Area == "":
		if a.Temperature == nil && a.TempStep == nil { // "a bit brighter", "turn it off"
			return h.meant(all, a), false
		}
		q.words = []string{"thermostat"} // "make it warmer"
	case q.onlyArea(all) && (a.turns() || a.lights()): // "turn off the bedroom"
		suits = a.preferred(all, q)
		q.all = true
	case q.all && a.BrightnessStep != nil: // "dim the lights" leaves those off that are
		suits = a.preferred(all, q)
	}
	found := find(all, q, suits)
	if len(found) == 0 { // to say what the matter is with what they named
		found = find(all, q, func(e *Entity) bool { return e.Category == "" && e.controllable() })
		if q.onlyArea(all) {
			found = nil
		}
		if len(found) > 1 {
			found = found[:1]
		}
	}
	return found, len(found) > 1 && !q.all
}

// kind adds the word for a kind that was given apart.
func (q *query) kind(k string) {
	q.words = append(q.words, newQuery(k, "").words...)
	q.all = q.all || newQuery(k, "").all
}
