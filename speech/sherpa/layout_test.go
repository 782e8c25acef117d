package sherpa

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hearthd/rigs/speechtest"
)

// TestEveryFieldLiesWhereTheHeaderHasIt has the C compilers of all three machines check offsets and sizes
// as Go lays them out there against the very header of the release.
func TestEveryFieldLiesWhereTheHeaderHasIt(t *testing.T) {
	header := filepath.Join(speechtest.Folder(t), "include", "c-api-"+known+".h")
	if _, err := os.Stat(header); err != nil {
		t.Fatal(err)
	}
	scope := layout(t)
	tried := 0
	for arch, compiler := range map[string]string{
		"amd64": "x86_64-linux-gnu-gcc", "arm64": "aarch64-linux-gnu-gcc", "arm": "arm-linux-gnueabihf-gcc",
	} {
		if _, err := exec.LookPath(compiler); err != nil {
			t.Logf("%s: no %s here", arch, compiler)
			continue
		}
		tried++
		c := fmt.Sprintf("#include <stddef.h>\n#include %q\n", header)
		for in, out := range map[string]string{
			"onlineConfig": "OnlineRecognizerConfig", "offlineConfig": "OfflineRecognizerConfig",
			"voiceConfig": "OfflineTtsConfig", "generation": "GenerationConfig",
			"generated": "GeneratedAudio", "printerConfig": "SpeakerEmbeddingExtractorConfig",
			"keywordConfig": "KeywordSpotterConfig",
		} {
			c += asserts(types.SizesFor("gc", arch), "SherpaOnnx"+out, scope.Lookup(in).Type())
		}
		for _, result := range []string{"OnlineRecognizerResult", "OfflineRecognizerResult"} {
			c += fmt.Sprintf("_Static_assert(offsetof(SherpaOnnx%s, text) == 0, \"text\");\n", result)
		}
		c += "_Static_assert(offsetof(SherpaOnnxKeywordResult, keyword) == 0, \"keyword\");\n"
		cmd := exec.CommandContext(t.Context(), compiler, "-fsyntax-only", "-x", "c", "-")
		cmd.Stdin = strings.NewReader(c)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", arch, err, out)
		}
	}
	if tried == 0 {
		t.Skip("no C compiler here")
	}
}

// layout is what layout.go declares.
func layout(t *testing.T) *types.Scope {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "layout.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	// The one constant of another package says nothing of the layout.
	f.Decls = f.Decls[1 : len(f.Decls)-1]
	p, err := (&types.Config{Importer: importer.Default()}).Check("sherpa", set, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p.Scope()
}

// asserts are the sizes of a structure and where its fields with a tag lie.
func asserts(sizes types.Sizes, name string, of types.Type) string {
	c := fmt.Sprintf("_Static_assert(sizeof(%s) == %d, \"size of %[1]s\");\n", name, sizes.Sizeof(of))
	return c + fields(sizes, name, "", 0, of.Underlying().(*types.Struct))
}

func fields(sizes types.Sizes, name, path string, base int64, s *types.Struct) (c string) {
	var list []*types.Var
	for i := range s.NumFields() {
		list = append(list, s.Field(i))
	}
	for i, offset := range sizes.Offsetsof(list) {
		tag := reflect.StructTag(s.Tag(i)).Get("c")
		if tag == "" {
			continue
		}
		c += fmt.Sprintf("_Static_assert(offsetof(%s, %s%s) == %d, \"%[2]s%[3]s\");\n", name, path, tag, base+offset)
		c += fmt.Sprintf("_Static_assert(sizeof(((%s *)0)->%s%s) == %d, \"size of %[2]s%[3]s\");\n", name, path, tag,
			sizes.Sizeof(list[i].Type()))
		if inner, ok := list[i].Type().Underlying().(*types.Struct); ok {
			c += fields(sizes, name, path+tag+".", base+offset, inner)
		}
	}
	return c
}
