package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
	"hearthd/tools/phrase"
)

func noop(name, schema string) Tool {
	return Func(spec(name, schema), func(context.Context, struct{}) (Result, error) { return Result{}, nil })
}

// triggered puts trigger sentences on a tool.
type triggered struct {
	Tool
	sentences []string
}

func (t triggered) Triggers() []string { return t.sentences }

func TestSpecsAreSortedByName(t *testing.T) {
	r := NewRegistry(phrase.English())
	if err := r.Register(noop("b", `{"type":"object"}`), noop("c", `{"type":"object"}`),
		noop("a", `{"type":"object"}`)); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range r.Specs() {
		names = append(names, s.Name)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestRegistryRefusesWhatCannotWork(t *testing.T) {
	plainObject := `{"type":"object"}`
	cases := map[string]Tool{
		"the name must match": noop("Bad Name", plainObject),
		"the description must have": Func[struct{}](llm.ToolSpec{Name: "a",
			Parameters: json.RawMessage(plainObject)}, nil),
		"there is no JSON":           noop("a", ""),
		"must be a JSON schema with": noop("a", `{"type":"array"}`),
		"leads outside the schema": noop("a",
			`{"type":"object","properties":{"x":{"$ref":"http://127.0.0.1/schema"}}}`),
		`"file:///etc/passwd"`: noop("a", `{"type":"object","properties":{"x":{"$ref":"file:///etc/passwd"}}}`),
		"compile parameters":   noop("a", `{"type":"object","properties":{"x":{"type":"text"}}}`),
		"out of range":         noop("a", `{"type":"object","properties":{"x":{"minimum":1e999999999}}}`),
		"have more than": noop("a", `{"type":"object","description":"`+strings.Repeat("x", maxSchema)+
			`"}`),
		"the timeout":                    limited{noop("a", plainObject), Limits{Timeout: time.Hour}},
		"the cooldown":                   limited{noop("a", plainObject), Limits{Cooldown: -1}},
		"the name is taken":              noop("taken", plainObject),
		`the trigger "Night, ALL" is ta`: triggered{noop("a", plainObject), []string{"Night, ALL"}},
		"must work without arguments":    triggered{noop("a", setSchema), []string{"dim"}},
	}
	for want, tool := range cases {
		r := NewRegistry(phrase.English())
		if err := r.Register(triggered{noop("taken", plainObject), []string{"night,  all"}}); err != nil {
			t.Fatal(err)
		}
		err := r.Register(tool)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "register tool") {
			t.Errorf("error %v, want %q", err, want)
		}
		if n := len(r.Specs()); n != 1 {
			t.Errorf("%q: %d tools", want, n)
		}
		if diff := cmp.Diff(map[string]string{"night, all": "taken"}, r.Triggers()); diff != "" {
			t.Error(diff)
		}
	}
}
