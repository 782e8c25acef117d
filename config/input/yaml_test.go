package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// Beneath this the parser stays with every text that is within the bounds; 60 kB of
// brackets took twenty times as much.
const mostMemory = 400 << 20

func TestNestingIsRefusedBeforeItIsParsed(t *testing.T) {
	const n = 20_000
	for name, text := range map[string]string{
		"brackets":           strings.Repeat("[", n),
		"closed first":       strings.Repeat("]", n) + strings.Repeat("[", n),
		"braces":             strings.Repeat("{a: ", n) + strings.Repeat("}", n),
		"dashes":             strings.Repeat("- ", n) + "a",
		"question marks":     strings.Repeat("? ", n) + "a",
		"both":               strings.Repeat("[{a: ", n),
		"dashes in brackets": "[" + strings.Repeat("- ", n),
		"steps":              steps(200, "a:\n"),
		"steps of lists":     steps(200, "-\n"),
		"lists below keys":   steps(200, "- a:\n"),
		"behind a document":  "---\n" + strings.Repeat("[", n),
		"documents":          strings.Repeat("--- a\n", n),
		"with CR":            strings.ReplaceAll(steps(200, "a:\n"), "\n", "\r\n"),
		"behind a comment":   "# a\n" + strings.Repeat("[ # b\n", n),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseYAML([]byte(text))
			var m *Mistake
			if !errors.As(err, &m) || m.Line == 0 || len(m.Error()) > maxReason+100 {
				t.Errorf("%.200v", err)
			}
		})
	}
}

func steps(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", 2*i) + line)
	}
	return b.String()
}

func TestManyValuesBeneathALongKeyAreRefused(t *testing.T) {
	long := strings.Repeat("k", 30_000)
	for _, text := range []string{
		long + ":\n" + strings.Repeat("- a\n", 10_000),
		long + ":\n" + strings.Repeat("  - a\n", 10_000),
		"- " + long + ":\n" + strings.Repeat("  - a\n", 10_000),
		"{" + long + ": [" + strings.Repeat("a, ", 10_000) + "]}",
		`"` + long + "\":\n" + strings.Repeat("  - a\n", 10_000),
	} {
		if _, err := ParseYAML([]byte(text)); err == nil || !strings.Contains(err.Error(), "long keys") {
			t.Errorf("%.20s: %v", text, err)
		}
	}
}

func TestWhatMakesAShortTextLongIsRefused(t *testing.T) {
	for _, text := range []string{"a: &x b", "a: *x", "<<: {a: b}", "a: !!str b", "a: !x b", "%YAML 1.2\n---\na: b",
		"a\n...\nb"} {
		if _, err := ParseYAML([]byte(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestOrdinaryTextIsRead(t *testing.T) {
	var got struct {
		A []map[string][]string `yaml:"a"`
		B string                `yaml:"b"`
	}
	text := "# head\na:\n- x: [p, q]\n  y:\n  - r # s\n- z: []\nb: |\n  one\n  [[[two\n"
	if err := DecodeYAML([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != "{[map[x:[p q] y:[r]] map[z:[]]] one\n[[[two\n}" {
		t.Errorf("%v", got)
	}
	if err := DecodeYAML([]byte("\ufeffb: two\r\n"), &got); err != nil || got.B != "two" {
		t.Errorf("with a byte order mark: %q, %v", got.B, err)
	}
	wide := strings.Repeat("- a: {b: [c, d]}\n  e:\n  - f\n", 5000)
	if _, err := ParseYAML([]byte(wide)); err != nil {
		t.Error(err)
	}
	if err := DecodeYAML([]byte("# nothing\n"), &got); !errors.Is(err, io.EOF) {
		t.Errorf("nothing: %v", err)
	}
	if err := DecodeYAML([]byte("a: []\nc: d\n"), &got); err == nil ||
		!strings.HasPrefix(err.Error(), "line 2 column 1: unknown field") {
		t.Errorf("unknown key: %v", err)
	}
}

// units are what texts are made of that may grow beyond measure in the parser.
var units = []string{
	"[", "]", "{", "}", "a", "b", ": ", ", ", "- ", "? ", "&a ", "*a", "!t ", "!!map ", "<<: ", "|", ">", "#", " # c\n",
	"\n", " ", "\t", "'", "\"", "---\n", "...\n", "%", "\r\n", "1", "~", "\\", "null", "\n  ", "\n ", "a: ",
	"[a, ", "{a: ",
	"é", "\xff", "\x00", "|-\n", ">+2\n", "- a\n", "? a\n", "- - ", "a:\n", "- a:\n", "''", "\"\"", "key with words: ",
}

func repetitive(r *rand.Rand) []byte {
	pick := func(n int) (s string) {
		for range r.IntN(n) {
			s += units[r.IntN(len(units))]
		}
		return s
	}
	var b bytes.Buffer
	b.WriteString(pick(4))
	if r.IntN(6) == 0 {
		b.WriteString(strings.Repeat("k", r.IntN(100_000)) + ": ")
	}
	unit, size, indent := pick(5), r.IntN(64<<10), r.IntN(3) == 0
	for i := 0; b.Len() < size && unit != ""; i++ {
		if indent {
			b.WriteString("\n" + strings.Repeat(" ", i%200))
		}
		b.WriteString(unit)
	}
	b.WriteString(strings.Repeat(pick(3), r.IntN(5000)))
	return b.Bytes()
}

// TestNoTextTakesMuchMemory runs in a process of its own, which ends when it takes more.
func TestNoTextTakesMuchMemory(t *testing.T) {
	if os.Getenv("HEARTHD_TEST_YAML") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestNoTextTakesMuchMemory$")
		cmd.Env = append(os.Environ(), "HEARTHD_TEST_YAML=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %.2000s", err, out)
		}
		return
	}
	debug.SetMemoryLimit(mostMemory / 2)
	r := rand.New(rand.NewPCG(21, 9))
	rounds := 400
	if s := os.Getenv("HEARTHD_TEST_ROUNDS"); s != "" {
		fmt.Sscan(s, &rounds)
	}
	for range rounds {
		text := repetitive(r)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var v any
		_ = DecodeYAML(text, &v)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > mostMemory {
			t.Fatalf("%d MB for %d bytes: %.300q", took>>20, len(text), text)
		}
	}
}

func FuzzYAML(f *testing.F) {
	for _, s := range []string{"a: b", "- a\n- b: [c]\n", "? a\n: b", "{a: [", "a: |\n  b", "[[[[", "- - - a",
		"\"\\", "a: >\n\tb"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var v any
		if err := DecodeYAML(text, &v); err != nil && (err.Error() == "" || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%q: %q", text, err)
		}
	})
}

func TestDepthOfJSONCountsNoBracketsInTexts(t *testing.T) {
	for text, want := range map[string]int{
		`1`: 0, `[]`: 1, `{"a":[{}],"b":[]}`: 3, `["[[[","\"[[","\\",[]]`: 2, `{"]]":"}"}`: 1,
	} {
		if got := JSONDepth([]byte(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
