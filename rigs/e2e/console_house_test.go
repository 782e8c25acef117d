package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	paho "github.com/eclipse/paho.mqtt.golang"
)

// fill types into a field, in place of what stands there.
func (b *browser) fill(css, text string) {
	b.t.Helper()
	quoted, err := json.Marshal(text)
	check(b.t, err)
	get[bool](b, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.value = %s; e.dispatchEvent(new Event("input", {bubbles: true})); return true; })()`, css, quoted))
}

func TestConsoleHasModernSpeechInstalledAndTellsWhatComesOfIt(t *testing.T) {
	k := newKitchen(t)
	log := filepath.Join(k.dir, "install.log")
	k.begin("SPEECH_INSTALL_LOG=" + log)
	b := openBrowser(t)
	b.open(k, "hearing")
	b.until("the button", `document.querySelector("#page-hearing .card:last-child button.primary:not([hidden])")`)
	b.click("#page-hearing .card:last-child button.primary")
	b.until("that it was asked for", `document.querySelector("#toasts").textContent.includes("installs modern speech")`)
	if _, err := os.Stat(filepath.Join(k.dir, "run", "speech-install")); err != nil {
		t.Error(err)
	}
	// The unit of root would do this.
	check(t, os.WriteFile(log, []byte("github.com cannot be reached: its name is not found\n"), 0o644))
	b.until("what came of it", `document.querySelector("#page-hearing [role=log]").textContent.includes("cannot be reached")`)
}

func TestConsolePlaysRadioAndMusic(t *testing.T) {
	k := newKitchen(t, "HEARTHD_MEDIA_STATIONS="+stations(t, "Radio One", "Radio Two"))
	k.begin()
	b := openBrowser(t)
	b.open(k, "house")
	b.fill("#media-station", "radio one")
	b.click("#page-house form.ask:has(#media-station) button")
	press := func(name string) {
		const find = `[...document.querySelectorAll("#page-house .card:has(#media-station) .buttons button")].find((e) => e.textContent === %q)`
		b.until(name, fmt.Sprintf(find+" && !("+find+").disabled", name, name))
		get[bool](b, fmt.Sprintf(find+".click() === undefined", name))
	}
	shows := func(what string) {
		b.until(what, fmt.Sprintf(`document.querySelector("#page-house .card:has(#media-station) p").textContent === %q`, what))
	}
	shows("Radio One playing")
	b.fill("#media-station", "radio t") // stays while what plays changes
	for _, step := range [][2]string{{"Pause", "Radio One paused"}, {"Play", "Radio One playing"}, {"Next", "Radio Two playing"},
		{"Previous", "Radio One playing"}, {"Stop", "Radio One"}, {"Play", "Radio One playing"}} {
		press(step[0])
		shows(step[1])
	}
	if text := get[string](b, `document.querySelector("#media-station").value`); text != "radio t" {
		t.Errorf("what was typed is gone: %q", text)
	}
	get[bool](b, `((e) => { e.value = 30; return e.dispatchEvent(new Event("change")); })(document.querySelector("#media-volume"))`)
	k.until("that volume", func() bool {
		_, out, _ := k.ctl(t, "media")
		return strings.Contains(out, "media volume 30 %")
	})
	b.fill("#media-station", "nonsense")
	b.click("#page-house form.ask:has(#media-station) button")
	b.until("that there is none", `document.querySelector("#toasts").textContent.includes("nothing called nonsense")`)
	b.content(k)
}

func TestConsoleChangesTheHouse(t *testing.T) {
	k := newKitchen(t, "HEARTHD_TOOLS_TIMEZONE=Pacific/Auckland") // where the browser is not
	k.begin()
	k.ask("set a pasta timer for ten minutes")
	k.ask("set an egg timer for five minutes")
	k.ask("wake me at seven on weekdays")
	b := openBrowser(t)
	b.open(k, "house")
	b.until("when it wakes", `[...document.querySelectorAll("#page-house tbody tr")].some((e) => /7:00( |\u202f)AM, again on weekdays/.test(e.textContent))`)
	b.click(`button[aria-label="Cancel alarm"]`)
	b.until("both timers", `document.querySelectorAll("button.cancel").length === 2`)
	b.click(`button[aria-label="Cancel pasta"]`)
	k.await("one timer", func(s Status) bool { return len(s.Timers) == 1 && s.Timers[0].Label == "egg" })
	b.until("one timer", `document.querySelectorAll("button.cancel").length === 1`)

	b.fill("#list-item", "oat milk")
	b.click("#page-house form.ask:has(#list-item) button")
	b.until("the item", `[...document.querySelectorAll(".items li")].some((e) => e.textContent.startsWith("oat milk"))`)
	b.click(`button[aria-label="Remove oat milk from shopping"]`)
	b.until("that it is gone", `document.querySelectorAll(".items li").length === 0`)

	get[string](b, `location.hash = "tools"`)
	b.until("the tools", `document.querySelectorAll(".toolbox").length > 20`)
	b.fill("#try-text", "set a rice timer for nine minutes")
	b.click("#try button")
	b.until("why", `document.querySelector("#page-tools [role=status]").textContent.includes("timer_set") && document.querySelector("#page-tools [role=status]").textContent.includes("540")`)
	b.fill("#try-text", "sing me a song")
	b.click("#try button")
	b.until("that nothing takes it", `document.querySelector("#page-tools [role=status]").textContent.includes("No intent takes it")`)
	if n := len(k.status().Timers); n != 1 {
		t.Errorf("trying a sentence has set a timer: %d", n)
	}
	get[bool](b, `[...document.querySelectorAll(".toolbox")].find((e) => e.querySelector("code").textContent === "timer_set").open = true`)
	b.until("the fields", `document.querySelector("#arg-timer_set-duration_s")`)
	b.fill("#arg-timer_set-duration_s", "120")
	b.fill("#arg-timer_set-label", "tea")
	b.click("details.toolbox[open] .run button")
	k.await("the tea timer", func(s Status) bool { return len(s.Timers) == 2 })
	b.until("what came of it", `document.querySelector("details[open] .run").textContent.includes("Tea timer set")`)

	get[string](b, `location.hash = "hearing"`)
	b.until("the gate's values", `document.querySelector("#page-hearing").textContent.includes("values of the configuration")`)
	b.fill("#knob-threshold", "62")
	b.click("#tune button")
	b.until("how to keep it", `document.querySelector("#page-hearing pre").textContent.includes("hearthctl config set listen.threshold 0.62")`)
	b.until("what hears, and how models come", `document.querySelector("#page-hearing").textContent.includes("It hears with ") &&
		document.querySelector("#page-hearing .card:last-child pre").textContent === "sudo hearthctl speech install"`)
	b.click("#page-hearing .card:last-child .buttons button:last-child")
	b.until("that it can be copied", `/Copied|marked/.test(document.querySelector("#toasts").textContent)`)
	var hearing struct {
		Threshold float64 `json:"threshold"`
	}
	check(t, k.Call(t.Context(), http.MethodGet, "/v1/hearing", nil, &hearing))
	if hearing.Threshold != 0.62 {
		t.Errorf("the gate goes by %v", hearing.Threshold)
	}
	k.tellsTime() // and still hears

	get[string](b, `location.hash = "health"`)
	b.until("where it is from", `[...document.querySelectorAll(".config tr")].some((e) => e.textContent.includes("listen.threshold") && e.textContent.includes("the console"))`)
	b.until("the log of the turn", `[...document.querySelectorAll("#page-health ol[aria-label=Log] li")].some((e) => e.textContent.includes("turn ended"))`)
	b.content(k)
}

// nasty is what must stay text wherever it comes from.
var nasty = []string{
	`<img src=x onerror=hacked()>`, `<script>hacked()</script>`, `"><svg/onload=hacked()>`, `javascript:hacked()`,
	`' onmouseover='hacked()`, `{{constructor.constructor('hacked()')()}}`, `<iframe srcdoc="<script>parent.hacked()</script>">`,
	`<a href="javascript:hacked()">x</a>`, `<style>*{display:none}</style>`, "\u202e<b>\u202e", `</textarea><img src=x onerror=hacked()>`,
	`<math><mtext></mtext><mglyph><svg><mtext><style><path id="</style><img onerror=hacked() src>">`,
}

func TestWordsFromOutsideStayTextInTheConsole(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	z := paho.NewClient(k.guest().SetClientID("nasty"))
	if c := z.Connect(); !c.WaitTimeout(patience) || c.Error() != nil {
		t.Fatal(c.Error())
	}
	defer z.Disconnect(100)
	for i, text := range nasty {
		var out struct{}
		run := func(name string, args map[string]any) {
			// A tool may refuse such a name; what it says then is shown too.
			check(t, k.Call(t.Context(), http.MethodPost, "/v1/tools/run", map[string]any{"name": name, "arguments": args}, &out))
		}
		run("timer_set", map[string]any{"duration_s": 600 + i, "label": text})
		run("list_add", map[string]any{"items": []string{text}, "list": "shopping"})
		check(t, k.Call(t.Context(), http.MethodPost, "/v1/lists", map[string]any{"list": text, "add": []string{text}}, &[]string{}))
		check(t, k.Call(t.Context(), http.MethodPost, "/v1/memory/import", map[string]any{"entries": []map[string]any{{"kind": "note", "text": text}}}, &out))
		doc, err := json.Marshal(map[string]any{
			"name": text, "command_topic": "x/set", "state_topic": "x", "unique_id": fmt.Sprint("n", i), "device": map[string]any{"identifiers": []string{fmt.Sprint(i)}, "name": text, "suggested_area": text},
		})
		check(t, err)
		if p := z.Publish(fmt.Sprintf("homeassistant/switch/n%d/config", i), 1, true, doc); !p.WaitTimeout(patience) || p.Error() != nil {
			t.Fatal(p.Error())
		}
	}
	k.until("the devices", func() bool {
		var found struct {
			Devices []struct{} `json:"devices"`
		}
		return k.Call(t.Context(), http.MethodGet, "/v1/devices", nil, &found) == nil && len(found.Devices) >= len(nasty)-2
	})
	b := openBrowser(t)
	b.open(k, "")
	get[bool](b, `(window.hacked = () => { window.wasHacked = true; }, true)`)
	for i, text := range nasty { // each cuts the apology for the one before
		k.askAside(text)
		b.until("the request", fmt.Sprintf(`document.querySelectorAll(".asked").length > %d`, i))
	}
	k.askAside("what is on my shopping list?") // whose items a tool's result has
	b.until("the items", `[...document.querySelectorAll(".calls")].some((e) => e.textContent.includes("list_") && e.textContent.includes(" ok"))`)
	k.post("/v1/stop", struct{}{})
	for _, page := range []string{"now", "turns", "house", "tools", "health"} {
		get[string](b, `location.hash = "`+page+`"`)
		b.until(page, `document.querySelector("#page-`+page+`").innerText.includes("onerror=hacked()") || "tools health".includes("`+page+`")`)
		if page == "turns" {
			// The newest one may come only now.
			b.until("the tool's result", `(document.querySelectorAll(".turn-list details").forEach((d) => { d.open = true; }),
				[...document.querySelectorAll(".detail pre")].some((e) => e.textContent.startsWith("list_") && e.textContent.includes("onerror=hacked()")))`)
		}
		if page == "tools" {
			for _, text := range nasty {
				b.fill("#try-text", text)
				b.click("#try button")
			}
		}
		if n := get[int](b, `document.querySelectorAll("main img, main iframe, main script, main style, main svg, main math, main [onerror], main a[href^=javascript]").length`); n > 0 {
			t.Errorf("%s has %d elements that came from outside", page, n)
		}
	}
	if get[bool](b, `Boolean(window.wasHacked)`) {
		t.Error("what came from outside was run")
	}
	b.content(k)
}

func TestConsoleAsksForItsTokenOnTheBoxToo(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	at, token, err := k.Console(t.Context())
	check(t, err)
	if len(token) < 26 {
		t.Fatalf("token %q", token)
	}
	if code, out, _ := k.ctl(t, "console"); code != 0 || !strings.Contains(out, at+"#token="+token) {
		t.Errorf("hearthctl console: %d %s", code, out)
	}
	b := openBrowser(t)
	b.ignore = []string{"401"} // which the browser writes down
	b.do(chromedp.Navigate(at))
	b.until("the door", `document.getElementById("page-login").checkVisibility()`)
	b.fill("#token", "wrong")
	b.click("#login button")
	b.until("that it is wrong", `document.getElementById("login-error").textContent.includes("not the token")`)
	b.fill("#token", token)
	b.click("#login button")
	b.until("the box", `document.getElementById("what").checkVisibility() && document.getElementById("what").textContent === "Ready"`)
	if c := get[string](b, `document.cookie`); c != "" {
		t.Errorf("every port of the host is given the cookie %q", c)
	}
	b.do(chromedp.Reload())
	b.until("the box again", `document.getElementById("what").textContent === "Ready"`)

	other := openBrowser(t)
	other.open(k, "") // with the token behind the #
	if got := get[string](other, `location.href`); strings.Contains(got, token) {
		t.Errorf("the token stays in %s", got)
	}
	get[string](other, `location.hash = "health"`)
	other.click("#logout")
	other.until("the door", `document.getElementById("page-login").checkVisibility()`)
	other.do(chromedp.Reload())
	other.until("the door again", `document.getElementById("page-login").checkVisibility()`)
	other.content(k)
	if text, err := os.ReadFile(k.LogPath()); err != nil || strings.Contains(string(text), token) {
		t.Errorf("the log shows the token, or cannot be read: %v", err)
	}
	b.until("the box, of which another browser has logged out", `document.getElementById("what").textContent === "Ready"`)
	b.content(k)
}
