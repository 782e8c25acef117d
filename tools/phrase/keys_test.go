package phrase

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/template/parse"

	"hearthd/language"
)

var isKey = regexp.MustCompile(`^[a-z]+\.[a-z0-9_]+$`)

// call is a place in our Go that says something.
type call struct {
	key, prefix string   // a prefix: the rest is put together
	args        []string // nil: they are not written there
	written     bool
	at          string
}

// keys are all of a book.
func keys(b *Book) (list []string) {
	for _, t := range b.texts.Templates() {
		list = append(list, t.Name())
	}
	slices.Sort(list)
	return list
}

// source is the places in our Go that say something, and the texts that have the form of a key.
type source struct {
	calls []call
	texts map[string]bool
}

// ours is our Go, read once.
var ours = sync.OnceValues(func() (source, error) {
	s, files := source{texts: map[string]bool{}}, token.NewFileSet()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "rigs" || d.Name() == "testdata") {
			return cmp.Or(err, fs.SkipDir)
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := literal(n); ok && isKey.MatchString(text) {
				s.texts[text] = true
			}
			if c, ok := said(n); ok {
				c.at = files.Position(n.Pos()).String()
				s.calls = append(s.calls, c)
			}
			return true
		})
		return nil
	})
	return s, err
})

func calls(t *testing.T) (list []call, texts map[string]bool) {
	t.Helper()
	s, err := ours()
	if err != nil {
		t.Fatal(err)
	}
	return s.calls, s.texts
}

// literal is the text of a string that is written there.
func literal(n ast.Node) (string, bool) {
	if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
		text, err := strconv.Unquote(l.Value)
		return text, err == nil
	}
	return "", false
}

// said reads a call of Say, Part or Lines.
func said(n ast.Node) (c call, ok bool) {
	e, is := n.(*ast.CallExpr)
	if !is || len(e.Args) == 0 {
		return c, false
	}
	f, is := e.Fun.(*ast.SelectorExpr)
	if !is || !slices.Contains([]string{"Say", "Part", "Lines"}, f.Sel.Name) {
		return c, false
	}
	first := e.Args[0]
	if sum, is := first.(*ast.BinaryExpr); is {
		c.prefix, _ = literal(sum.X)
		return c, isKey.MatchString(c.prefix + "x")
	}
	if c.key, ok = literal(first); !ok || !isKey.MatchString(c.key) {
		return c, false
	}
	if c.written = len(e.Args) == 1; c.written {
		return c, true
	}
	if args, is := e.Args[1].(*ast.CompositeLit); is {
		c.written = true
		for _, pair := range args.Elts {
			if name, ok := literal(pair.(*ast.KeyValueExpr).Key); ok {
				c.args = append(c.args, name)
			}
		}
	}
	return c, true
}

// used is what a template uses.
type used struct{ args, parts []string }

// uses reads the template of a key.
func uses(b *Book, key string) (u used) {
	var walk func(n parse.Node, root bool)
	list := func(l *parse.ListNode, root bool) {
		if l != nil {
			for _, n := range l.Nodes {
				walk(n, root)
			}
		}
	}
	branch := func(n *parse.BranchNode, root, body bool) {
		walk(n.Pipe, root)
		list(n.List, body)
		list(n.ElseList, root)
	}
	walk = func(n parse.Node, root bool) {
		switch n := n.(type) {
		case *parse.ListNode:
			list(n, root)
		case *parse.ActionNode:
			walk(n.Pipe, root)
		case *parse.IfNode:
			branch(&n.BranchNode, root, root)
		case *parse.WithNode:
			branch(&n.BranchNode, root, false)
		case *parse.RangeNode:
			branch(&n.BranchNode, root, false)
		case *parse.PipeNode:
			for _, c := range n.Cmds {
				for _, a := range c.Args {
					walk(a, root)
				}
			}
		case *parse.FieldNode:
			if root {
				u.args = append(u.args, n.Ident[0])
			}
		case *parse.VariableNode:
			if n.Ident[0] == "$" && len(n.Ident) > 1 {
				u.args = append(u.args, n.Ident[1])
			}
		case *parse.ChainNode:
			walk(n.Node, root)
		case *parse.StringNode:
			if isKey.MatchString(n.Text) {
				u.parts = append(u.parts, n.Text)
			}
		}
	}
	list(b.texts.Lookup(key).Root, true)
	return u
}

func books(t *testing.T) map[string]*Book {
	t.Helper()
	all := map[string]*Book{}
	for _, name := range language.Names() {
		b, err := New(Options{Language: name})
		if err != nil {
			t.Fatal(err)
		}
		all[name] = b
	}
	return all
}

func TestEveryAnswerThatIsCalledIsThereInEveryLanguage(t *testing.T) {
	list, _ := calls(t)
	for name, b := range books(t) {
		have := keys(b)
		for _, c := range list {
			switch {
			case c.prefix != "":
				others := func(k string) bool { return !strings.HasPrefix(k, c.prefix) }
				want, got := slices.DeleteFunc(keys(English()), others), slices.DeleteFunc(slices.Clone(have), others)
				if len(want) == 0 || !slices.Equal(got, want) {
					t.Errorf("%s: %s: the answers %s are %v, want %v", c.at, name, c.prefix, got, want)
				}
			case !slices.Contains(have, c.key):
				t.Errorf("%s: %s: there is no answer %s", c.at, name, c.key)
			case c.written:
				for _, arg := range uses(b, c.key).args {
					if !slices.Contains(c.args, arg) {
						t.Errorf("%s: %s: %s wants the argument %s", c.at, name, c.key, arg)
					}
				}
			}
		}
	}
}

func TestEveryAnswerIsCalled(t *testing.T) {
	list, texts := calls(t)
	for name, b := range books(t) {
		called := maps.Clone(texts)
		for _, key := range keys(b) {
			for _, part := range uses(b, key).parts {
				called[part] = true
			}
		}
		for _, key := range keys(b) {
			fits := func(c call) bool { return c.prefix != "" && strings.HasPrefix(key, c.prefix) }
			if !called[key] && !slices.ContainsFunc(list, fits) && !strings.HasPrefix(key, "core.") {
				t.Errorf("%s: nobody says %s", name, key)
			}
		}
	}
}
