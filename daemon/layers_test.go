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

// layers says which packages of hearthd each package may import (DESIGN §2). A
// package that is not in the table fails. "*" means every one.
var layers = map[string][]string{
	"cmd/hearthd": {"config", "daemon", "daemon/api", "daemon/ears", "systemd"},
	// The commands of hearthctl that are more than a question to the daemon have rooms of
	// their own.
	"cmd/hearthctl": {"cmd/hearthctl/backup", "cmd/hearthctl/configfile", "cmd/hearthctl/ctl", "cmd/hearthctl/doctor",
		"cmd/hearthctl/logs", "cmd/hearthctl/mic", "cmd/hearthctl/setup", "cmd/hearthctl/wake", "config", "daemon/api",
		"daemon/event", "daemon/health", "daemon/mqtt/contract", "daemon/vitals", "tools", "tools/intent", "tools/when"},
	"cmd/hearthctl/backup":      {"cmd/hearthctl/configfile", "cmd/hearthctl/ctl", "config", "daemon/bundle", "tools"},
	"cmd/hearthctl/configfile":  {"cmd/hearthctl/ctl", "config", "daemon/api"},
	"cmd/hearthctl/ctl":         {},
	"cmd/hearthctl/ctl/ctltest": {},
	"cmd/hearthctl/doctor": {"cmd/hearthctl/configfile", "cmd/hearthctl/ctl", "cmd/hearthctl/mic", "daemon/api",
		"daemon/doctor", "daemon/doctor/box"},
	"cmd/hearthctl/logs": {"cmd/hearthctl/ctl"},
	"cmd/hearthctl/mic":  {"cmd/hearthctl/ctl", "daemon/api"},
	"cmd/hearthctl/setup": {"cmd/hearthctl/configfile", "cmd/hearthctl/ctl", "cmd/hearthctl/doctor", "cmd/hearthctl/mic",
		"cmd/hearthctl/wake", "config", "daemon/mqtt/contract", "daemon/mqtt/find", "tools/intent"},
	"cmd/hearthctl/wake": {"cmd/hearthctl/ctl", "cmd/hearthctl/mic", "config/input", "daemon/api"},

	// Short texts are cut and compared in one place.
	"config/letters": {},
	// What is read from outside, and bounded before it is parsed.
	"config/input": {"config/letters"},

	"config":  {"config/input"},
	"memory":  {"config/letters"},
	"systemd": {"config/letters"},
	// A journal whose files journalctl reads.
	"systemd/journaltest": {},

	"audio":                 {},
	"audio/aec":             {"audio", "audio/fourier"},
	"audio/cue":             {"audio"},
	"audio/device":          {"audio"},
	"audio/device/testcard": {},
	"audio/fourier":         {},
	"audio/g722":            {},

	"vad":               {"audio"},
	"vad/neural":        {"audio/fourier", "vad"},
	"vad/silero":        {"audio/fourier", "config/input", "vad"},
	"vad/wake":          {"audio", "vad"},
	"vad/wake/enrolled": {"audio", "audio/fourier", "config/input", "vad/wake"},
	// A wake server speaks the protocol of the speech servers: its framing is
	// written once, and knows nothing of models.
	"vad/wake/remote": {"audio", "vad/wake", "llm/wyoming"},

	"vad/wake/micro":         {"audio", "config/input", "vad/wake", "vad/wake/micro/feature", "vad/wake/micro/tflite"},
	"vad/wake/micro/feature": {},
	"vad/wake/micro/tflite":  {},
	// A network that tests write.
	"vad/wake/micro/tflite/tflitetest": {},

	"llm":                   {},
	"llm/llmtest":           {"audio", "llm", "llm/wyoming"},
	"llm/llmtest/gguf":      {},
	"llm/llmtest/oracle":    {},
	"llm/llmtest/real":      {"llm/llmtest/gguf"},
	"llm/ollama":            {"llm", "config/letters"},
	"llm/openai":            {"llm", "llm/speechapi"},
	"llm/proc":              {"config/letters"},
	"llm/realtime":          {"audio", "llm", "llm/gone"},
	"llm/speechapi":         {"llm/gone", "config/letters"},
	"llm/stt":               {"audio", "llm", "llm/proc", "llm/speechapi", "llm/wyoming"},
	"llm/guard":             {"llm"},
	"llm/thinker":           {"config/input", "llm", "llm/guard", "llm/thinker/relevance", "config/letters"},
	"llm/tts":               {"audio", "llm", "llm/gone", "llm/proc", "llm/speechapi", "llm/wyoming"},
	"llm/wyoming":           {"audio", "config/letters"},
	"tools":                 {"config/input", "llm", "llm/proc", "config/letters"},
	"tools/calc":            {"llm", "tools"},
	"tools/calendar":        {"llm", "tools", "tools/fetch", "tools/when"},
	"tools/clock":           {"llm", "tools", "tools/when"},
	"tools/fetch":           {"tools"},
	"tools/intent":          {"config/input", "llm", "tools/intent/lang"},
	"tools/intent/lang":     {"config/letters", "tools"},
	"tools/home":            {"llm", "tools", "tools/home/entrance", "config/letters"},
	"tools/home/discovery":  {"tools/home", "tools/home/template"},
	"tools/home/entrance":   {},
	"tools/home/hass":       {"tools/home"},
	"tools/home/template":   {},
	"tools/knowledge":       {"llm", "llm/proc", "tools", "tools/fetch"},
	"tools/list":            {"llm", "tools"},
	"tools/mcp":             {"llm", "llm/guard", "llm/proc", "tools", "config/letters"},
	"tools/medical":         {"llm", "tools"},
	"tools/news":            {"llm", "tools", "tools/fetch"},
	"tools/random":          {"llm", "tools"},
	"tools/pubmed":          {"llm", "tools", "tools/fetch"},
	"tools/remember":        {"llm", "tools"},
	"tools/search":          {"llm", "tools", "tools/fetch"},
	"tools/stocks":          {"llm", "tools", "tools/fetch"},
	"tools/timer":           {"llm", "tools", "tools/when"},
	"tools/weather":         {"llm", "tools", "tools/fetch", "tools/when"},
	"tools/units":           {"llm", "tools", "tools/when"},
	"llm/thinker/relevance": {"llm"},
	"llm/gone":              {"llm"},
	// Times and days are read and said in one place, by whoever has to do with them.
	"tools/when": {},
	// What a thinker ranks tools with.

	"daemon":             {"*"},
	"daemon/control":     {"audio", "daemon/api", "daemon/doctor", "daemon/event", "daemon/health", "daemon/timeline"},
	"daemon/control/web": {"daemon/control", "daemon/visitors"},
	// What crosses the control API, for the daemon, hearthctl and tests.
	"daemon/api": {"daemon/doctor", "daemon/event", "daemon/health"},
	// What a backup may hold, for hearthd, which gives it, and hearthctl, which writes it.
	"daemon/bundle":   {},
	"daemon/dialogue": {"audio", "audio/cue", "vad", "vad/wake", "llm", "llm/stt", "daemon/dialogue/answer", "daemon/dialogue/spoken", "daemon/event", "daemon/voice"},
	// The answer of one turn.
	"daemon/dialogue/answer": {"audio", "audio/cue", "llm", "daemon/dialogue/spoken", "daemon/event", "daemon/voice"},
	// Speech on its way to a responder.
	"daemon/dialogue/spoken": {"audio", "llm"},
	// What is said, and what of it was heard.
	"daemon/voice": {"audio", "audio/cue", "llm/tts"},
	// What is found wrong, for hearthctl and for what only the daemon can try.
	"daemon/doctor":     {},
	"daemon/doctor/box": {"daemon/doctor", "daemon/vitals"},
	"daemon/e2e":        {"audio", "audio/device/testcard", "llm/tts"},
	"daemon/e2e/demo":   {"audio", "audio/device/testcard", "llm/tts", "daemon/e2e"},
	"daemon/event":      {},
	"daemon/health":     {"daemon/event"},
	"daemon/hooks":      {"daemon/event", "llm/proc"},
	"daemon/keys":       {},
	"daemon/journal":    {"daemon/api", "daemon/event", "daemon/health", "memory", "systemd"},
	"daemon/lights":     {"daemon/event"},
	// What the box hears with.
	"daemon/ears":          {"audio", "audio/aec", "audio/device", "vad", "vad/neural", "vad/silero", "vad/wake", "vad/wake/enrolled", "vad/wake/micro", "vad/wake/remote", "daemon/api", "daemon/health", "daemon/listen", "daemon/supervise"},
	"daemon/hearing":       {"audio", "vad", "daemon/ears", "daemon/hearing/bed"},
	"daemon/hearing/bench": {"audio", "audio/aec", "config", "vad", "vad/neural", "vad/silero", "vad/wake/enrolled", "daemon", "daemon/ears", "daemon/hearing", "daemon/hearing/bed"},
	"daemon/hearing/bed":   {"audio"},
	"daemon/household":     {"daemon/mqtt/contract"},
	"daemon/listen":        {"audio", "vad", "vad/wake"},
	"daemon/metrics":       {"daemon/event", "daemon/health"},
	// Appliances that are simulated with the daemon's own bridge.
	"daemon/mqtt/fleet": {"daemon/event", "daemon/health", "daemon/mqtt", "daemon/mqtt/contract"},
	"daemon/mqtt":       {"daemon/event", "daemon/health", "daemon/mqtt/contract", "daemon/mqtt/find", "daemon/visitors", "config/input"},
	// Who serves in the local network, for the bridge and for hearthctl setup.
	"daemon/mqtt/find": {},
	// What is promised, for the bridge and for hearthctl, without an MQTT library.
	"daemon/mqtt/contract": {},
	"daemon/talk":          {"audio", "audio/g722"},
	"daemon/timeline":      {"audio", "daemon/event", "config/letters"},
	"daemon/trace":         {"daemon/timeline"},
	"daemon/vitals":        {},
	// What is remembered, for people, models and the control API.
	"daemon/recall": {"llm", "llm/thinker", "memory", "tools", "tools/remember", "daemon/api"},
	// What people chose.
	"daemon/settings": {"daemon/event"},
	// What systemd is told, and how little memory the process keeps.
	"daemon/manager":   {"daemon/dialogue", "daemon/event", "daemon/health", "systemd"},
	"daemon/footprint": {},
	// Connections of strangers give way to those of people who are known.
	"daemon/visitors":  {},
	"daemon/supervise": {},
	"daemon/wallclock": {},
}

// inTests says what the tests of a package may import beside that: the real parts
// that a fake would stand for.
var inTests = map[string][]string{
	"*":                     {"audio", "audio/device/testcard", "llm/llmtest"},
	"audio/aec":             {"daemon/hearing/bed"},
	"daemon/hearing":        {"audio/cue", "vad/neural"},
	"cmd/hearthctl":         {"cmd/hearthctl/ctl/ctltest"},
	"cmd/hearthctl/backup":  {"cmd/hearthctl/ctl/ctltest"},
	"cmd/hearthctl/logs":    {"cmd/hearthctl/ctl/ctltest", "systemd", "systemd/journaltest"},
	"cmd/hearthctl/mic":     {"cmd/hearthctl/ctl/ctltest"},
	"cmd/hearthctl/setup":   {"cmd/hearthctl/ctl/ctltest"},
	"cmd/hearthctl/wake":    {"cmd/hearthctl/ctl/ctltest"},
	"cmd/hearthd":           {"vad/wake/micro/tflite/tflitetest"},
	"daemon/dialogue":       {"llm/tts"},
	"daemon/ears":           {"daemon/event", "vad/wake/micro/tflite/tflitetest"},
	"daemon/listen":         {"vad/neural"},
	"daemon/mqtt":           {"tools/home/template"},
	"daemon/trace":          {"daemon/event"},
	"llm/llmtest/oracle":    {"llm", "llm/realtime"},
	"llm/llmtest/real":      {"llm", "llm/ollama", "llm/openai", "llm/thinker"},
	"llm/ollama":            {"llm/llmtest/gguf", "llm/llmtest/real"},
	"tools/intent":          {"llm/stt"},
	"tools/knowledge":       {"memory"},
	"tools/list":            {"memory"},
	"tools/timer":           {"memory"},
	"daemon/settings":       {"memory"},
	"vad":                   {"vad/neural"},
	"vad/wake/micro":        {"vad/wake/micro/tflite/tflitetest"},
	"vad/wake/micro/tflite": {"vad/wake/micro/feature", "vad/wake/micro/tflite/tflitetest"},
	"daemon/e2e":            {"*"},
}

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
			if p != root && (strings.HasPrefix(base, ".") || base == "testdata" || base == "packaging" || base == "dist") {
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
			if !ours || inner == f.dir || slices.Contains(allowed, "*") || slices.Contains(allowed, inner) {
				continue
			}
			if extra := slices.Concat(inTests["*"], inTests[f.dir]); f.test && (slices.Contains(extra, inner) || slices.Contains(extra, "*")) {
				continue
			}
			t.Errorf("%s imports %s", f.name, inner)
		}
	}
	for dir := range layers {
		if !seen[dir] {
			t.Errorf("the table names %s, which does not exist", dir)
		}
	}
}

// checkForeign keeps cgo and single-purpose libraries in their rooms.
func checkForeign(t *testing.T, f file, imported string) {
	t.Helper()
	rooms := map[string][]string{
		"C":                                       {"audio/device"},
		"github.com/gen2brain/malgo":              {"audio/device"},
		"github.com/eclipse/paho.mqtt.golang":     {"daemon/mqtt", "daemon/e2e"},
		"github.com/mochi-mqtt/server/v2":         {"daemon/mqtt"},
		"github.com/chromedp/chromedp":            {"daemon/e2e"},
		"modernc.org/sqlite":                      {"memory"},
		"database/sql":                            {"memory"},
		"github.com/mmcdole/gofeed":               {"tools/news"},
		"github.com/emersion/go-ical":             {"tools/calendar"},
		"github.com/emersion/go-webdav":           {"tools/calendar"},
		"github.com/ollama/ollama/api":            {"llm/ollama"},
		"github.com/sashabaranov/go-openai":       {"llm/openai", "llm/speechapi", "llm/stt", "llm/tts"},
		"github.com/coreos/go-systemd/v22/daemon": {"systemd"},
		"github.com/openai/openai-go/v3":          {"llm/llmtest/oracle"},
	}
	// Tests may parse what they wrote themselves.
	if yaml, ok := strings.CutPrefix(imported, "github.com/goccy/go-yaml"); ok && !f.test && yaml != "/ast" && yaml != "/token" {
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
		if f.test || f.dir == "llm/llmtest" {
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
