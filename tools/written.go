package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hearthd/tools/when"
)

// reader reads what people call a day, a time of day or a repetition.
type reader interface {
	// Read gives text as the form is written, and the day that is said beside a time of day, which may be "". It is
	// not ok for a text that says no such thing.
	Read(form when.Form, text string) (strict string, day when.Day, ok bool)
}

// formsOf are the arguments of a tool that say something of time.
func formsOf(schema json.RawMessage) map[string]when.Form {
	var s struct {
		Properties map[string]struct {
			Format any `json:"format"`
		} `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil // which is no schema of ours
	}
	forms := make(map[string]when.Form)
	for name, p := range s.Properties {
		if f, ok := p.Format.(string); ok && when.Form(f).Known() {
			forms[name] = when.Form(f)
		}
	}
	return forms
}

// rewrite gives what args say of time the strict form, where a model has put it in words.
func (e *entry) rewrite(args any, r reader) error {
	object, ok := args.(map[string]any)
	if !ok {
		return nil // which the schema refuses
	}
	for _, name := range slices.Sorted(maps.Keys(e.forms)) { // a day before its time
		text, ok := object[name].(string)
		if !ok {
			continue
		}
		if strings.TrimSpace(text) == "" { // models fill in what they may leave out
			delete(object, name)
			continue
		}
		form := e.forms[name]
		err := form.Check(text)
		if err == nil {
			continue
		}
		strict, day, ok := "", when.Day(""), false
		if r != nil {
			strict, day, ok = r.Read(form, text)
		}
		if !ok || day != "" && !e.put(object, strings.Replace(name, "time", "day", 1), day) {
			return fmt.Errorf("%s: %w", name, err)
		}
		object[name] = strict
	}
	return nil
}

// put makes day the argument name, if there is such a one and it says nothing else.
func (e *entry) put(object map[string]any, name string, day when.Day) bool {
	was, given := object[name]
	if form := e.forms[name]; form != when.Days && form != when.Spans || given && was != string(day) {
		return false
	}
	object[name] = string(day)
	return true
}
