package e2e

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"hearthd/rigs/llmtest"
)

func TestConsoleAsksBeforeItForgetsOrRunsWhatMatters(t *testing.T) {
	k := newKitchen(t)
	opened := garden(t, k)
	ollama := llmtest.NewOllama(t, model, func(llmtest.OllamaRequest) []llmtest.OllamaChunk { return llmtest.OllamaSay("Yes.") })
	k.begin(minds(strings.TrimPrefix(ollama.URL, "http://"))...)
	for _, text := range []string{"The spare key is in the shed.", "The bin goes out on Monday.", "The cat is called Mia."} {
		check(t, k.Call(t.Context(), http.MethodPost, "/v1/memory/import", map[string]any{"entries": []map[string]any{{"kind": "note", "text": text}}}, &struct{}{}))
	}
	b := openBrowser(t)
	b.open(k, "house")
	const notes = `document.querySelectorAll('#page-house button[aria-label^="Forget "]').length`
	b.until("three notes", notes+` === 3`)
	b.until("who thinks", `[...document.querySelectorAll("#page-house table")].some((e) => e.caption?.textContent === "Thinkers" && e.rows.length > 5 && e.textContent.includes("weather") && e.textContent.includes("`+model+`"))`)

	forget := `button[aria-label="Forget The spare key is in the shed."]`
	b.click(forget)
	if q := get[string](b, `document.querySelector("dialog p").textContent`); !strings.Contains(q, "The spare key is in the shed.") {
		t.Errorf("it asks %q", q)
	}
	b.click("dialog button:not(.primary)")
	b.until("no dialog", `!document.querySelector("dialog")`)
	b.click(forget)
	b.click("dialog .primary")
	b.until("two notes", notes+` === 2`)
	get[bool](b, `[...document.querySelectorAll("#page-house button")].find((e) => e.textContent === "Forget everything").click() ?? true`)
	b.click("dialog .primary")
	b.until("that nothing is remembered", notes+` === 0`)
	var left []struct{ Kind string }
	check(t, k.Call(t.Context(), http.MethodGet, "/v1/memory", nil, &left))
	if len(left) != 0 {
		t.Errorf("%v are left", left)
	}

	get[string](b, `location.hash = "tools"`)
	b.until("the tool", `document.querySelectorAll(".toolbox").length > 20`)
	get[bool](b, `[...document.querySelectorAll(".toolbox")].find((e) => e.querySelector("code").textContent === "garden_water").open = true`)
	b.click("details.toolbox[open] .run button")
	b.click("dialog button:not(.primary)")
	b.until("no dialog", `!document.querySelector("dialog")`)
	if n := times(t, opened); n != 0 {
		t.Errorf("it ran %d times though nobody agreed", n)
	}
	b.click("details.toolbox[open] .run button")
	b.click("dialog .primary") // of the page
	b.until("the tool's question", `document.querySelector("dialog p")?.textContent.includes("Shall I water the garden?")`)
	b.click("dialog .primary")
	b.until("what came of it", `document.querySelector("details[open] .run").textContent.includes("The garden is wet.")`)
	if n := times(t, opened); n != 1 {
		t.Errorf("it ran %d times", n)
	}
	b.content(k)
}

func TestConsoleShowsNoWordsWhereNoneMayBeKept(t *testing.T) {
	k := newKitchen(t, "HEARTHD_LOG_TRANSCRIPTS=false", "HEARTHD_CONSOLE_RECORDINGS=5")
	k.begin()
	b := openBrowser(t)
	b.open(k, "")
	b.until("that words are private", `document.getElementById("private").checkVisibility()`)
	k.heard("Hey hearth, set a pasta timer for ten minutes.")
	b.until("the turn", `[...document.querySelectorAll(".chip")].some((e) => e.textContent.startsWith("heard after"))`)
	for _, page := range []string{"now", "turns", "health"} {
		get[string](b, `location.hash = "`+page+`"`)
		if page == "turns" {
			b.until("the turn", `document.querySelector(".turn-list details")`)
			get[bool](b, `document.querySelector(".turn-list details").open = true`)
			b.until("what it did", `document.querySelector(".why")`)
		}
		text := get[string](b, `(() => { const m = document.querySelector("main").cloneNode(true); m.querySelectorAll("#facts, .timers").forEach((e) => e.remove()); return m.textContent; })()`)
		for _, secret := range []string{"pasta timer for", "Pasta timer set"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s shows %q", page, secret)
			}
		}
	}
	get[string](b, `location.hash = "now"`)
	k.ask("set a timer for one second")
	k.await("the ring", func(s Status) bool { return len(s.Ringing) == 1 })
	k.ask("stop")
	b.until("what rang, called so once", `[...document.querySelectorAll(".talk-head")].some((e) => /M Announcement$/.test(e.textContent))`)
	if get[bool](b, `Boolean(document.querySelector(".sound, .erase-all"))`) {
		t.Error("it has kept the sound")
	}
	b.content(k)
}

// A check that finds nothing anywhere would be worth nothing.
func TestAccessCheckFindsWhatIsWrong(t *testing.T) {
	name := t.TempDir() + "/bad.html"
	check(t, os.WriteFile(name, []byte(`<!doctype html><html lang="en"><title>Bad</title><body style="background:#fff">
		<header><nav aria-label="Pages">Nav</nav></header><main><h1>Bad</h1>
		<input id="nameless"><button></button><img src="data:,">
		<p style="color:#aaa">pale words</p><label for="nobody">Nothing</label>
		<h3>Two levels down</h3><p id="twin">one</p><p id="twin">two</p>
		<table><tr><th>Head</th></tr></table>
		<div style="width:3000px">wide</div></main></body></html>`), 0o600))
	b := openBrowser(t)
	b.do(chromedp.Navigate("file://" + name))
	found := get[[]string](b, accessCheck)
	for _, want := range []string{"has no name: input#nameless", "has no name: button", "has no alt", "pale words", "names nothing: nobody", "a level is left out", "stands twice: #twin", "no scope"} {
		if !slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, want) }) {
			t.Errorf("nothing was said of %q; only of %q", want, found)
		}
	}
}
