package daemon_test

import (
	"go/ast"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestArchitectureNamesWhatExists checks every `package.Name` and `path/to/package`
// of ARCHITECTURE.md against the source.
func TestArchitectureNamesWhatExists(t *testing.T) {
	text, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	dirs, names := make(map[string]bool), make(map[string]bool)
	for _, f := range sources(t) {
		dirs[f.dir], dirs[f.name] = true, true
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names[f.syntax.Name.Name+"."+s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names[f.syntax.Name.Name+"."+n.Name] = true
						}
					}
				}
			}
		}
	}
	found := 0
	dotted := regexp.MustCompile(`\b([a-z]+)\.([A-Z][A-Za-z]+)\b`)
	for _, m := range dotted.FindAllStringSubmatch(string(text), -1) {
		found++
		if !names[m[0]] {
			t.Errorf("ARCHITECTURE.md names %s, which does not exist", m[0])
		}
	}
	for _, m := range regexp.MustCompile("`([a-z0-9/_.]+)`").FindAllStringSubmatch(string(text), -1) {
		first, _, ok := strings.Cut(m[1], "/")
		if !ok {
			continue
		}
		found++
		if !dirs[path.Clean(m[1])] {
			t.Errorf("ARCHITECTURE.md names %s in %s, which does not exist", m[1], first)
		}
	}
	if found < 20 {
		t.Errorf("found %d names: the test does not see the page", found)
	}
}
