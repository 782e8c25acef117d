// Package random holds the tools that leave something to chance: coin_flip,
// dice_roll, number_pick and choice_pick. It runs no goroutine and imports llm
// and tools only.
package random

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"hearthd/llm"
	"hearthd/tools"
)

// Options is what New takes.
type Options struct {
	Rand *rand.Rand // nil: seeded by the operating system
}

const (
	maxDice   = 20
	maxSides  = 1000
	maxNumber = 1_000_000_000
)

type chance struct{ intN func(int) int }

// New makes the tools.
func New(o Options) []tools.Tool {
	c := chance{rand.IntN}
	if o.Rand != nil {
		c.intN = o.Rand.IntN
	}
	return []tools.Tool{
		tools.Func(llm.ToolSpec{
			Name: "coin_flip", Description: "Flips a coin.", ReadOnly: true,
			Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
		}, c.coin),
		tools.Func(llm.ToolSpec{
			Name: "dice_roll", Description: "Rolls dice.", ReadOnly: true,
			Parameters: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{
				"count":{"type":"integer","minimum":1,"maximum":%d,"description":"1 when left out"},
				"sides":{"type":"integer","minimum":2,"maximum":%d,"description":"6 when left out"}},"additionalProperties":false}`, maxDice, maxSides)),
		}, c.dice),
		tools.Func(llm.ToolSpec{
			Name: "number_pick", Description: "Picks a whole number at random, the ends included.", ReadOnly: true,
			Parameters: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{
				"from":{"type":"integer","minimum":-%d,"maximum":%[1]d,"description":"1 when left out"},
				"to":{"type":"integer","minimum":-%[1]d,"maximum":%[1]d,"description":"100 when left out"}},"additionalProperties":false}`, maxNumber)),
		}, c.number),
		tools.Func(llm.ToolSpec{
			Name: "choice_pick", Description: "Picks one of several things or people at random.", ReadOnly: true,
			Parameters: json.RawMessage(`{"type":"object","properties":{
				"options":{"type":"array","minItems":2,"maxItems":20,"items":{"type":"string","minLength":1,"maxLength":60}}},
				"required":["options"],"additionalProperties":false}`),
		}, c.choice),
	}
}

func (c chance) coin(context.Context, struct{}) (tools.Result, error) {
	side := []string{"heads", "tails"}[c.intN(2)]
	return tools.Result{Text: tools.Sentence(side) + ".", Data: map[string]string{"side": side}}, nil
}

func (c chance) dice(_ context.Context, a struct {
	Count int `json:"count"`
	Sides int `json:"sides"`
}) (tools.Result, error) {
	if a.Count == 0 {
		a.Count = 1
	}
	if a.Sides == 0 {
		a.Sides = 6
	}
	var rolls []int
	var said []string
	sum := 0
	for range a.Count {
		n := 1 + c.intN(a.Sides)
		rolls, said, sum = append(rolls, n), append(said, fmt.Sprint(n)), sum+n
	}
	text := fmt.Sprintf("You rolled %s.", tools.Join(said))
	if a.Count > 1 {
		text = fmt.Sprintf("You rolled %s: %d together.", tools.Join(said), sum)
	}
	return tools.Result{Text: text, Data: map[string]any{"rolls": rolls, "sum": sum}}, nil
}

func (c chance) number(_ context.Context, a struct {
	From *int `json:"from"`
	To   *int `json:"to"`
}) (tools.Result, error) {
	from, to := 1, 100
	if a.From != nil {
		from = *a.From
	}
	if a.To != nil {
		to = *a.To
	}
	if from > to {
		from, to = to, from
	}
	n := from + c.intN(to-from+1)
	return tools.Result{Text: fmt.Sprintf("%d.", n), Data: map[string]int{"number": n}}, nil
}

func (c chance) choice(_ context.Context, a struct {
	Options []string `json:"options"`
}) (tools.Result, error) {
	if len(a.Options) < 2 {
		return tools.Result{}, &tools.ArgumentError{Reason: "give two options or more"}
	}
	one := strings.TrimSpace(a.Options[c.intN(len(a.Options))])
	return tools.Result{Text: tools.Sentence(one) + ".", Data: map[string]string{"choice": one}}, nil
}
