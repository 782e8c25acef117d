package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// object is the top level of a manifest with the place of each key and value,
// which encoding/json does not tell for unknown keys.
type object struct {
	file     string
	data     []byte
	fields   map[string]field
	mistakes []*ManifestError
}

type field struct {
	key, value int // offsets in bytes
	raw        []byte
}

// parseObject reads a manifest, by the ending of its name.
func parseObject(file string, data []byte) (*object, []*ManifestError) {
	o := &object{file: file, data: data, fields: map[string]field{}}
	if filepath.Ext(file) == ".json" {
		o.json()
	} else {
		o.yaml()
	}
	return o, o.mistakes
}

// json notes the fields of a manifest in JSON.
func (o *object) json() {
	data := o.data
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		var syntax *json.SyntaxError
		at := len(data)
		if errors.As(err, &syntax) {
			at = int(syntax.Offset) - 1 // Offset counts the offending byte
		}
		o.mistake(at, "%v", err)
		return
	}
	if start := o.skip(0); data[start] != '{' {
		o.mistake(start, "a manifest is one JSON object")
		return
	}
	o.scan()
}

// scan notes the fields. The document is known to be valid JSON.
func (o *object) scan() {
	dec := json.NewDecoder(bytes.NewReader(o.data))
	if _, err := dec.Token(); err != nil { // the brace
		o.mistake(0, "%v", err)
		return
	}
	for dec.More() {
		at := o.skip(int(dec.InputOffset()))
		token, err := dec.Token()
		key, isKey := token.(string)
		var raw json.RawMessage
		if err == nil {
			err = dec.Decode(&raw)
		}
		if err != nil || !isKey {
			o.mistake(at, "no key and value: %v", err)
			return
		}
		if _, twice := o.fields[key]; twice {
			o.mistake(at, "the key %q stands twice", shorten(key, 64))
		}
		o.fields[key] = field{at, int(dec.InputOffset()) - len(raw), raw}
	}
}

// skip finds the next token.
func (o *object) skip(at int) int {
	for at < len(o.data)-1 && bytes.IndexByte([]byte(" \t\r\n,:"), o.data[at]) >= 0 {
		at++
	}
	return at
}

// take parses a field and marks it as used.
func (o *object) take(key string, required bool, parse func(raw []byte) error) {
	f, ok := o.fields[key]
	delete(o.fields, key)
	if !ok {
		if required {
			o.mistake(o.skip(0), "the key %q is missing", key)
		}
		return
	}
	if err := parse(f.raw); err != nil {
		o.mistake(f.value, "%s: %v", key, err)
	}
}

// rest returns the mistakes, with one for each key that is not known.
func (o *object) rest() []*ManifestError {
	for _, key := range slices.Sorted(maps.Keys(o.fields)) {
		o.mistake(o.fields[key].key, "unknown key %q", shorten(key, 64))
	}
	slices.SortStableFunc(o.mistakes, func(a, b *ManifestError) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return o.mistakes
}

func (o *object) position(at int) (line, column int) {
	before := o.data[:min(max(at, 0), len(o.data))]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}

func (o *object) mistake(at int, format string, args ...any) {
	line, column := o.position(at)
	o.mistakes = append(o.mistakes, &ManifestError{
		File: o.file, Line: line, Column: column,
		Reason: shorten(strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " "), 400),
	})
}
