package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"hearthd/audio"
	"hearthd/audio/device/testcard"
)

// fakeMicrophone lets Chromium's microphone hear sound, once, from when a page first
// asks for it.
func fakeMicrophone(t *testing.T, sound []int16) []chromedp.ExecAllocatorOption {
	t.Helper()
	name := filepath.Join(t.TempDir(), "microphone.wav")
	f, err := os.Create(name)
	check(t, err)
	check(t, audio.EncodeWAV(f, audio.Chunk{Rate: testcard.Rate, Samples: sound}))
	check(t, f.Close())
	return []chromedp.ExecAllocatorOption{
		chromedp.Flag("use-fake-device-for-media-stream", true), chromedp.Flag("use-fake-ui-for-media-stream", true),
		chromedp.Flag("use-file-for-fake-audio-capture", name+"%noloop"),
		chromedp.Flag("autoplay-policy", "no-user-gesture-required"),
	}
}

// somebody is a sentence after a while in which the call begins.
func (k *kitchen) somebody(text string, after float64) []int16 {
	k.t.Helper()
	return append(append(make([]int16, int(after*testcard.Rate)), k.synthesise(text)...), make([]int16, 20*testcard.Rate)...)
}

// loudest is JavaScript that listens to what the page plays, and keeps the loudest
// sample in window.loudest.
const loudest = `(() => {
	const c = new AudioContext(), a = c.createAnalyser(), p = new Float32Array(a.fftSize);
	c.createMediaStreamSource(document.querySelector("audio").srcObject).connect(a);
	window.loudest = 0;
	setInterval(() => { a.getFloatTimeDomainData(p); window.loudest = Math.max(window.loudest, ...p); }, 20);
	return true;
})()`

func TestBrowserIsOneMoreMicrophoneAndSpeaker(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	b := openBrowser(t, fakeMicrophone(t, k.somebody("Hey hearth, set a pasta timer for ten minutes.", 15))...)
	b.open(k, "")
	b.click("#join")
	b.until("the call", `!document.getElementById("hands-free").closest("[hidden]")`)
	get[bool](b, loudest)
	b.click("#hands-free")
	doc := k.turn("voice")
	if doc.WokenBy != "browser" || doc.Outcome != "answered" || doc.Route != "intent" {
		t.Errorf("%+v", doc)
	}
	b.until("what was heard", `document.getElementById("call-log").textContent.includes("pasta timer")`)
	b.until("the answer's sound", `window.loudest > 0.05`)
	s := k.status()
	if len(s.Timers) != 1 || s.Timers[0].Label != "pasta" {
		t.Errorf("timers %+v", s.Timers)
	}
	if s.State != "idle" {
		t.Errorf("the box itself is %s", s.State)
	}
	b.click("#join")
	b.until("the end of the call", `document.getElementById("hands-free").closest("[hidden]")`)
	b.content(k)
}

func TestHoldingTheButtonNeedsNoWakeWord(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	b := openBrowser(t, fakeMicrophone(t, k.somebody("What time is it?", 15))...)
	b.open(k, "")
	get[float64](b, `window.begun = performance.now()`)
	b.click("#join")
	b.until("the call", `!document.getElementById("hands-free").closest("[hidden]")`)
	b.until("that somebody is about to speak", `performance.now() - window.begun > 11000`)
	get[bool](b, `document.getElementById("hold").dispatchEvent(new PointerEvent("pointerdown"))`)
	if doc := k.turn("voice"); doc.WokenBy != "browser" || doc.Outcome != "answered" || doc.Intent != "time_now" {
		t.Errorf("%+v", doc)
	}
	b.content(k)
}
