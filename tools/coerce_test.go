package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const kindsSchema = `{"type":"object","additionalProperties":false,"required":["need"],"properties":{
	"need":{"type":"integer"},
	"level":{"type":"number"},
	"on":{"type":"boolean"},
	"text":{"type":"string"},
	"maybe":{"type":["string","null"]},
	"either":{"type":["string","integer"]},
	"items":{"type":"array","items":{"type":"string"}},
	"inner":{"type":"object","properties":{"deep":{"$ref":"#/$defs/whole"}}},
	"room":{"enum":["Kitchen","hall","HALL"]}},
	"$defs":{"whole":{"type":"integer"}}}`

func checker(t *testing.T, schema string) *entry {
	t.Helper()
	s, err := compileSchema(json.RawMessage(schema))
	if err != nil {
		t.Fatal(err)
	}
	return &entry{schema: func() (*jsonschema.Schema, error) { return s, nil }}
}

func TestArgumentsOfTheWrongTypeAreCoercedWhereHarmless(t *testing.T) {
	e := checker(t, kindsSchema)
	for args, want := range map[string]string{
		`{"need":"5"}`:                             `{"need":5}`,
		`{"need":" 5.0 "}`:                         `{"need":5}`,
		`{"need":5,"level":"-2.5"}`:                `{"level":-2.5,"need":5}`,
		`{"need":5,"on":"True"}`:                   `{"need":5,"on":true}`,
		`{"need":5,"text":12.5}`:                   `{"need":5,"text":"12.5"}`,
		`{"need":5,"items":"milk"}`:                `{"items":["milk"],"need":5}`,
		`{"need":5,"items":7}`:                     `{"items":["7"],"need":5}`,
		`{"need":5,"items":"[\"milk\",\"eggs\"]"}`: `{"items":["milk","eggs"],"need":5}`,
		`{"need":5,"inner":"{\"deep\":\"3\"}"}`:    `{"inner":{"deep":3},"need":5}`,
		`{"need":"5","text":null,"on":null}`:       `{"need":5}`,
		`{"need":"5","maybe":null}`:                `{"maybe":null,"need":5}`,
		`{"need":5,"room":"KITCHEN"}`:              `{"need":5,"room":"Kitchen"}`,
		`"{\"need\":\"5\"}"`:                       `{"need":5}`,
		// What fits stays as it is.
		`{"need":5,"either":"7","text":"true"}`: `{"either":"7","need":5,"text":"true"}`,
	} {
		got, err := e.arguments(json.RawMessage(args), nil)
		if err != nil || string(got) != want {
			t.Errorf("%s became %s, %v; want %s", args, got, err, want)
		}
	}
}

func TestArgumentsThatCouldMeanTwoThingsAreRefusedWithWhatIsTaken(t *testing.T) {
	e := checker(t, kindsSchema)
	for _, args := range []string{
		`{"need":"five"}`, `{"need":"5 minutes"}`, `{"need":"0x10"}`, `{"need":"1e3"}`, `{"need":"5.5"}`,
		`{"need":true}`, `{"need":null}`,
		`{"need":5,"on":"yes"}`, `{"need":5,"on":1}`, `{"need":5,"text":true}`, `{"need":5,"text":["a"]}`,
		`{"need":5,"room":"Hall"}`, `{"need":5,"other":1}`,
	} {
		_, err := e.arguments(json.RawMessage(args), nil)
		if err == nil || !strings.Contains(err.Error(), "It takes: either (integer or string), inner (object)") ||
			!strings.Contains(err.Error(), "need (integer, needed)") {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestWhatFitsOneOfTwoTypesIsNotMadeAList(t *testing.T) {
	e := checker(t,
		`{"type":"object","properties":{"need":{"type":"integer"},"a":{"type":["object","array"]},"b":{"type":["number","array"]},"c":{"type":["boolean","array"]}}}`)
	const want = `{"a":{"x":1},"b":2,"c":true,"need":5}`
	if got, err := e.arguments(json.RawMessage(`{"need":"5","a":{"x":1},"b":2,"c":true}`), nil); err != nil ||
		string(got) != want {
		t.Errorf("%s %v, want %s", got, err, want)
	}
}

func TestReferencesThatGoInCirclesEnd(t *testing.T) {
	e := checker(t,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"object","properties":{"a":{"$ref":"#/$defs/x"},"n":{"type":"integer"}}}}}`)
	got, err := e.arguments(json.RawMessage(`{"a":{"a":{"n":"1"}}}`), nil)
	if err != nil || string(got) != `{"a":{"a":{"n":1}}}` {
		t.Errorf("%s %v", got, err)
	}
}
