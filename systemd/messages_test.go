package systemd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCatalogExplainsEveryMessageID(t *testing.T) {
	text, err := os.ReadFile("hearthd.catalog")
	if err != nil {
		t.Fatal(err)
	}
	explained := make(map[string]bool)
	entries := strings.Split(string(text), "\n-- ")
	for _, entry := range entries[1:] {
		id, rest, _ := strings.Cut(entry, "\n")
		if !isMessageID(id) || explained[id] {
			t.Errorf("id %q is bad or there twice", id)
		}
		explained[id] = true
		head, body, _ := strings.Cut(rest, "\n\n")
		if !strings.HasPrefix(head, "Subject: ") || !strings.HasSuffix(head, "\nDefined-By: hearthd") ||
			strings.TrimSpace(body) == "" {
			t.Errorf("entry %s needs a subject, hearthd as its origin, and a text; has %q", id, head)
		}
	}
	if diff := cmp.Diff(messageIDs(t), explained); diff != "" {
		t.Errorf("messages.go (-) and hearthd.catalog (+) differ:\n%s", diff)
	}
}

// messageIDs reads the constants out of the source, so that none can be left out.
func messageIDs(t *testing.T) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "messages.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ids := make(map[string]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			id, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			ids[id] = true
		}
		return true
	})
	return ids
}
