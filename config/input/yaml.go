package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds of a text in YAML. The parser keeps the path of every value as a text of its
// own, so that its memory grows with the depth times the size: 60 kB of brackets took
// 1.4 GB, and a key of 30 kB with as many values beneath it takes as much.
const (
	maxYAML   = 1 << 20 // bytes
	maxDepth  = 64      // a list in a block counts twice
	maxTokens = 200_000
	maxPaths  = 32 << 20 // bytes of the paths of all values together
	maxReason = 200      // letters of the parser's message, which may quote the text
)

// Mistake is what is wrong with a text in YAML. Line and Column count from 1, columns in
// characters; they are 0 when the text as a whole is meant.
type Mistake struct {
	Line, Column int
	Reason       string
}

func (m *Mistake) Error() string {
	if m.Line == 0 {
		return m.Reason
	}
	return fmt.Sprintf("line %d column %d: %s", m.Line, m.Column, m.Reason)
}

func mistake(t *token.Token, reason string) *Mistake {
	// The parser's own words may have several lines and quote a long text.
	reason, _, _ = strings.Cut(reason, "\n")
	if strings.Contains(reason, "'\t'") {
		reason = "a tab stands there; YAML is indented with spaces"
	}
	m := &Mistake{Reason: fmt.Sprintf("%.*s", maxReason, reason)}
	if t != nil && t.Position != nil {
		m.Line, m.Column = max(t.Position.Line, 1), max(t.Position.Column, 1)
	}
	return m
}

// YAML is a parsed text.
type YAML struct {
	Body   ast.Node     // nil when there is nothing but comments
	Tokens token.Tokens // all of them, comments too

	tree *ast.File
}

// ParseYAML parses text when it is within the bounds. Anchors, aliases, merges and tags, with which
// a short text can become a long or a different one, are refused. The error is a *Mistake.
func ParseYAML(text []byte) (y *YAML, err error) {
	if len(text) > maxYAML {
		return nil, &Mistake{Reason: fmt.Sprintf("the text has %d bytes, at most %d are read", len(text), maxYAML)}
	}
	defer recovered(&err)
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // as editors of Windows write it
	tokens := lexer.Tokenize(string(text))
	if m := bounded(tokens); m != nil {
		return nil, m
	}
	tree, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, from(err)
	}
	y = &YAML{Tokens: tokens, tree: tree}
	for _, d := range tree.Docs {
		if d.Body != nil && d.Body.Type() != ast.CommentType && d.Body.Type() != ast.NullType {
			y.Body = d.Body
		}
	}
	return y, nil
}

// Position is where the value of a path such as "$.a[1].b" stands, as a Mistake says it,
// or the path.
func (y *YAML) Position(path string) string {
	p, err := yaml.PathString(path)
	if err != nil {
		return path
	}
	n, err := p.FilterFile(y.tree)
	if err != nil || n == nil || n.GetToken() == nil {
		return path
	}
	at := n.GetToken().Position
	return fmt.Sprintf("line %d column %d", at.Line, at.Column)
}

// DecodeYAML decodes text into what to points to. A key that it has no field for is an error. The
// error is io.EOF for a text without content, otherwise a *Mistake.
func DecodeYAML(text []byte, to any) (err error) {
	y, err := ParseYAML(text)
	if err != nil {
		return err
	}
	if y.Body == nil {
		return io.EOF
	}
	return Value(y.Body, to)
}

// Value decodes one value of a YAML into what to points to.
func Value(node ast.Node, to any) (err error) {
	defer recovered(&err)
	if err := yaml.NewDecoder(bytes.NewReader(nil), yaml.Strict()).DecodeFromNode(node, to); err != nil {
		return from(err)
	}
	return nil
}

// EncodeYAML is v as a text in YAML that DecodeYAML reads.
func EncodeYAML(v any) ([]byte, error) { return yaml.Marshal(v) }

// recovered turns a panic into a mistake: the library is given text that anybody may have written.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = &Mistake{Reason: fmt.Sprintf("cannot be read: %.100v", p)}
	}
}

func from(err error) *Mistake {
	if bad, ok := errors.AsType[yaml.Error](err); ok {
		return mistake(bad.GetToken(), bad.GetMessage())
	}
	return mistake(nil, err.Error())
}

// bounded refuses tokens that would cost the parser too much.
func bounded(tokens token.Tokens) *Mistake {
	if len(tokens) > maxTokens {
		return mistake(tokens[maxTokens], fmt.Sprintf("more than %d words and signs", maxTokens))
	}
	var n nesting
	paths, words := 0, 0
	for i, t := range tokens {
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType:
			return mistake(t, "anchors, aliases, merges and tags are not taken")
		case token.DirectiveType, token.DocumentEndType:
			return mistake(t, "directives and ends of documents are not taken")
		case token.DocumentHeaderType:
			if words > 0 {
				return mistake(t, "there is more than one document")
			}
			continue
		case token.CommentType:
			continue
		}
		words++
		n.step(t)
		if t.Type == token.MappingValueType && i > 0 {
			n.beneath(len(tokens[i-1].Value))
		}
		if n.depth() > maxDepth {
			return mistake(t, "too deeply nested")
		}
		if paths += n.path; paths > maxPaths {
			return mistake(t, "too many values beneath long keys")
		}
	}
	return nil
}
