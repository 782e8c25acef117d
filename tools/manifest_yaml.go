package tools

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"hearthd/config/input"
)

// yaml notes the fields of a manifest in YAML: one mapping with text keys, whose values are kept as
// JSON.
func (o *object) yaml() {
	parsed, err := input.ParseYAML(o.data)
	if err != nil {
		at, reason := 0, err.Error()
		if m := new(input.Mistake); errors.As(err, &m) {
			at, reason = o.offset(m.Line, m.Column), m.Reason
		}
		o.mistake(at, "%s", reason)
		return
	}
	var pairs []*ast.MappingValueNode
	switch body := parsed.Body.(type) {
	case *ast.MappingNode:
		pairs = body.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{body}
	default:
		o.mistake(0, "a manifest is one mapping of keys to values")
		return
	}
	for _, pair := range pairs {
		o.add(pair)
	}
}

// add notes one key with its value.
func (o *object) add(pair *ast.MappingValueNode) {
	at := o.place(pair.Key.GetToken())
	name, ok := pair.Key.(*ast.StringNode)
	if !ok {
		o.mistake(at, "a key must be a word")
		return
	}
	raw, err := valueOf(pair.Value)
	if err != nil {
		o.mistake(at, "%s: %v", shorten(name.Value, 64), err)
		return
	}
	if _, twice := o.fields[name.Value]; twice {
		o.mistake(at, "the key %q stands twice", shorten(name.Value, 64))
	}
	value := at
	if t := firstToken(pair.Value); t != nil {
		value = o.place(t)
	}
	o.fields[name.Value] = field{at, value, raw}
}

// valueOf is a value as JSON.
func valueOf(node ast.Node) ([]byte, error) {
	var value any
	if err := input.Value(node, &value); err != nil {
		if m := new(input.Mistake); errors.As(err, &m) {
			return nil, errors.New(m.Reason)
		}
		return nil, err
	}
	return json.Marshal(value)
}

// firstToken is where a value begins: the first key of a mapping, the first dash
// of a list.
func firstToken(node ast.Node) *token.Token {
	switch n := node.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return n.Values[0].Key.GetToken()
		}
	case *ast.MappingValueNode:
		return n.Key.GetToken()
	}
	return node.GetToken()
}

// place is the offset of a token. The library's own offsets do not count from the same
// origin in all cases.
func (o *object) place(t *token.Token) int {
	if t == nil || t.Position == nil {
		return 0
	}
	return o.offset(t.Position.Line, t.Position.Column)
}

// offset is that of a line and a column, which count from 1, columns in characters.
func (o *object) offset(line, column int) int {
	start := 0
	for ; line > 1; line-- {
		end := bytes.IndexByte(o.data[start:], '\n')
		if end < 0 {
			return len(o.data)
		}
		start += end + 1
	}
	text, _, _ := bytes.Cut(o.data[start:], []byte("\n"))
	runes := []rune(string(text))
	return start + len(string(runes[:min(max(column-1, 0), len(runes))]))
}
