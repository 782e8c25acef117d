package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// FuzzSchema feeds schemas and arguments that may both come from outside, as
// those of a Model Context Protocol server will.
func FuzzSchema(f *testing.F) {
	for _, seed := range [][2]string{
		{setSchema, `{"percent":5}`},
		{`{"type":"object","$ref":"#"}`, `{}`},
		{`{"type":"object","allOf":[{"$ref":"#"}]}`, `{"a":1}`},
		{`{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"a":{"a":{"a":{}}}}`},
		{`{"type":"object","$defs":{"x":{"$dynamicAnchor":"n"}},"additionalProperties":{"$dynamicRef":"#n"}}`,
			`{"a":1}`},
		{`{"type":"object","properties":{"a":{"multipleOf":0.1,"pattern":"^(a+)+$"}}}`, `{"a":1e300}`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}`, `{}`},
		{`{"type":"object","patternProperties":{"(":{}}}`, `{}`},
		{`{"type":"object","$id":"http://127.0.0.1/x","properties":{"a":{"$ref":"y"}}}`, `{"a":1}`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, text, args []byte) {
		s, err := compileSchema(text)
		if err != nil {
			return
		}
		e := entry{schema: func() (*jsonschema.Schema, error) { return s, nil }}
		checked, err := e.arguments(args, nil)
		if err != nil {
			if err.Error() == "" {
				t.Error("a refusal without a reason")
			}
			return
		}
		if again, err := e.arguments(checked, nil); err != nil || string(again) != string(checked) {
			t.Errorf("%s was accepted as %s, and that as %s (%v)", args, checked, again, err)
		}
	})
}

func TestDeepSchemaIsRefusedBeforeItIsCompiled(t *testing.T) {
	deep := `{"type":"object","properties":{"x":` + strings.Repeat(`{"not":`, 1900) + "{}" + strings.Repeat("}", 1900) +
		"}}"
	if _, err := compileSchema(json.RawMessage(deep)); err == nil || !strings.Contains(err.Error(), "nested deeper") {
		t.Error(err)
	}
}
