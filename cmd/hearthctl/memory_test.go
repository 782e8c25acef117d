package main

import (
	"hearthd/rigs/ctltest"

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
	f := ctltest.NewFake(t)
	f.Answer("/v1/memory", 200, "["+selfBody+","+noteBody+","+factBody+"]")
	want := "person, 2026-11-20: anna, called Anna; place Graz; topics tea, rye; summary Likes bread.; 3 sessions\n" +
		"note 2, 2026-11-20: anna, likes  tea\nfact: birthday: May 4th\n"
	f.Run(t, "memory", "list").Expect(t, ctltest.Outcome{Stdout: want})
	f.Run(t, "memory", "search", "hot", "tea").Expect(t, ctltest.Outcome{Stdout: want})
	f.Answer("/v1/memory", 200, "[]")
	f.Run(t, "memory", "list").Expect(t, ctltest.Outcome{Stdout: "nothing\n"})
	f.Run(t, "memory", "list", "--json").Expect(t, ctltest.Outcome{Stdout: "[]\n"})
}

func TestMemoryIsExportedAsLines(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/memory/export", 200, noteBody+"\n"+factBody+"\n")
	f.Run(t, "memory", "export").Expect(t, ctltest.Outcome{Stdout: noteBody + "\n" + factBody + "\n"})
	f.Answer("/v1/memory/export", 200, factBody+"\n"+`{"error":"disk on fire"}`+"\n")
	f.Run(t, "memory", "export").Expect(t, ctltest.Outcome{Stdout: factBody + "\n", Stderr: "hearthctl: disk on fire\n",
		Code: 1})
}

func TestMemoryIsImportedInBatches(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/memory/import", 200, `{"entries":20}`)
	path := filepath.Join(t.TempDir(), "export")
	lines := strings.Repeat(factBody+"\n\n", 2*importBatch)
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	f.Run(t, "memory", "import", path).Expect(t, ctltest.Outcome{Stdout: "40 entries\n"})
	if asked := f.Asked(); strings.Count(asked, "POST /v1/memory/import") != 2 ||
		strings.Count(asked, "birthday") != 40 {
		t.Errorf("asked %s", asked)
	}
	if err := os.WriteFile(path, []byte(factBody+"\nno json\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := f.Run(t, "memory", "import", path); o.Code != 1 || !strings.Contains(o.Stderr, "import line 2") {
		t.Errorf("%+v", o)
	}
}

func TestOneThingIsForgottenAtATime(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/memory/forget", 200, `{"entries":3}`)
	for line, want := range map[string]string{
		"memory forget hot tea":      `{"about":"hot tea"}`,
		"memory forget --note 2,3":   `{"notes":[2,3]}`,
		"memory forget --everything": `{"everything":true}`,
	} {
		f.Run(t, strings.Fields(line)...).Expect(t, ctltest.Outcome{Stdout: "3 entries forgotten\n"})
		if got := f.Asked(); got != "POST /v1/memory/forget "+want {
			t.Errorf("%s: asked %s", line, got)
		}
	}
	f.Answer("/v1/memory/forget", 200, `{"entries":1}`)
	f.Run(t, "memory", "forget", "tea").Expect(t, ctltest.Outcome{Stdout: "1 entry forgotten\n"})
	f.Answer("/v1/memory/forget", 200, `{"entries":1,"upgrade":true}`)
	f.Run(t, "memory", "forget", "tea").Expect(t, ctltest.Outcome{Stdout: "1 entry forgotten\nThe backup that the last " +
		"upgrade kept may hold it and is deleted too: the way back in hearthd(8) ends without it now.\n"})
	f.Asked()
	for _, line := range []string{"memory forget", "memory forget tea --everything",
		"memory forget --note 1 --everything"} {
		f.Run(t, strings.Fields(line)...).Expect(t, ctltest.Outcome{Stderr: "hearthctl: say one of a text, --note " +
			"and --everything\n", Code: 1})
	}
	if got := f.Asked(); got != "" {
		t.Errorf("asked %s", got)
	}
}

func TestThinkersAreListed(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/thinkers", 200, fmt.Sprintf(`[%s,%s]`,
		`{"name":"home","description":"The house.","origin":"built in","model":"qwen3:1.7b","tools":["timer_set","list_add"],"live":true}`,
		`{"name":"weather","description":"Rain.","origin":"/etc/x.yaml","model":"gpu/big","tools":[],"live":false}`))
	f.Run(t, "thinkers").Expect(t, ctltest.Outcome{Stdout: "home: The house.\n    qwen3:1.7b, built in\n    " +
		"timer_set list_add\n" +
		"weather: Rain.\n    gpu/big, /etc/x.yaml\n    no tools installed, so it gets nothing\n"})
	f.Answer("/v1/thinkers", 200, "[]")
	f.Run(t, "thinkers").Expect(t, ctltest.Outcome{Stdout: "no thinkers: thinker.url is empty\n"})
}
