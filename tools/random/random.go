// Package random holds the tools that leave something to chance: coin_flip,
// dice_roll, number_pick and choice_pick. It runs no goroutine and imports tools and tools/phrase only.
package random

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"hearthd/tools"
	"hearthd/tools/phrase"
)

// Options is what New takes.
type Options struct {
	Book *phrase.Book // what is said
	rand *rand.Rand   // nil: seeded by the operating system
}

type chance struct {
	book *phrase.Book
	intN func(int) int
}

// New makes the tools.
func New(o Options) []tools.Tool {
	c := chance{o.Book, rand.IntN}
	if o.rand != nil {
		c.intN = o.rand.IntN
	}
	return []tools.Tool{
		tools.Query("coin_flip", "Flips a coin.", c.coin),
		tools.Query("dice_roll", "Rolls dice.", c.dice),
		tools.Query("number_pick", "Picks a whole number at random, the ends included.", c.number),
		tools.Query("choice_pick", "Picks one of several things or people at random.", c.choice),
	}
}

func (c chance) coin(context.Context, struct{}) (tools.Result, error) {
	side := []string{"heads", "tails"}[c.intN(2)]
	return tools.Result{Text: c.book.Say("random.side_" + side), Data: map[string]string{"side": side}}, nil
}

func (c chance) dice(_ context.Context, a struct {
	Count int `json:"count" min:"1" max:"20" about:"1 when left out"`
	Sides int `json:"sides" min:"2" max:"1000" about:"6 when left out"`
}) (tools.Result, error) {
	a.Count, a.Sides = cmp.Or(a.Count, 1), cmp.Or(a.Sides, 6)
	var rolls []int
	var said []string
	sum := 0
	for range a.Count {
		n := 1 + c.intN(a.Sides)
		rolls, said, sum = append(rolls, n), append(said, fmt.Sprint(n)), sum+n
	}
	text := c.book.Say("random.rolled", phrase.Args{"rolls": said, "several": a.Count > 1, "sum": sum})
	return tools.Result{Text: text, Data: map[string]any{"rolls": rolls, "sum": sum}}, nil
}

func (c chance) number(_ context.Context, a struct {
	From *int `json:"from" min:"-1000000000" max:"1000000000" about:"1 when left out"`
	To   *int `json:"to" min:"-1000000000" max:"1000000000" about:"100 when left out"`
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
	return tools.Result{Text: c.book.Say("random.number", phrase.Args{"n": n}), Data: map[string]int{"number": n}}, nil
}

func (c chance) choice(_ context.Context, a struct {
	Options []string `json:"options" need:"yes" min:"2" max:"20" item:"60"`
}) (tools.Result, error) {
	if len(a.Options) < 2 {
		return tools.Result{}, &tools.ArgumentError{Reason: "give two options or more"}
	}
	one := strings.TrimSpace(a.Options[c.intN(len(a.Options))])
	said := c.book.Say("random.choice", phrase.Args{"choice": one})
	return tools.Result{Text: said, Data: map[string]string{"choice": one}}, nil
}
