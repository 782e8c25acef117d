package random

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

func call(t testing.TB, name, args string) tools.Result {
	t.Helper()
	for _, tool := range New(Options{Book: phrase.English(), rand: seeded}) {
		if tool.Spec().Name == name {
			r, err := tool.Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(args)}})
			if err != nil {
				t.Fatalf("%s %s: %v", name, args, err)
			}
			return r
		}
	}
	t.Fatalf("there is no tool %s", name)
	return tools.Result{}
}

var seeded = rand.New(rand.NewPCG(1, 2))

func TestEveryOutcomeComesAndNoOther(t *testing.T) {
	for _, c := range []struct {
		name, args string
		outcomes   int
		form       string
	}{
		{"coin_flip", `{}`, 2, `^(Heads|Tails)\.$`},
		{"dice_roll", `{}`, 6, `^You rolled [1-6]\.$`},
		{"dice_roll", `{"sides":20}`, 20, `^You rolled ([1-9]|1[0-9]|20)\.$`},
		{"number_pick", `{"from":3,"to":5}`, 3, `^[345]\.$`},
		{"number_pick", `{"from":5,"to":3}`, 3, `^[345]\.$`},
		{"number_pick", `{}`, 100, `^([1-9][0-9]?|100)\.$`},
		{"choice_pick", `{"options":["pizza","pasta","soup"]}`, 3, `^(Pizza|Pasta|Soup)\.$`},
	} {
		seen := map[string]bool{}
		for range 2000 {
			text := call(t, c.name, c.args).Text
			if seen[text] = true; !regexp.MustCompile(c.form).MatchString(text) {
				t.Fatalf("%s %s: %q", c.name, c.args, text)
			}
		}
		if len(seen) != c.outcomes {
			t.Errorf("%s %s: %d outcomes, want %d", c.name, c.args, len(seen), c.outcomes)
		}
	}
}

func TestDiceAreSummed(t *testing.T) {
	r := call(t, "dice_roll", `{"count":2}`)
	var got struct {
		Rolls []int
		Sum   int
	}
	b, err := json.Marshal(r.Data)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("You rolled %d and %d: %d together.", got.Rolls[0], got.Rolls[1], got.Sum); r.Text != want ||
		got.Sum != got.Rolls[0]+got.Rolls[1] {
		t.Errorf("%q, %+v", r.Text, got)
	}
}
