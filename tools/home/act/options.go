package act

import (
	"context"
	"errors"
	"sync"
	"time"

	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

const (
	// answerWithin is how long a device may take to say that it did what it was
	// told: battery devices of Zigbee wake up seldom, and covers report late.
	answerWithin = 4 * time.Second
	// callLimit leaves that time to each of the executor's calls, and to Home Assistant its own.
	callLimit = 14 * time.Second
	// maxSending is how many devices are told something at a time: no broker acknowledges more.
	maxSending = 8
	// maxLines bounds those that the console shows of a command, and the data of an answer.
	maxLines = 100
	// chooseWithin is how long a question which one is meant stays open.
	chooseWithin = time.Minute
)

// Options is what New takes.
type Options struct {
	Devices home.Devices
	Area    string              // the room of the box; may be empty
	Floors  map[string][]string // areas by the name of a floor, beside what the devices tell
	Book    *phrase.Book        // nil: English
	// Marks are what the owner said of ways into the house; nil: nothing.
	Marks func() home.Marks
	// Order keeps a command for later, and says when it will be carried out; nil: there is no
	// later.
	Order func(context.Context, Order) (tools.Result, error)
	// Own does with what the box itself plays what a person asks: pause, stop, resume, next, previous or what.
	// It reports whether it plays something; nil: it never does.
	Own func(ctx context.Context, do string) (tools.Result, bool, error)
	// Louder changes the volume of the box by so many percent points, softer with less than zero; nil: it cannot.
	Louder func(ctx context.Context, step int) (tools.Result, error)
	// Choice is called with the names that the person may answer when several devices were meant;
	// it must not block, and may be nil.
	Choice func(names []string)
}

// Home is the tools of the house.
type Home struct {
	opt Options

	mu      sync.Mutex
	house   *meaning.House // as it was last
	open    question
	recent  tools.Recent[[]string]         // IDs of the devices of the last command or question
	place   tools.Recent[string]           // the room of what was told or done last
	earlier tools.Recent[[]string]         // of the one before that was for others
	said    tools.Recent[*meaning.Request] // the last command or question
	history history
}

// New makes the tools.
func New(o Options) (*Home, error) {
	if o.Devices == nil {
		return nil, errors.New("make home tools: devices are needed")
	}
	if o.Book == nil {
		o.Book = phrase.English()
	}
	return &Home{opt: o, house: &meaning.House{}}, nil
}

// question asks which device is meant.
type question struct {
	ids     []string
	ask     meaning.Request // the command that it is for
	reading bool            // it is for home_read
	asked   time.Time
}

// Order is a command that is to be carried out later.
type Order struct {
	Label string        // what it does, as it follows "I will": turn off the oven
	Call  string        // a Call, as JSON
	In    time.Duration // or else
	Time  *when.Clock   // or nil
	Day   when.Day      // may be empty
	// From is the time of the order that this one of the same sentence ends, or nil: "on at seven and off at ten".
	From *when.Clock
}
