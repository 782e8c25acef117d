package e2e

import (
	"strings"
	"testing"
)

func TestConsoleShowsASpokenTurnAsItHappens(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	b := openBrowser(t)
	// What no event tells is looked at every ten seconds, here ten times a second.
	b.beforeEachPage(`const each = setInterval; window.setInterval = (f, ms, ...rest) => each(f, ms === 10000 ? 100 : ms, ...rest);`)
	b.open(k, "")
	b.until("the meter", `document.querySelector(".meter [role=meter]").getAttribute("aria-valuenow") !== "0"`)
	k.heard("Hey hearth, set a pasta timer for ten minutes.")
	b.until("the request", `[...document.querySelectorAll(".asked")].some((e) => e.textContent.includes("pasta timer"))`)
	b.until("the tool", `[...document.querySelectorAll(".calls")].some((e) => e.textContent.includes("timer_set") && e.textContent.includes("600"))`)
	b.until("the answer", `[...document.querySelectorAll(".answer")].some((e) => e.textContent.toLowerCase().includes("ten minutes"))`)
	b.until("its end", `[...document.querySelectorAll(".chip")].some((e) => e.textContent.startsWith("heard after"))`)
	b.until("that it is counted", `[...document.querySelectorAll("#facts dt")].some((e) => e.textContent === "Turns" && e.nextSibling.textContent !== "0")`)
	b.content(k)
}

func TestConsoleButtonsAreTheBoxes(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	b := openBrowser(t)
	b.open(k, "")
	b.click("#talk")
	k.moves("listening")
	b.until("that it listens", `document.getElementById("what").textContent === "Listening"`)
	b.click("#stop")
	k.moves("idle")
	b.click("#mute")
	if got := get[string](b, `document.getElementById("mute").getAttribute("aria-pressed")`); got != "true" {
		t.Errorf("the button is %q as it was pressed", got)
	}
	k.moves("muted")
	if !k.status().Muted {
		t.Error("it is not muted")
	}
	b.until("that it is muted", `document.getElementById("what").textContent === "Muted"`)
	b.click("#mute")
	k.moves("idle")
	b.content(k)
}

func TestConsoleTellsWhatATurnSpentItsTimeOn(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	k.ask("set a pasta timer for ten minutes")
	k.ask("sing me a song")
	b := openBrowser(t)
	b.open(k, "turns")
	b.until("both turns", `document.querySelectorAll(".turn-list details").length === 2`)
	get[bool](b, `document.querySelectorAll(".turn-list details")[1].open = true`)
	b.until("the waterfall", `[...document.querySelectorAll(".waterfall .name")].some((e) => e.textContent === "timer_set")`)
	why := get[string](b, `document.querySelector(".why").textContent`)
	if !strings.Contains(why, "answered by intent timer set") || !strings.Contains(why, "the voice began") {
		t.Errorf("why: %s", why)
	}
	get[bool](b, `document.querySelectorAll(".turn-list details")[0].open = true`)
	b.until("why it failed", `[...document.querySelectorAll(".why")].some((e) => e.textContent.includes("failed, because of no thinker"))`)
	get[bool](b, `(() => { const s = document.getElementById("turn-sort"); s.value = "slowest"; return s.dispatchEvent(new Event("change")); })()`)
	b.until("the slowest first", `(() => { const t = [...document.querySelectorAll(".turn-list > li > details > summary .took")].map((e) => parseFloat(e.textContent) * (e.textContent.endsWith(" ms") ? 1 : 1000)); return t.length === 2 && t[0] >= t[1]; })()`)
	b.content(k)
}

func TestConsoleTellsTheTimeOfTheHouseAndWhatItWaitsFor(t *testing.T) {
	k := newKitchen(t, "HEARTHD_TOOLS_TIMEZONE=Asia/Tokyo", "HEARTHD_WAKE_ENGINE=off")
	garden(t, k)
	k.launch() // it hears nothing that could be waited for
	k.ask("what time is it")
	k.ask("water the garden")
	b := openBrowser(t)
	b.open(k, "")
	b.until("what it waits for", `document.getElementById("doing").textContent.startsWith("It answers what is written")`)
	b.until("the turns", `document.querySelectorAll(".talk-head time").length === 2`)
	if !get[bool](b, `[...document.querySelectorAll(".talk-head time")].every((e) => e.textContent === new Date(e.dateTime)
		.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", timeZone: "Asia/Tokyo" }))`) {
		t.Error("it tells another time than the house's")
	}
	if !get[bool](b, `[...document.querySelectorAll(".calls .muted")].some((e) => e.textContent.startsWith("asked"))`) {
		t.Error("a question is drawn like a failure")
	}
	b.content(k)
}
