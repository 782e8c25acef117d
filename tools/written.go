package tools

import (
	"encoding/json"
	"fmt"

	"hearthd/tools/when"
)

// reader reads what people call a day, a time of day or a repetition.
type reader interface {
	// Read gives text as the form is written. It is not ok for one that says no such thing.
	Read(form when.Form, text string) (strict string, ok bool)
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
	for name, form := range e.forms {
		text, ok := object[name].(string)
		if !ok {
			continue
		}
		err := form.Check(text)
		if err == nil {
			continue
		}
		if r != nil {
			if strict, ok := r.Read(form, text); ok {
				object[name] = strict
				continue
			}
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
