package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxNesting bounds the depth of a manifest in YAML.
const maxNesting = 32

// parseYAML reads a manifest in YAML into the same form as one in JSON: one
// mapping with text keys, whose values are kept as JSON. Anchors and merges, with
// which a short text becomes a long one, are not taken.
func parseYAML(file string, data []byte) (*object, []*ManifestError) {
	o := &object{file: file, data: data, fields: map[string]field{}}
	tokens := lexer.Tokenize(string(data))
	depth := 0
	for _, t := range tokens {
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType:
			o.mistake(o.place(t), "anchors, aliases, merges and tags are not taken")
			return nil, o.mistakes
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		}
		if depth > maxNesting || t.Position.IndentNum > 4*maxNesting {
			o.mistake(o.place(t), "too deeply nested")
			return nil, o.mistakes
		}
	}
	parsed, err := parser.Parse(tokens, 0)
	if err != nil {
		var bad yaml.Error
		if errors.As(err, &bad) {
			o.mistake(o.place(bad.GetToken()), "%s", bad.GetMessage())
		} else {
			o.mistake(0, "%v", err)
		}
		return nil, o.mistakes
	}
	if len(parsed.Docs) != 1 {
		o.mistake(0, "a manifest is one document")
		return nil, o.mistakes
	}
	var pairs []*ast.MappingValueNode
	switch body := parsed.Docs[0].Body.(type) {
	case *ast.MappingNode:
		pairs = body.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{body}
	default:
		o.mistake(0, "a manifest is one mapping of keys to values")
		return nil, o.mistakes
	}
	for _, pair := range pairs {
		o.add(pair)
	}
	return o, o.mistakes
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
func valueOf(node ast.Node) (raw []byte, err error) {
	defer func() { // the library is fed what a person typed
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot be read: %v", p)
		}
	}()
	var value any
	if err := yaml.NodeToValue(node, &value); err != nil {
		var bad yaml.Error
		if errors.As(err, &bad) {
			return nil, errors.New(bad.GetMessage())
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

// place is the offset of a token. The library counts columns in characters, and
// its own offsets not from the same origin in all cases.
func (o *object) place(t *token.Token) int {
	if t == nil || t.Position == nil {
		return 0
	}
	start := 0
	for line := 1; line < t.Position.Line; line++ {
		end := bytes.IndexByte(o.data[start:], '\n')
		if end < 0 {
			return len(o.data)
		}
		start += end + 1
	}
	line, _, _ := bytes.Cut(o.data[start:], []byte("\n"))
	runes := []rune(string(line))
	return start + len(string(runes[:min(max(t.Position.Column-1, 0), len(runes))]))
}
