package e2e

import (
	_ "embed"
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

//go:embed testdata/access.js
var accessCheck string

// consolePages are the parts of the console, and what shows that each is filled.
var consolePages = []struct{ name, filled string }{
	{"now", `document.querySelectorAll(".turn").length > 1`},
	{"turns", `document.querySelector(".waterfall li")`},
	{"house", `document.querySelectorAll("#page-house table").length > 1`},
	{"tools", `document.querySelector("details[open] .field")`},
	{"hearing", `document.querySelector("#page-hearing").textContent.includes("of the configuration")`},
	{"health", `document.querySelectorAll(".config tr").length > 20 && document.querySelectorAll(".stream li").length > 0`},
}

// visit goes to each page, opens something there and has look look at it.
func (b *browser) visit(look func(page string)) {
	b.t.Helper()
	for _, p := range consolePages {
		get[string](b, `location.hash = "`+p.name+`"`)
		b.until(p.name, `document.getElementById("page-`+p.name+`").checkVisibility()`)
		switch p.name {
		case "turns", "tools":
			b.until("its list", `document.querySelector("#page-`+p.name+` details")`)
			get[bool](b, `document.querySelector("#page-`+p.name+` details").open = true`)
		}
		b.until("what "+p.name+" shows", p.filled)
		look(p.name)
	}
}

func TestConsoleCanBeReadByEverybodyAndOnAPhone(t *testing.T) {
	k := newKitchen(t, "HEARTHD_TTS_ENGINE=command", "HEARTHD_TTS_COMMAND_ARGV=/none/such") // so that there is a condition
	k.begin()
	k.ask("set a pasta timer for ten minutes")
	k.ask("sing me a song")
	k.ask("add milk and eggs to the shopping list")
	check(t, k.Call(t.Context(), http.MethodPost, "/v1/memory/import", map[string]any{"entries": []map[string]any{{"kind": "note", "text": "The spare key is in the shed."}}}, &struct{}{}))
	b := openBrowser(t)
	b.open(k, "")
	for _, screen := range []struct {
		width, height int64
		dark          bool
	}{{1280, 900, false}, {1280, 900, true}, {360, 740, false}, {360, 740, true}} {
		b.size(screen.width, screen.height, screen.dark)
		b.visit(func(page string) {
			for _, problem := range get[[]string](b, accessCheck) {
				t.Errorf("%s at %d, dark %v: %s", page, screen.width, screen.dark, problem)
			}
		})
	}
	b.content(k)
}

func TestConsoleIsUsedWithoutAMouse(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	b := openBrowser(t)
	b.open(k, "")
	b.until("the page", `document.getElementById("what").textContent === "Ready"`)
	var order []string
	for range 40 {
		b.do(chromedp.KeyEvent(kb.Tab))
		at := get[string](b, `document.activeElement.id || document.activeElement.hash || document.activeElement.name || document.activeElement.tagName`)
		order = append(order, at)
		if at == "mute" {
			break
		}
	}
	if last := order[len(order)-1]; last != "mute" {
		t.Fatalf("the keyboard reaches %q", order)
	}
	if !get[bool](b, `getComputedStyle(document.activeElement).outlineStyle !== "none"`) {
		t.Error("nobody sees where the keyboard is")
	}
	b.do(chromedp.KeyEvent(kb.Enter))
	k.moves("muted")
	b.content(k)
}

// A day of a busy household: about 400 turns of 25 events each, and a television that
// is heard 3000 times.
const dayOfEvents = 400*25 + 3000*3

func TestADayOfEventsLeavesATabAsSmallAsItWas(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	b := openBrowser(t)
	// The page's own socket is given messages as the daemon would send them.
	b.beforeEachPage(`const Real = WebSocket; window.WebSocket = class extends Real { constructor(...a) { super(...a); window.live = this; } };`)
	b.open(k, "")
	b.until("the socket", `window.live`)
	for _, page := range []string{"now", "health", "turns"} {
		get[string](b, `location.hash = "`+page+`"`)
		b.until(page, `document.getElementById("page-`+page+`").checkVisibility()`)
		for range 10 { // a quarter of the day fills what is bounded
			get[int](b, fmt.Sprintf(events, dayOfEvents/40))
		}
		heap, nodes := b.holds()
		for range 40 {
			get[int](b, fmt.Sprintf(events, dayOfEvents/40))
		}
		heapAfter, nodesAfter := b.holds()
		t.Logf("%s: heap %d kB, then %d kB; %d nodes, then %d", page, heap>>10, heapAfter>>10, nodes, nodesAfter)
		if grown := heapAfter - heap; grown > 1<<20 {
			t.Errorf("%s: the heap has grown by %d kB", page, grown>>10)
		}
		if grown := nodesAfter - nodes; grown > 500 {
			t.Errorf("%s: there are %d more nodes", page, grown)
		}
	}
	b.content(k)
}

// events tells the page of so many, of all the kinds that a turn has.
const events = `(() => {
	window.turn ||= 1000; window.seq ||= 0;
	const tell = (type, rest) => window.live.onmessage({data: JSON.stringify({kind: "event",
		data: {type, seq: ++window.seq, time: new Date().toISOString(), session: 1, turn: window.turn, ...rest}})});
	for (let n = 0; n < %d;) {
		window.turn++;
		const all = [["speech_started", {utterance: n}], ["speech_ended", {utterance: n, reason: "silence", seconds: 1.5}], ["ignored", {utterance: n, reason: "not_addressed"}],
			["woken", {by: "phrase"}], ["heard", {text: "what is the weather in number " + n}], ["state", {from: "idle", to: "thinking"}], ["routed", {route: "local"}],
			["tool_started", {call: "a", tool: "weather", arguments: "{}"}], ["tool_finished", {call: "a", tool: "weather", outcome: "ok", took_ms: 5, text: "rain ".repeat(50)}],
			["said", {text: "It rains."}], ["state", {from: "thinking", to: "speaking"}], ["timers", {timers: [{id: n, kind: "timer", label: "t" + n, ends: new Date().toISOString()}]}],
			["condition", {code: "broker", severity: "warning", text: "gone " + n, since: new Date().toISOString(), active: n %% 2 === 0}],
			["turn", {source: "voice", woken_by: "phrase", route: "local", outcome: "answered", transcript: "what is the weather", answer: "It rains. ".repeat(20), sources: [{title: "Sky", url: "https://example.org"}],
				stages_ms: {endpoint: 1, stt: 1, route: 1, tool: 1, tts: 1, play: 1, first_sound: 6, total: 9}}], ["state", {from: "speaking", to: "idle"}]];
		for (const [type, rest] of all) tell(type, rest);
		n += all.length;
	}
	return window.seq;
})()`
