package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"hearthd/tools/when"
)

// forms are the types of arguments that say something of time.
var forms = map[reflect.Type]when.Form{
	reflect.TypeFor[when.Clock]():  when.Clocks,
	reflect.TypeFor[when.Day]():    when.Days,
	reflect.TypeFor[when.Span]():   when.Spans,
	reflect.TypeFor[when.Repeat](): when.Repeats,
}

// parameters is the JSON Schema of a struct of arguments. Beside the name for encoding/json, the
// tags of a field say what a model is told and what is checked:
//
//	about     what the argument is
//	need      "yes": every call has it; on an embedded struct: the arguments of it that every call has
//	min, max  bounds of a number, of the characters of a text, or of the length of a list
//	item      the most characters of each text of a list
//	enum      the texts that may be given, with commas between
//	pattern   what a text looks like
//
// A blank field names, in its tag oneof or anyof, the arguments of which a call has one, or one
// at least.
func parameters(t reflect.Type) json.RawMessage {
	var properties, needed []string
	choice := ""
	for _, f := range reflect.VisibleFields(t) {
		need := f.Tag.Get("need")
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Name == "_":
			choice = alternatives(f.Tag)
		case !f.Anonymous:
			properties = append(properties, quoted(name)+":"+property(f))
			need = strings.Replace(need, "yes", name, 1)
		}
		if need != "" {
			needed = append(needed, strings.Split(need, ",")...)
		}
	}
	text := `{"type":"object","properties":{` + strings.Join(properties, ",") + "}"
	if len(needed) > 0 {
		text += `,"required":` + quoted(needed)
	}
	return json.RawMessage(text + choice + `,"additionalProperties":false}`)
}

// alternatives are the arguments that stand for each other.
func alternatives(tag reflect.StructTag) string {
	key, names := "oneOf", tag.Get("oneof")
	if names == "" {
		key, names = "anyOf", tag.Get("anyof")
	}
	var each []string
	for name := range strings.SplitSeq(names, ",") {
		each = append(each, `{"required":[`+quoted(name)+"]}")
	}
	return fmt.Sprintf(`,%q:[%s]`, key, strings.Join(each, ","))
}

// property is the schema of one argument.
func property(f reflect.StructField) string {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var parts []string
	put := func(key, value string) { parts = append(parts, fmt.Sprintf("%q:%s", key, value)) }
	bounds := [2]string{"minimum", "maximum"}
	switch t.Kind() {
	case reflect.Int:
		put("type", `"integer"`)
	case reflect.Float64:
		put("type", `"number"`)
	case reflect.Bool:
		put("type", `"boolean"`)
	case reflect.Slice:
		put("type", `"array"`)
		bounds = [2]string{"minItems", "maxItems"}
	default:
		put("type", `"string"`)
		bounds = [2]string{"minLength", "maxLength"}
	}
	if form, ok := forms[t]; ok {
		put("format", quoted(form))
	}
	for i, tag := range []string{"min", "max"} {
		if v := f.Tag.Get(tag); v != "" {
			put(bounds[i], v)
		}
	}
	if v := f.Tag.Get("enum"); v != "" {
		put("enum", quoted(strings.Split(v, ",")))
	}
	if v := f.Tag.Get("pattern"); v != "" {
		put("pattern", quoted(v))
	}
	switch {
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		put("items", string(parameters(t.Elem())))
	case t.Kind() == reflect.Slice:
		put("items", `{"type":"string","minLength":1,"maxLength":`+f.Tag.Get("item")+"}")
	}
	if v := f.Tag.Get("about"); v != "" {
		put("description", quoted(v))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// quoted is v as JSON, in which < and & stay as they are: models read it.
func quoted(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // texts and lists of texts always can be written
	}
	return strings.TrimSpace(b.String())
}
