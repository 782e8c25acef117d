package contract

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"
	"time"

	"hearthd/config/input"
)

// Topic is a topic that a box publishes.
type Topic struct {
	Level    string
	Retained bool
	Payload  string // Markdown, for a person
	When     string
}

// Command is a command that a box accepts.
type Command struct {
	Name   string
	Plain  string // the payload where it is no JSON object, in Markdown
	Fields string
	Effect string
	// Rate limit: Burst at once, and then one in each Every.
	Burst int
	Every time.Duration
	// Asked: accepted only if the configuration names it.
	Asked bool
}

// entity is one thing that Home Assistant shows or presses.
type entity struct {
	ID, Platform, Name string
	Reads              string         // level of its state, or empty
	Attributes         string         // level of its attributes, or empty
	Sets               string         // its command, or empty
	Only               string         // when the entity exists, in Markdown; empty: always
	Needs              string         // the same for entities
	More               map[string]any // further keys
}

// tables are what contract.yaml says.
type tables struct {
	Topics   []Topic
	Commands []Command
	Entities []entity
}

//go:embed contract.yaml
var contract []byte

var read = sync.OnceValue(func() (t tables) {
	if err := input.DecodeYAML(contract, &t); err != nil {
		panic(fmt.Sprintf("read the embedded contract.yaml: %v", err))
	}
	return t
})

// Topics are all topics; those that are retained stand in the order in which they are published.
func Topics() []Topic { return read().Topics }

// Commands are all of them.
func Commands() []Command { return read().Commands }

// Find gives a command by its name.
func Find(name string) (Command, bool) {
	list := Commands()
	i := slices.IndexFunc(list, func(c Command) bool { return c.Name == name })
	if i < 0 {
		return Command{}, false
	}
	return list[i], true
}
