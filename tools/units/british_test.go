package units

import (
	"context"
	"encoding/json"
	"testing"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

func TestBritonsAreToldOfBritishMeasures(t *testing.T) {
	british := false
	tool := New(Options{Book: phrase.English(), British: func(context.Context, string) bool { return british }})
	for _, c := range []struct{ args, us, uk string }{
		{`{"value":1,"from":"pint","to":"milliliter"}`, "One pint is about 473 milliliters.",
			"One pint is about 568 milliliters."},
		{`{"value":1,"from":"gallon","to":"liter"}`, "One gallon is about 3.8 liters.",
			"One gallon is about 4.5 liters."},
		{`{"value":1,"from":"pint","to":"fluid_ounce"}`, "One pint is 16 fluid ounces.",
			"One pint is 20 fluid ounces."},
		{`{"value":1,"from":"pint","to":"ounce"}`, "One pint is 16 fluid ounces.", "One pint is 20 fluid ounces."},
		{`{"value":2,"from":"tablespoon","to":"milliliter"}`, "Two tablespoons is about 30 milliliters.",
			"Two tablespoons is 30 milliliters."},
		{`{"value":1,"from":"cup","to":"gram","ingredient":"flour"}`, "One cup of flour is about 120 grams.",
			"One cup of flour is about 120 grams."},
		{`{"value":1,"from":"imperial pint","to":"milliliter"}`, "One British pint is about 568 milliliters.",
			"One British pint is about 568 milliliters."},
	} {
		for british = range map[bool]bool{true: true, false: false} {
			got, err := tool.Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(c.args)}})
			want := map[bool]string{true: c.uk, false: c.us}[british]
			if err != nil || got.Text != want {
				t.Errorf("%s, British %v: %q (%v), want %q", c.args, british, got.Text, err, want)
			}
		}
	}
	var _ tools.Tool = tool
}

// Spoons are metric in all of Europe, where a gallon is still American.
func TestSpoonsOutsideAmericaAreMetric(t *testing.T) {
	tool := New(Options{Book: phrase.English(), Metric: true})
	for args, want := range map[string]string{
		`{"value":3,"from":"tablespoon","to":"milliliter"}`: "Three tablespoons is 45 milliliters.",
		`{"value":1,"from":"gallon","to":"liter"}`:          "One gallon is about 3.8 liters.",
	} {
		got, err := tool.Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(args)}})
		if err != nil || got.Text != want {
			t.Errorf("%s: %q (%v), want %q", args, got.Text, err, want)
		}
	}
}
