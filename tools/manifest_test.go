package tools

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
	"hearthd/tools/phrase"
)

const goodManifest = `{
  "name": "say_hello",
  "description": "Greets a person by name.",
  "parameters": {"type": "object", "properties": {"who": {"type": "string", "maxLength": 40}}},
  "command": ["echo", "hello"],
  "env": {"COLOUR": "red"},
  "timeout": "5s",
  "cooldown": "1m",
  "triggers": ["Say  hello"]
}`

func writeManifests(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestManifestBecomesATool(t *testing.T) {
	r := NewRegistry(phrase.English())
	loaded, mistakes := LoadDir(r, writeManifests(t,
		map[string]string{"hello.json": goodManifest, "notes.txt": "not a manifest"}))
	if len(mistakes) != 0 || len(loaded) != 1 {
		t.Fatalf("%d tools, mistakes %v", len(loaded), mistakes)
	}
	if got := loaded[0].Limits(); got.Timeout != 5*time.Second || got.Cooldown != time.Minute || got.Confirm ||
		got.Person {
		t.Errorf("limits %+v", got)
	}
	if diff := cmp.Diff(map[string]string{"say hello": "say_hello"}, r.Triggers()); diff != "" {
		t.Error(diff)
	}
	e := newExecutor(t, ExecutorOptions{}, loaded[0])
	if out := e.Run(t.Context(), Call{ToolCall: llm.ToolCall{Name: "say_hello"}}); out.Class != OK ||
		out.Result.Text != "hello" {
		t.Errorf("%+v", out)
	}
}

func TestMissingFolderHasNoTools(t *testing.T) {
	if loaded, mistakes := LoadDir(NewRegistry(phrase.English()), filepath.Join(t.TempDir(), "none")); len(loaded)+len(mistakes) != 0 {
		t.Errorf("%v, %v", loaded, mistakes)
	}
}

func TestMistakesAreNamedAndTheRestLoads(t *testing.T) {
	dir := writeManifests(t, map[string]string{
		"a.json": goodManifest,
		"b.json": "{\n  \"name\": \"b\",\n  oops\n}",
		"c.json": strings.Replace(goodManifest, "say_hello", "Say Hello", 1),
		"d.json": strings.Replace(strings.Replace(goodManifest, "say_hello", "d", 1), `"timeout": "5s"`,
			`"timeut": "5s"`, 1),
		"e.json": strings.Replace(goodManifest, "Say  hello", "greet", 1), // the name of a.json
		"f.json": `{"name": 5, "command": "echo hello"}`,
		"g.json": strings.Replace(strings.Replace(strings.Replace(goodManifest, "say_hello", "g", 1), "5s", "5 days",
			1), `"echo"`, `"/no/such/program"`, 1),
		"h.json": strings.Replace(strings.Replace(goodManifest, "say_hello", "h", 1), "Say  hello", "wave", 1),
		"i.json": strings.Replace(goodManifest, `"env"`, "\"name\": \"twice\",\n  \"env\"", 1),
		"j.json": strings.Replace(goodManifest, `"COLOUR"`, `"HEARTHD_ARG_WHO"`, 1),
		"k.json": "",
		"l.json": "[1]",
		"m.json": goodManifest + "\n{}",
		"n.json": strings.Replace(goodManifest, `"type": "string"`, `"type": "text"`, 1),
		"o.json": strings.Replace(goodManifest, `["echo", "hello"]`, `["echo", null, 7]`, 1),
		"p.json": strings.Repeat(" ", maxManifest+1),
	})
	if err := syscall.Mkfifo(filepath.Join(dir, "q.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, mistakes := LoadDir(NewRegistry(phrase.English()), dir)
	var names, got []string
	for _, c := range loaded {
		names = append(names, c.Spec().Name)
	}
	if diff := cmp.Diff([]string{"say_hello", "h"}, names); diff != "" {
		t.Error(diff)
	}
	for _, m := range mistakes {
		got = append(got, strings.TrimPrefix(m.Error(), dir+"/"))
	}
	want := []string{
		`b.json:3:3: invalid character 'o' looking for beginning of object key string`,
		`c.json:2:11: name: must match ^[a-z][a-z0-9_]{0,63}$`,
		`d.json:7:3: unknown key "timeut"`,
		`e.json:2:11: register tool "say_hello": the name is taken`,
		`f.json:1:1: the key "description" is missing`,
		`f.json:1:10: name: must be a string`,
		`f.json:1:24: command: must be a list of strings`,
		`g.json:5:14: command: exec: "/no/such/program": stat /no/such/program: no such file or directory`,
		`g.json:7:14: timeout: "5 days" is no duration within 100ms to 10m0s, such as "5s"`,
		`i.json:6:3: the key "name" stands twice`,
		`j.json:6:10: env: "HEARTHD_ARG_WHO" cannot be set`,
		`k.json:1:1: unexpected end of JSON input`,
		`l.json:1:1: a manifest is one JSON object`,
		`m.json:11:1: invalid character '{' after top-level value`,
		`n.json:4:17: parameters: compile parameters: ...`,
		`o.json:5:14: command: must be a list of strings`,
		`p.json: the file has more than 65536 bytes`,
		`q.json: it is a named pipe, and not a file`,
	}
	for i := range got {
		if at := strings.Index(got[i], "compile parameters: "); at > 0 {
			got[i] = got[i][:at] + "compile parameters: ..."
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzManifest(f *testing.F) {
	for _, seed := range []string{
		goodManifest, "", "{", "[]", "{}", `{"name":"a","name":"b"}`, `{"parameters":{"type":"object","$ref":"#"}}`,
		`{"name": null, "timeout": 5}`, "{\"\xff\":1}",
		`{"parameters":{"type":"object","properties":{"x":{"pattern":"(("}}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, mistakes := parseManifest("m.json", data)
		for _, m := range mistakes {
			lines := strings.Split(string(data), "\n")
			if m.Line < 1 || m.Line > len(lines) || m.Column < 1 || m.Column > len(lines[m.Line-1])+1 ||
				m.Reason == "" || strings.Contains(m.Reason, "\n") {
				t.Errorf("mistake %+v outside of %q", m, data)
			}
		}
		if len(mistakes) > 0 {
			return
		}
		r := NewRegistry(phrase.English())
		if err := r.Register(c); err != nil && len(c.triggers) == 0 {
			t.Errorf("%q was parsed and is refused: %v", data, err)
		}
		if e := r.lookup(c.spec.Name); e != nil { // the arguments that every tool may meet
			for _, args := range []string{"", "{}", `{"who":"x","n":1.5,"list":[{}]}`} {
				if _, err := e.arguments([]byte(args), nil); err != nil && err.Error() == "" {
					t.Error("a refusal without a reason")
				}
			}
		}
	})
}

func TestToolWithoutArgumentsNeedsNoSchema(t *testing.T) {
	c, mistakes := parseManifest("a.yaml", []byte("name: bell\ndescription: Rings.\ncommand: [echo, ding]\n"))
	if len(mistakes) > 0 || string(c.spec.Parameters) != `{"type":"object"}` {
		t.Fatalf("%v", mistakes)
	}
	out := newExecutor(t, ExecutorOptions{}, c).Run(t.Context(), Call{ToolCall: llm.ToolCall{Name: "bell"}})
	if out.Class != OK || out.Text != "ding" {
		t.Errorf("%+v", out)
	}
}
