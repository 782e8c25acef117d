package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	noteBody = `{"kind":"note","id":2,"person":"anna","text":"likes \u001btea","source":"reflection","time":"2026-11-20T12:30:00Z"}`
	factBody = `{"kind":"fact","name":"birthday","text":"May 4th"}`
	selfBody = `{"kind":"person","person":"anna","text":"Likes bread.","time":"2026-11-20T12:30:00Z","called":"Anna","place":"Graz","topics":["tea","rye"],"sessions":3}`
)

func TestMemoryIsListedAndSearched(t *testing.T) {
	f := newFake(t)
	f.answer("/v1/memory", 200, "["+selfBody+","+noteBody+","+factBody+"]")
	want := "person, 2026-11-20: anna, called Anna; place Graz; topics tea, rye; summary Likes bread.; 3 sessions\n" +
		"note 2, 2026-11-20: anna, likes  tea\nfact: birthday: May 4th\n"
	f.run(t, "memory", "list").expect(t, outcome{stdout: want})
	f.run(t, "memory", "search", "hot", "tea").expect(t, outcome{stdout: want})
	f.answer("/v1/memory", 200, "[]")
	f.run(t, "memory", "list").expect(t, outcome{stdout: "nothing\n"})
	f.run(t, "memory", "list", "--json").expect(t, outcome{stdout: "[]\n"})
}

func TestMemoryIsExportedAsLines(t *testing.T) {
	f := newFake(t)
	f.answer("/v1/memory/export", 200, noteBody+"\n"+factBody+"\n")
	f.run(t, "memory", "export").expect(t, outcome{stdout: noteBody + "\n" + factBody + "\n"})
	f.answer("/v1/memory/export", 200, factBody+"\n"+`{"error":"disk on fire"}`+"\n")
	f.run(t, "memory", "export").expect(t, outcome{stdout: factBody + "\n", stderr: "hearthctl: disk on fire\n", code: 1})
}

func TestMemoryIsImportedInBatches(t *testing.T) {
	f := newFake(t)
	f.answer("/v1/memory/import", 200, `{"entries":20}`)
	path := filepath.Join(t.TempDir(), "export")
	lines := strings.Repeat(factBody+"\n\n", 2*importBatch)
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	f.run(t, "memory", "import", path).expect(t, outcome{stdout: "40 entries\n"})
	if asked := f.asked(); strings.Count(asked, "POST /v1/memory/import") != 2 || strings.Count(asked, "birthday") != 40 {
		t.Errorf("asked %s", asked)
	}
	if err := os.WriteFile(path, []byte(factBody+"\nno json\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := f.run(t, "memory", "import", path); o.code != 1 || !strings.Contains(o.stderr, "import line 2") {
		t.Errorf("%+v", o)
	}
}

func TestOneThingIsForgottenAtATime(t *testing.T) {
	f := newFake(t)
	f.answer("/v1/memory/forget", 200, `{"entries":3}`)
	for line, want := range map[string]string{
		"memory forget hot tea":      `{"about":"hot tea"}`,
		"memory forget --note 2,3":   `{"notes":[2,3]}`,
		"memory forget --everything": `{"everything":true}`,
	} {
		f.run(t, strings.Fields(line)...).expect(t, outcome{stdout: "3 entries forgotten\n"})
		if got := f.asked(); got != "POST /v1/memory/forget "+want {
			t.Errorf("%s: asked %s", line, got)
		}
	}
	f.answer("/v1/memory/forget", 200, `{"entries":1}`)
	f.run(t, "memory", "forget", "tea").expect(t, outcome{stdout: "1 entry forgotten\n"})
	f.asked()
	for _, line := range []string{"memory forget", "memory forget tea --everything", "memory forget --note 1 --everything"} {
		f.run(t, strings.Fields(line)...).expect(t, outcome{stderr: "hearthctl: say one of a text, --note and --everything\n", code: 1})
	}
	if got := f.asked(); got != "" {
		t.Errorf("asked %s", got)
	}
}

func TestThinkersAreListed(t *testing.T) {
	f := newFake(t)
	f.answer("/v1/thinkers", 200, fmt.Sprintf(`[%s,%s]`,
		`{"name":"home","description":"The house.","origin":"built in","model":"qwen3:1.7b","tools":["timer_set","list_add"],"live":true}`,
		`{"name":"weather","description":"Rain.","origin":"/etc/x.yaml","model":"gpu/big","tools":[],"live":false}`))
	f.run(t, "thinkers").expect(t, outcome{stdout: "home: The house.\n    qwen3:1.7b, built in\n    timer_set list_add\n" +
		"weather: Rain.\n    gpu/big, /etc/x.yaml\n    no tools installed, so it gets nothing\n"})
	f.answer("/v1/thinkers", 200, "[]")
	f.run(t, "thinkers").expect(t, outcome{stdout: "no thinkers: thinker.url is empty\n"})
}
