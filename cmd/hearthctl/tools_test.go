package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const toolsBody = `[{"name":"bell","description":"Rings.\nLoudly.","parameters":{"type":"object"},"origin":"built in","read_only":true},
{"name":"door_open","description":"Opens the \u001bdoor.","parameters":{"type":"object"},"origin":"/etc/hearthd/tools.d/door.yaml",
"triggers":["open the door"],"timeout_s":5,"cooldown_s":60,"confirm":true,"person":true}]`

func TestToolsAreListedAndShown(t *testing.T) {
	f := newFake(t)
	f.answer("/v1/tools", 200, toolsBody)
	f.run(t, "tools", "list").expect(t, outcome{stdout: "bell: Rings.\n" +
		"door_open: Opens the  door. (/etc/hearthd/tools.d/door.yaml, asks first, needs a person)\n"})
	f.run(t, "tools", "show", "door_open").expect(t, outcome{stdout: "door_open: Opens the  door.\n" +
		"origin: /etc/hearthd/tools.d/door.yaml\nsentence: open the door\ntimeout: 5s\ncooldown: 1m0s\nasks first\nneeds a person\n" +
		"parameters: {\n  \"type\": \"object\"\n}\n"})
	if out := f.run(t, "tools", "show", "bell", "--json"); out.code != 0 || !strings.Contains(out.stdout, `"read_only": true`) {
		t.Errorf("%+v", out)
	}
	f.run(t, "tools", "show", "gong").expect(t, outcome{
		stderr: "hearthctl: there is no tool \"gong\"; hearthctl tools list names them\n", code: 1})
}

func TestToolIsRunWithItsArguments(t *testing.T) {
	f := newFake(t)
	f.answer("/v1/tools/run", 200, `{"outcome":"ok","text":"Ding.","took_ms":1}`)
	f.run(t, "tools", "run", "bell", `{"n": 2}`, "--as", "Ada").expect(t, outcome{stdout: "Ding.\n"})
	f.run(t, "tools", "run", "bell").expect(t, outcome{stdout: "Ding.\n"})
	if got, want := f.asked(), `POST /v1/tools/run {"name":"bell","arguments":{"n":2},"as":"Ada"}, POST /v1/tools/run {"name":"bell"}`; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	f.run(t, "tools", "run", "bell", "n=2").expect(t, outcome{stderr: "hearthctl: the arguments are no JSON object\n", code: 1})
	f.answer("/v1/tools/run", 200, `{"outcome":"bad_arguments","text":"n: got string, want integer.","took_ms":1}`)
	f.run(t, "tools", "run", "bell", `{"n":"x"}`).expect(t, outcome{
		stdout: "n: got string, want integer.\n", stderr: "hearthctl: it was not done: bad_arguments\n", code: 1})
}

func TestToolThatAsksFirstAsksOnTheTerminal(t *testing.T) {
	f := newFake(t)
	f.answer("/v1/tools/run", 200, `{"outcome":"asked","text":"Open it?","question":"Open it?"}`)
	ask := func(said string) outcome {
		cmd := command(t.Context(), t, "--socket", f.path, "tools", "run", "door")
		cmd.Stdin = strings.NewReader(said)
		return finish(t, cmd)
	}
	for _, said := range []string{"n\n", "\n", "", "maybe\n"} {
		if out := ask(said); out.code != 1 || !strings.HasPrefix(out.stderr, "Open it? [y/N] ") || out.stdout != "" {
			t.Errorf("%q: %+v", said, out)
		}
		if got := f.asked(); strings.Contains(got, "confirmed") {
			t.Errorf("%q: asked %s", said, got)
		}
	}
	ask("yes\n")
	if got, want := f.asked(), `POST /v1/tools/run {"name":"door"}, POST /v1/tools/run {"name":"door","confirmed":true,"question":"Open it?"}`; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	f.run(t, "tools", "run", "door", "--yes")
	if got, want := f.asked(), `POST /v1/tools/run {"name":"door"}, POST /v1/tools/run {"name":"door","confirmed":true,"question":"Open it?"}`; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
}

func TestDeclaredToolsAreCheckedWithoutADaemon(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.yaml": "name: bell\ndescription: Rings.\nparameters: {type: object}\ncommand: [echo, ding]\n",
		"b.yaml": "name: gong\ndescription: Rings.\nparameters: {type: object}\ncommand: [echo, dong]\nrequires: [no-such-program]\n",
		"c.json": "{\n  \"name\": \"dog\",\n  \"descripton\": \"Barks.\",\n  \"parameters\": {\"type\": \"object\"},\n  \"command\": [\"true\"]\n}",
		"d.txt":  "no manifest",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	run(t, "tools", "check", in("a.yaml")).expect(t, outcome{stdout: in("a.yaml") + ": bell is fine\n"})
	run(t, "tools", "check", dir).expect(t, outcome{
		stdout: in("a.yaml") + ": bell is fine\n" + in("b.yaml") + ": gong is not offered: it lacks no-such-program\n" +
			in("c.json") + ":1:1: the key \"description\" is missing\n" + in("c.json") + ":3:3: unknown key \"descripton\"\n",
		stderr: "hearthctl: mistakes in declared tools: 2\n", code: 1,
	})
	run(t, "tools", "check", t.TempDir()).expect(t, outcome{stdout: "no declared tools\n"})
	if out := run(t, "tools", "check", in("none")); out.code != 1 || !strings.Contains(out.stderr, "check tools: stat") {
		t.Errorf("%+v", out)
	}
	if out := run(t, "tools", "check", "--json", in("a.yaml")); !strings.Contains(out.stdout, `"tool": "bell"`) {
		t.Errorf("%+v", out)
	}
}
