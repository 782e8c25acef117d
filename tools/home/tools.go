package home

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

const (
	// answerWithin is how long a device may take to say that it did what it was
	// told: battery devices of Zigbee wake up seldom, and covers report late.
	answerWithin = 4 * time.Second
	// callLimit leaves that time to each of the executor's calls.
	callLimit = 12 * time.Second
	// maxTogether bounds the devices of one command: houses with 186 lights are real, and 300 devices
	// are what hearthd is measured with. The broker has maxSending of them at a time to acknowledge, and no more.
	maxTogether = 300
	maxSending  = 8
	// maxLines bounds those that the console shows of a command, and the data of an answer.
	maxLines = 100
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
	Book    *phrase.Book        // nil: English
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

	mu     sync.Mutex
	house  *house // as it was last
	open   question
	recent []string // IDs of the devices of the last command
	done   time.Time
}

// New makes the tools.
func New(o Options) (*Home, error) {
	if o.Devices == nil {
		return nil, errors.New("make home tools: devices are needed")
	}
	if o.Book == nil {
		o.Book = phrase.English()
	}
	return &Home{opt: o, house: &house{}}, nil
}

// Tools are home_control, home_read and home_choose, and home_later where orders are kept.
func (h *Home) Tools() []tools.Tool {
	control := tools.Func(llm.ToolSpec{
		Name: "home_control", Parameters: controlSchema(""),
		Description: "Controls devices of the house: lights, switches, plugs, blinds, garage, locks, thermostats, fans, vacuums, media players, scenes. Reports what was really done.",
	}, h.control)
	read := tools.Func(llm.ToolSpec{
		Name: "home_read", Parameters: json.RawMessage(readSchema), ReadOnly: true,
		Description: "Tells the state of devices and sensors of the house: whether lights are on or doors open, temperatures, batteries.",
	}, h.read)
	choose := tools.Func(llm.ToolSpec{
		Name: "home_choose", Parameters: json.RawMessage(chooseSchema),
		Description: "Answers the question which one of several devices is meant, and then does what was asked before.",
	}, h.choose)
	list := []tools.Tool{
		tools.WithLimits(control, tools.Limits{Timeout: callLimit, ConfirmFunc: h.question}),
		read,
		tools.WithLimits(choose, tools.Limits{Timeout: callLimit, ConfirmFunc: h.chosenQuestion}),
	}
	if h.opt.Order != nil {
		later := tools.Func(llm.ToolSpec{
			Name: "home_later", Parameters: controlSchema(timeSchema),
			Description: "Controls devices of the house once, at a later time: takes the arguments of home_control, and in_s or time.",
		}, h.later)
		list = append(list, tools.WithLimits(later, tools.Limits{ConfirmFunc: h.laterQuestion}))
	}
	return list
}

func (h *Home) control(ctx context.Context, a arguments) (tools.Result, error) {
	targets, choice := h.targets(&a)
	t := h.teller(&a)
	switch {
	case len(targets) == 0:
		return t.nothing(h.see(), &a), nil
	case choice:
		return h.which(t, targets, &a, false), nil
	case len(targets) > maxTogether:
		return tools.Result{Text: t.Say("home.too_many", args{"n": len(targets)})}, nil
	}
	return h.do(ctx, t, targets, &a)
}
