package tools

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSchemaIsMadeOfTheTagsOfTheArguments(t *testing.T) {
	type named struct {
		Name string `json:"name" max:"40"`
	}
	type arguments struct {
		_       struct{} `oneof:"percent,kind"`
		named   `need:"name"`
		Percent *int     `json:"percent" need:"yes" min:"-10" max:"100" about:"<up> & down"`
		Size    float64  `json:"size"`
		Kind    string   `json:"kind" min:"1" enum:"a,b" pattern:"^[a-z]{1,9}$"`
		On      bool     `json:"on"`
		Words   []string `json:"words" min:"2" max:"9" item:"60"`
		More    []named  `json:"more"`
	}
	const want = `{"type":"object","properties":{
		"name":{"type":"string","maxLength":40},
		"percent":{"type":"integer","minimum":-10,"maximum":100,"description":"<up> & down"},
		"size":{"type":"number"},
		"kind":{"type":"string","minLength":1,"enum":["a","b"],"pattern":"^[a-z]{1,9}$"},
		"on":{"type":"boolean"},
		"words":{"type":"array","minItems":2,"maxItems":9,"items":{"type":"string","minLength":1,"maxLength":60}},
		"more":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string","maxLength":40}},"additionalProperties":false}}
	},"required":["name","percent"],"oneOf":[{"required":["percent"]},{"required":["kind"]}],"additionalProperties":false}`
	var got, expected any
	if err := json.Unmarshal(parameters(reflect.TypeFor[arguments]()), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &expected); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Error(diff)
	}
	if got := string(parameters(
		reflect.TypeFor[struct{}]())); got != `{"type":"object","properties":{},"additionalProperties":false}` {
		t.Error(got)
	}
}
