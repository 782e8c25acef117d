package control

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"hearthd/daemon/api"
	"hearthd/daemon/refusal"
)

// fakeMemory holds two notes; a search finds those that hold the word.
type fakeMemory struct{}

var kept = []api.Memory{
	{Kind: "note", ID: 2, Text: "Anna likes tea.", Source: "reflection",
		Time: time.Date(2026, 11, 20, 18, 30, 0, 0, time.UTC)},
	{Kind: "fact", Name: "birthday", Category: "personal", Fixed: true, Text: "May 4th"},
}

func (*fakeMemory) Remembered(_ context.Context, search string, limit int) ([]api.Memory, error) {
	var found []api.Memory
	for _, m := range kept {
		if strings.Contains(m.Text, search) && len(found) < limit {
			found = append(found, m)
		}
	}
	return found, nil
}

func (*fakeMemory) Export(context.Context) iter.Seq2[api.Memory, error] {
	return func(yield func(api.Memory, error) bool) {
		for _, m := range kept {
			if !yield(m, nil) {
				return
			}
		}
		yield(api.Memory{}, errors.New("disk on fire"))
	}
}

func (*fakeMemory) Import(_ context.Context, entries []api.Memory) (int, error) {
	return len(entries), nil
}

func (*fakeMemory) Forget(_ context.Context, what api.Forget) (api.Counted, error) {
	switch {
	case what.Everything:
		return api.Counted{Entries: 100}, nil
	case what.About == "x":
		return api.Counted{}, refusal.Error("text is too short")
	}
	return api.Counted{Entries: len(what.About) + len(what.Notes)}, nil
}

func TestMemoryIsListedSearchedAndExported(t *testing.T) {
	r := onSocket(t)
	note := `{"kind":"note","id":2,"text":"Anna likes tea.","source":"reflection","time":"2026-11-20T18:30:00Z"}`
	fact := `{"kind":"fact","name":"birthday","category":"personal","fixed":true,"text":"May 4th"}`
	for path, want := range map[string]string{
		"/v1/memory":               "200 [" + note + "," + fact + "]",
		"/v1/memory?limit=1":       "200 [" + note + "]",
		"/v1/memory?search=May":    "200 [" + fact + "]",
		"/v1/memory?search=nobody": "200 []",
		"/v1/memory?limit=0":       `400 {"error":"limit: want 1 to 1000"}`,
		"/v1/memory?limit=many":    `400 {"error":"limit: want 1 to 1000"}`,
		"/v1/memory/export":        "200 " + note + "\n" + fact + "\n" + `{"error":"disk on fire"}`,
		"/v1/thinkers":             `200 [{"name":"weather","description":"","origin":"","model":"","tools":[],"cache_s":0,"live":true}]`,
	} {
		code, body := r.do("GET", path, "")
		if got := fmt.Sprint(code, " ", body); got != want {
			t.Errorf("GET %s: %s\nwant %s", path, got, want)
		}
	}
}

func TestForgettingAndImportAreStrict(t *testing.T) {
	r := onSocket(t)
	one := `{"error":"want one of about, notes, fact and everything"}`
	many := `{"entries":[` + strings.TrimSuffix(strings.Repeat(`{"kind":"note","text":"x"},`, maxImported+1), ",") +
		`]}`
	for _, c := range []struct{ path, body, want string }{
		{"forget", `{"about":"tea"}`, `200 {"entries":3}`},
		{"forget", `{"notes":[1,2]}`, `200 {"entries":2}`},
		{"forget", `{"everything":true}`, `200 {"entries":100}`},
		{"forget", `{}`, "400 " + one},
		{"forget", `{"about":"tea","everything":true}`, "400 " + one},
		{"forget", `{"about":"tea","notes":[1]}`, "400 " + one},
		{"forget", `{"notes":[1],"everything":true}`, "400 " + one},
		{"forget", `{"about":"x"}`, `409 {"error":"text is too short"}`},
		{"import", `{"entries":[{"kind":"note","text":"x"}]}`, `200 {"entries":1}`},
		{"import", `{"entries":[]}`, `400 {"error":"entries: want 1 to 100"}`},
		{"import", many, `400 {"error":"entries: want 1 to 100"}`},
	} {
		code, body := r.do("POST", "/v1/memory/"+c.path, c.body)
		if got := fmt.Sprint(code, " ", body); got != c.want {
			t.Errorf("POST %s %.60s: %s\nwant %s", c.path, c.body, got, c.want)
		}
	}
}
