package daemon_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// file is one parsed Go source file of the module.
type file struct {
	name    string // relative to the module's root
	dir     string
	test    bool
	syntax  *ast.File
	imports []string
}

// sources parses every Go file of the module in this process, so that the test
// cannot be answered from the cache while a file changes.
func sources(t *testing.T) []file {
	t.Helper()
	var files []file
	root := ".."
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(p)
		if d.IsDir() {
			base := d.Name()
			// packaging holds tools that are modules of their own.
			if p != root && (strings.HasPrefix(base, ".") || base == "testdata" || base == "packaging" ||
				base == "dist") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		f := file{
			name: strings.TrimPrefix(name, "../"), test: strings.HasSuffix(name, "_test.go"), syntax: syntax,
		}
		f.dir = path.Dir(f.name)
		for _, i := range syntax.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			f.imports = append(f.imports, imported)
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 50 {
		t.Fatalf("found %d files: the walk did not see the module", len(files))
	}
	return files
}

func TestPackagesImportOnlyWhatTheLayersAllow(t *testing.T) {
	seen := make(map[string]bool)
	for _, f := range sources(t) {
		allowed, ok := layers[f.dir]
		if !ok && !seen[f.dir] {
			t.Errorf("package %s is not in the table", f.dir)
		}
		seen[f.dir] = true
		for _, i := range f.imports {
			checkForeign(t, f, i)
			inner, ours := strings.CutPrefix(i, "hearthd/")
			may := allowed
			if f.test {
				may = slices.Concat(allowed, inTests["*"], inTests[f.dir])
			}
			every := slices.Contains(may, "*")
			if rig(inner) {
				every = f.test
			}
			if ours && inner != f.dir && !every && !slices.Contains(may, inner) {
				t.Errorf("%s imports %s", f.name, inner)
			}
		}
	}
	for dir := range layers {
		if !seen[dir] {
			t.Errorf("the table names %s, which does not exist", dir)
		}
	}
}

// rig reports whether a package is no part of the product.
func rig(dir string) bool { return strings.HasPrefix(dir, "rigs/") }

func TestOnlyRigsMayImportRigs(t *testing.T) {
	for dir, allowed := range layers {
		if !rig(dir) && slices.ContainsFunc(allowed, rig) {
			t.Errorf("the table lets %s import a rig: %v", dir, allowed)
		}
	}
}

// maxDepth is how many arrows a walk from a program to a package that imports nothing of
// ours may take.
const maxDepth = 6

func TestNoWalkThroughTheRoomsIsLong(t *testing.T) {
	imports := make(map[string][]string)
	for _, f := range sources(t) {
		for _, i := range f.imports {
			if inner, ours := strings.CutPrefix(i, "hearthd/"); ours && !f.test &&
				!slices.Contains(imports[f.dir], inner) {
				imports[f.dir] = append(imports[f.dir], inner)
			}
		}
	}
	longest := make(map[string][]string) // from a package, without it
	var walk func(dir string) []string
	walk = func(dir string) []string {
		if _, known := longest[dir]; !known {
			longest[dir] = nil
			for _, next := range imports[dir] {
				if way := append([]string{next}, walk(next)...); len(way) > len(longest[dir]) {
					longest[dir] = way
				}
			}
		}
		return longest[dir]
	}
	for _, program := range []string{"cmd/hearthd", "cmd/hearthctl", "cmd/hearth-speech"} {
		if way := walk(program); len(way) > maxDepth {
			t.Errorf("%s needs %d arrows: %s", program, len(way), strings.Join(way, ", "))
		}
	}
}

// checkForeign keeps cgo and single-purpose libraries in their rooms.
func checkForeign(t *testing.T, f file, imported string) {
	t.Helper()
	rooms := map[string][]string{
		"C":                                       {"audio/device"},
		"github.com/gen2brain/malgo":              {"audio/device"},
		"github.com/eclipse/paho.mqtt.golang":     {"daemon/mqtt", "rigs/e2e"},
		"github.com/mochi-mqtt/server/v2":         {"daemon/mqtt"},
		"github.com/ebitengine/purego":            {"speech/sherpa"},
		"github.com/chromedp/chromedp":            {"rigs/e2e"},
		"github.com/flynn/noise":                  {"daemon/esphome"},
		"modernc.org/sqlite":                      {"memory"},
		"database/sql":                            {"memory"},
		"github.com/mmcdole/gofeed":               {"tools/feed"},
		"github.com/emersion/go-ical":             {"tools/calendar"},
		"github.com/emersion/go-webdav":           {"tools/calendar"},
		"github.com/ollama/ollama/api":            {"llm/ollama"},
		"github.com/sashabaranov/go-openai":       {"llm/openai", "llm/speechapi", "llm/stt", "llm/tts"},
		"github.com/coreos/go-systemd/v22/daemon": {"systemd"},
		"github.com/openai/openai-go/v3":          {"rigs/llmtest/oracle"},
	}
	// Tests may parse what they wrote themselves.
	if yaml, ok := strings.CutPrefix(imported, "github.com/goccy/go-yaml"); ok && !f.test && yaml != "/ast" &&
		yaml != "/token" {
		rooms[imported] = []string{"config/input"}
	}
	if where, ok := rooms[imported]; ok && !slices.Contains(where, f.dir) {
		t.Errorf("%s imports %s, which belongs in %v", f.name, imported, where)
	}
}

func TestEveryPackageHasOnePackageComment(t *testing.T) {
	comments := make(map[string][]string)
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		if _, ok := comments[f.dir]; !ok {
			comments[f.dir] = nil
		}
		if f.syntax.Doc != nil {
			comments[f.dir] = append(comments[f.dir], f.name)
			text := f.syntax.Doc.Text()
			want := "Package " + f.syntax.Name.Name + " "
			if f.syntax.Name.Name == "main" {
				want = "Command " + path.Base(f.dir) + " "
			}
			if !strings.HasPrefix(text, want) {
				t.Errorf("%s: the package comment does not begin with %q", f.name, want)
			}
		}
	}
	for dir, in := range comments {
		if len(in) != 1 {
			t.Errorf("package %s has %d package comments: %v", dir, len(in), in)
		}
	}
}

func TestNoInitAndNoContextInStructs(t *testing.T) {
	for _, f := range sources(t) {
		if f.test || f.dir == "rigs/llmtest" {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					t.Errorf("%s has an init function", f.name)
				}
			case *ast.StructType:
				for _, field := range n.Fields.List {
					if s, ok := field.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Context" {
						if x, ok := s.X.(*ast.Ident); ok && x.Name == "context" {
							t.Errorf("%s keeps a context in a struct", f.name)
						}
					}
				}
			}
			return true
		})
	}
}
