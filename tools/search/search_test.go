package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hearthd/llm"
	"hearthd/rigs/toolstest"
	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
)

// engines stands for a SearXNG instance as its documentation describes it (403
// for a format that is not allowed, answers as texts or objects, engines that do
// not answer), for Brave (422 for a key that is not known or not there, 429 with
// a code, tags in descriptions), and for the pages that they find.
type engines struct {
	noJSON, suspended bool
	asked             int
	pages             string // address of the pages
}

func (e *engines) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.asked++
	q := r.URL.Query()
	switch r.URL.Path {
	case "/search":
		switch {
		case q.Get("format") == "json" && e.noJSON:
			http.Error(w, "<!doctype html><title>403 Forbidden</title>", http.StatusForbidden)
		case q.Get("q") == "":
			http.Error(w, "<!doctype html>", http.StatusBadRequest)
		case e.suspended:
			io.WriteString(w,
				`{"query":"x","number_of_results":0,"results":[],"answers":[],"corrections":[],"infoboxes":[],"suggestions":[],"unresponsive_engines":[["google","Suspended: CAPTCHA"],["brave","timeout"]]}`)
		default:
			fmt.Fprintf(w, searxngAnswer, e.pages)
		}
	case "/res/v1/web/search":
		e.brave(w, r)
	case "/bread":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<title>On bread</title><nav>Home</nav><article><p>Bread needs "+
			"time.</p></article><script>steal()</script>")
	case "/notes.txt":
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "plain\n\nnotes")
	case "/picture":
		w.Header().Set("Content-Type", "image/png")
		io.WriteString(w, "\x89PNG")
	case "/big":
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, strings.Repeat("x", maxPage+1))
	default:
		http.NotFound(w, r)
	}
}

const searxngAnswer = `{"query":"bread","number_of_results":0,"results":[
{"url":"%[1]s/bread","title":"On <b>bread</b>","content":"How bread\nis made.","engine":"brave","parsed_url":["https"],"score":4.0,"category":"general","publishedDate":null},
{"url":"%[1]s/notes.txt","title":"Notes","content":null},{"url":"%[1]s/picture","title":"Picture","content":"A picture"},{"url":"%[1]s/big","title":"Big","content":"Big"},
{"url":"%[1]s/gone","title":"Gone","content":"Gone"},{"url":"file:///etc/passwd","title":"Bad","content":"Bad"},{"url":"https://user:pass@host/","title":"Bad","content":"Bad"}],
"answers":["Bread is 3 letters longer than tea.",{"answer":"Object answers","url":"https://answers.example/"},{"odd":1}],
"infoboxes":[{"infobox":"Bread","id":"https://en.wikipedia.org/wiki/Bread","content":"Bread is a staple food."}],
"suggestions":["brown bread"],"corrections":[],"unresponsive_engines":[["google","timeout"]]}`

func (e *engines) brave(w http.ResponseWriter, r *http.Request) {
	refuse := func(code int, name, detail string) {
		w.WriteHeader(code)
		json.NewEncoder(w).Encode(map[string]any{"type": "ErrorResponse", "time": 1663072993,
			"error": map[string]any{"id": "x", "status": code, "code": name, "detail": detail,
				"meta": map[string]string{"component": "authentication"}}})
	}
	switch key := r.Header.Get("X-Subscription-Token"); {
	case key == "":
		refuse(422, "VALIDATION", "Unable to validate request parameter(s)")
	case key == "spent":
		w.Header().Set("X-RateLimit-Limit", "1, 2000")
		refuse(429, "RATE_LIMITED", "Request rate limit exceeded for plan.")
	case key != "good":
		refuse(422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.")
	case len(strings.Fields(r.URL.Query().Get("q"))) > 50 || len(r.URL.Query().Get("q")) > 400:
		refuse(422, "VALIDATION", "q is too long")
	case r.URL.Query().Get("q") == "nothing":
		io.WriteString(w, `{"type":"search","query":{"original":"nothing"}}`)
	default:
		io.WriteString(w, `{"type":"search","query":{"original":"bread"},"mixed":{},"web":{"type":"search","results":[
{"title":"Bread &amp; butter","url":"https://www.bread.example/a","description":"All about <strong>bread</strong>.","page_age":"2026-01-01T00:00:00","language":"en"}],"family_friendly":true}}`)
	}
}

func newTools(t *testing.T, e *engines, o Options) map[string]tools.Tool {
	t.Helper()
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	e.pages = server.URL
	if o.Key == "" {
		o.SearXNG = server.URL + "/"
	}
	o.Brave = server.URL + "/res/v1/web/search"
	o.Book = phrase.English()
	o.Client = fetch.New(fetch.Options{UserAgent: "hearthd-test"})
	if o.Pages == nil {
		o.Pages = o.Client // the pages of the test are inside the house
	}
	all, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return toolstest.Named(t, all)
}

func fails(t *testing.T, tool tools.Tool, args, say, log string) {
	t.Helper()
	_, err := tool.Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(args)}})
	var f *tools.Failure
	if !errors.As(err, &f) || f.Say != say || !strings.Contains(f.Error(), log) {
		t.Errorf("%s: %v", args, err)
	}
}

func TestResultsOfSearXNGAreCleanAndCited(t *testing.T) {
	e := &engines{}
	byName := newTools(t, e, Options{})
	r := toolstest.Call(t, byName["web_search"], `{"query":"bread","count":10}`)
	lines := strings.Split(r.Text, "\n")
	if len(lines) != 8 || !r.Foreign {
		t.Fatalf("%d: %s", len(lines), r.Text)
	}
	for i, want := range map[int]string{
		0: "1. Answer. Bread is 3 letters longer than tea. ",
		1: "2. Answer. Object answers https://answers.example/",
		2: "3. Bread. Bread is a staple food. https://en.wikipedia.org/wiki/Bread",
		3: "4. On bread. How bread is made. " + e.pages + "/bread",
		4: "5. Notes.  " + e.pages + "/notes.txt",
	} {
		if lines[i] != want {
			t.Errorf("%q, want %q", lines[i], want)
		}
	}
	if len(r.Sources) != 7 || strings.Contains(r.Text, "passwd") || strings.Contains(r.Text, "user:pass") {
		t.Errorf("%+v", r.Sources)
	}
	toolstest.Call(t, byName["web_search"], `{"query":"Bread"}`)
	if e.asked != 1 {
		t.Errorf("asked %d times", e.asked)
	}
}

func TestOneResultIsForTheEar(t *testing.T) {
	byName := newTools(t, &engines{}, Options{Key: "good"})
	r := toolstest.Call(t, byName["web_search"], `{"query":"bread","count":1}`)
	if r.Text != "bread.example says: All about bread." || len(r.Sources) != 1 ||
		r.Sources[0].Title != "Bread & butter" {
		t.Errorf("%+v", r)
	}
	if got := toolstest.Call(t, byName["web_search"], `{"query":"nothing"}`).Text; got != "I found nothing about nothing." {
		t.Error(got)
	}
	toolstest.Call(t, byName["web_search"], fmt.Sprintf(`{"query":%q}`, strings.Repeat("ab ", 90)))
}

func TestInstanceWithoutJSONIsNamed(t *testing.T) {
	byName := newTools(t, &engines{noJSON: true}, Options{})
	fails(t, byName["web_search"], `{"query":"bread"}`, "The search engine of the house is not set up for me. The "+
		"journal says how.", "add json to search.formats in its settings.yml")
}

func TestSilentEnginesAreNoEmptyResult(t *testing.T) {
	byName := newTools(t, &engines{suspended: true}, Options{})
	fails(t, byName["web_search"], `{"query":"bread"}`,
		"The search engine finds nobody to ask right now. Please try again later.", "Suspended: CAPTCHA")
}

func TestRefusedKeysAreTold(t *testing.T) {
	fails(t, newTools(t, &engines{}, Options{Key: "bad"})["web_search"], `{"query":"bread"}`,
		"The search engine does not let me in.",
		"status 422: SUBSCRIPTION_TOKEN_INVALID: The provided subscription token is invalid.")
	fails(t, newTools(t, &engines{}, Options{Key: "spent"})["web_search"], `{"query":"bread"}`,
		"The search engine was asked too often. Please try again later.", "status 429: RATE_LIMITED")
}

func TestPagesThatWereFoundAreRead(t *testing.T) {
	e := &engines{}
	byName := newTools(t, e, Options{})
	toolstest.Call(t, byName["web_search"], `{"query":"bread","count":10}`)
	at := func(path string) string { return fmt.Sprintf(`{"url":%q}`, e.pages+path) }
	r := toolstest.Call(t, byName["web_read"], at("/bread"))
	if r.Text != "Bread needs time." || !r.Foreign || r.Sources[0].Title != "On bread" {
		t.Errorf("%+v", r)
	}
	if got := toolstest.Call(t, byName["web_read"], at("/notes.txt")).Text; got != "plain notes" {
		t.Error(got)
	}
	fails(t, byName["web_read"], at("/picture"), "That page is no text.", "image/png")
	fails(t, byName["web_read"], at("/big"), "I can't read that page.", "too large")
	fails(t, byName["web_read"], at("/gone"), "I can't read that page.", "status 404")
}

func TestOnlyWhatWasFoundIsRead(t *testing.T) {
	e := &engines{}
	byName := newTools(t, e, Options{})
	for _, address := range []string{e.pages + "/bread", "https://evil.example/?secret=1", "http://192.168.1.1/"} {
		_, err := byName["web_read"].Call(t.Context(),
			tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(fmt.Sprintf(`{"url":%q}`, address))}})
		var bad *tools.ArgumentError
		if !errors.As(err, &bad) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if e.asked != 0 {
		t.Errorf("asked %d times", e.asked)
	}
}

func TestPageInsideTheHouseIsNotOpenedEvenWhenFound(t *testing.T) {
	e := &engines{}
	byName := newTools(t, e, Options{Pages: fetch.New(fetch.Options{Outside: true})})
	toolstest.Call(t, byName["web_search"], `{"query":"bread","count":10}`)
	fails(t, byName["web_read"], fmt.Sprintf(`{"url":%q}`, e.pages+"/bread"),
		"That page is inside the house, so I did not open it.", "inside the house")
}

func TestWithoutAnEngineThereAreNoTools(t *testing.T) {
	if all, err := New(Options{Brave: "https://api.search.brave.com/res/v1/web/search"}); len(all) != 0 || err != nil {
		t.Errorf("%v %v", all, err)
	}
}
