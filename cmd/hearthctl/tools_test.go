package main

import (
	"hearthd/rigs/ctltest"

	"os"
	"path/filepath"
	"strings"
	"testing"
)

const toolsBody = `[{"name":"bell","description":"Rings.\nLoudly.","parameters":{"type":"object"},"origin":"built in","read_only":true},
{"name":"door_open","description":"Opens the \u001bdoor.","parameters":{"type":"object"},"origin":"/etc/hearthd/tools.d/door.yaml",
"triggers":["open the door"],"timeout_s":5,"cooldown_s":60,"confirm":true,"person":true}]`

func TestToolsAreListedAndShown(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/tools", 200, toolsBody)
	f.Run(t, "tools", "list").Expect(t, ctltest.Outcome{Stdout: "bell: Rings.\n" +
		"door_open: Opens the  door. (/etc/hearthd/tools.d/door.yaml, asks first, needs a person)\n"})
	f.Run(t, "tools", "show", "door_open").Expect(t, ctltest.Outcome{Stdout: "door_open: Opens the  door.\n" +
		"origin: /etc/hearthd/tools.d/door.yaml\nsentence: open the door\ntimeout: 5s\ncooldown: 1m0s\nasks " +
		"first\nneeds a person\n" +
		"parameters: {\n  \"type\": \"object\"\n}\n"})
	if out := f.Run(t, "tools", "show", "bell", "--json"); out.Code != 0 ||
		!strings.Contains(out.Stdout, `"read_only": true`) {
		t.Errorf("%+v", out)
	}
	f.Run(t, "tools", "show", "gong").Expect(t, ctltest.Outcome{
		Stderr: "hearthctl: there is no tool \"gong\"; hearthctl tools list names them\n", Code: 1})
}

func TestToolIsRunWithItsArguments(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/tools/run", 200, `{"outcome":"ok","text":"Ding.","took_ms":1}`)
	f.Run(t, "tools", "run", "bell", `{"n": 2}`, "--as", "Ada").Expect(t, ctltest.Outcome{Stdout: "Ding.\n"})
	f.Run(t, "tools", "run", "bell").Expect(t, ctltest.Outcome{Stdout: "Ding.\n"})
	if got, want := f.Asked(),
		`POST /v1/tools/run {"name":"bell","arguments":{"n":2},"as":"Ada"}, POST /v1/tools/run {"name":"bell"}`; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	f.Run(t, "tools", "run", "bell", "n=2").Expect(t,
		ctltest.Outcome{Stderr: "hearthctl: the arguments are no JSON object\n", Code: 1})
	f.Answer("/v1/tools/run", 200, `{"outcome":"bad_arguments","text":"n: got string, want integer.","took_ms":1}`)
	f.Run(t, "tools", "run", "bell", `{"n":"x"}`).Expect(t, ctltest.Outcome{
		Stdout: "n: got string, want integer.\n", Stderr: "hearthctl: it was not done: bad_arguments\n", Code: 1})
}

func TestToolThatAsksFirstAsksOnTheTerminal(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/tools/run", 200, `{"outcome":"asked","text":"Open it?","question":"Open it?"}`)
	ask := func(said string) ctltest.Outcome {
		cmd := ctltest.Command(t.Context(), t, "--socket", f.Path, "tools", "run", "door")
		return atTerminal(t, cmd, said)
	}
	for _, said := range []string{"n\n", "\n", "", "maybe\n"} {
		if out := ask(said); out.Code != 1 || !strings.HasPrefix(out.Stderr, "Open it? [y/N] ") || out.Stdout != "" {
			t.Errorf("%q: %+v", said, out)
		}
		if got := f.Asked(); strings.Contains(got, "confirmed") {
			t.Errorf("%q: asked %s", said, got)
		}
	}
	ask("yes\n")
	if got, want := f.Asked(),
		`POST /v1/tools/run {"name":"door"}, POST /v1/tools/run {"name":"door","confirmed":true,"question":"Open it?"}`; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	f.Run(t, "tools", "run", "door", "--yes")
	if got, want := f.Asked(), `POST /v1/tools/run {"name":"door"}, POST /v1/tools/run {"name":"door","confirmed":true,"question":"Open it?"}`; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
}

func TestDeclaredToolsAreCheckedWithoutADaemon(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.yaml": "name: bell\ndescription: Rings.\nparameters: {type: object}\ncommand: [echo, ding]\n",
		"b.yaml": "name: gong\ndescription: Rings.\nparameters: {type: object}\ncommand: [echo, dong]\nrequires: " +
			"[no-such-program]\n",
		"c.json": "{\n  \"name\": \"dog\",\n  \"descripton\": \"Barks.\",\n  \"parameters\": {\"type\": " +
			"\"object\"},\n  \"command\": [\"true\"]\n}",
		"d.txt": "no manifest",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	ctltest.Run(t, "tools", "check", in("a.yaml")).Expect(t, ctltest.Outcome{Stdout: in("a.yaml") + ": bell is fine\n"})
	ctltest.Run(t, "tools", "check", dir).Expect(t, ctltest.Outcome{
		Stdout: in("a.yaml") + ": bell is fine\n" + in("b.yaml") + ": gong is not offered: it lacks no-such-program\n" +
			in("c.json") + ":1:1: the key \"description\" is missing\n" + in("c.json") +
			":3:3: unknown key \"descripton\"\n",
		Stderr: "hearthctl: mistakes in declared tools: 2\n", Code: 1,
	})
	ctltest.Run(t, "tools", "check", t.TempDir()).Expect(t, ctltest.Outcome{Stdout: "no declared tools\n"})
	if out := ctltest.Run(t, "tools", "check", in("none")); out.Code != 1 ||
		!strings.Contains(out.Stderr, "check tools: stat") {
		t.Errorf("%+v", out)
	}
	if out := ctltest.Run(t, "tools", "check", "--json", in("a.yaml")); !strings.Contains(out.Stdout,
		`"tool": "bell"`) {
		t.Errorf("%+v", out)
	}
}

func TestACommandThatAGroupLacksIsAMistake(t *testing.T) {
	ctltest.Run(t, "tools", "try", "address").Expect(t, ctltest.Outcome{
		Stderr: "hearthctl: unknown command \"try\" for \"hearthctl tools\"\n", Code: 1})
	for _, args := range [][]string{{"tools"}, {"tools", "--help"}} {
		if out := ctltest.Run(t, args...); out.Code != 0 || !strings.Contains(out.Stdout, "hearthctl tools [command]") {
			t.Errorf("%q: %+v", args, out)
		}
	}
}
