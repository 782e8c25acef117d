package intent

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// SetSamples sets the vocabularies to the sample names of the data, which the
// examples use.
func (m *Matcher) SetSamples() {
	for vocab, list := range m.sentences().SampleNames {
		var names []Name
		for _, n := range list {
			names = append(names, Name{Value: n})
		}
		m.SetNames(vocab, names)
	}
}

// CheckExamples returns an error for each example of the data that its intent does not understand
// as stated there. The vocabularies must be those of the examples.
func (m *Matcher) CheckExamples() []error {
	var errs []error
	for _, e := range m.sentences().Entries {
		for _, sentence := range slices.Sorted(maps.Keys(e.Examples)) {
			if err := m.check(e, sentence, e.Examples[sentence]); err != nil {
				errs = append(errs, fmt.Errorf("%s: %s: example %q: %w", e.File, e.Name, sentence, err))
			}
		}
	}
	return errs
}

func (m *Matcher) check(e entry, sentence string, args map[string]any) error {
	want, err := plainJSON(args)
	if err != nil {
		return err
	}
	match, ok := m.match(situation{while: slices.Index(whiles, e.While)}, sentence)
	if !ok {
		return errors.New("it is not understood")
	}
	if match.Intent != e.Name {
		return fmt.Errorf("it is understood as %s", match.Intent)
	}
	got, err := plainJSON(match.Call.Arguments)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(got, want) {
		text, err := json.Marshal(want)
		if err != nil {
			return err
		}
		return fmt.Errorf("its arguments are %s, and should be %s", match.Call.Arguments, text)
	}
	return nil
}

// plainJSON is v as JSON has it, so that 2 and 2.0 are the same.
func plainJSON(v any) (map[string]any, error) {
	text, err := json.Marshal(v)
	if raw, ok := v.(json.RawMessage); ok && len(raw) == 0 {
		return nil, errors.New("there are no arguments")
	}
	if err != nil {
		return nil, fmt.Errorf("write arguments: %w", err)
	}
	m := map[string]any{}
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("read arguments: %w", err)
	}
	if m == nil {
		m = map[string]any{}
	}
	return m, nil
}
