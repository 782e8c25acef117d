package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
)

func TestRequestIsHeardAgainAndErasedInTheConsole(t *testing.T) {
	k := newKitchen(t, "HEARTHD_CONSOLE_RECORDINGS=5")
	k.begin()
	k.heard("Hey hearth, set a pasta timer for ten minutes.")
	b := openBrowser(t, chromedp.Flag("autoplay-policy", "no-user-gesture-required"))
	b.open(k, "turns")
	b.until("the turn", `document.querySelectorAll(".turn-list details").length >= 1`)
	get[bool](b, `document.querySelector(".turn-list details").open = true`)
	b.until("its shape", `/request, [2-9]\.\d s/.test(document.querySelector(".sound canvas")?.getAttribute("aria-label"))`)
	if !get[bool](b, `(() => { const c = document.querySelector(".sound canvas"); return c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((v) => v > 0); })()`) {
		t.Error("nothing is drawn")
	}
	get[bool](b, `(() => { const a = document.querySelector(".sound audio"); a.play(); return true; })()`)
	b.until("that it plays", `document.querySelector(".sound audio").currentTime > 0.2`)

	b.click(".erase-all")
	b.click("dialog button:not(.primary)")
	b.until("no dialog", `!document.querySelector("dialog")`)
	b.click(".sound .erase")
	b.until("that it is gone", `document.querySelector(".turn-list details[open]") && !document.querySelector(".sound")`)
	b.click(".erase-all")
	b.click("dialog .primary")
	b.until("that it was the only one", `[...document.querySelectorAll(".toast")].some((e) => e.textContent === "0 recordings are erased.")`)
	b.content(k)
}
