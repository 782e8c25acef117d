package e2e

import (
	"testing"
)

func TestConsoleShowsASpokenTurnAsItHappens(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	b := openBrowser(t)
	b.open(k, "")
	b.until("the meter", `document.querySelector(".meter [role=meter]").getAttribute("aria-valuenow") !== "0"`)
	k.say("Hey hearth, set a pasta timer for ten minutes.")
	b.until("the request", `[...document.querySelectorAll(".asked")].some((e) => e.textContent.includes("pasta timer"))`)
	b.until("the tool", `[...document.querySelectorAll(".calls")].some((e) => e.textContent.includes("timer_set") && e.textContent.includes("600"))`)
	b.until("the answer", `[...document.querySelectorAll(".answer")].some((e) => e.textContent.toLowerCase().includes("ten minutes"))`)
	b.until("its end", `[...document.querySelectorAll(".chip")].some((e) => e.textContent.startsWith("heard after"))`)
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
