package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"hearthd/audio"
	"hearthd/rigs/testcard"
)

// fakeMicrophone lets Chromium's microphone hear sound, again and again, from when a
// page first asks for it.
func fakeMicrophone(t *testing.T, sound []int16) []chromedp.ExecAllocatorOption {
	t.Helper()
	name := filepath.Join(t.TempDir(), "microphone.wav")
	f, err := os.Create(name)
	check(t, err)
	check(t, audio.EncodeWAV(f, audio.Chunk{Rate: testcard.Rate, Samples: sound}))
	check(t, f.Close())
	return []chromedp.ExecAllocatorOption{
		chromedp.Flag("use-fake-device-for-media-stream", true), chromedp.Flag("use-fake-ui-for-media-stream", true),
		chromedp.Flag("use-file-for-fake-audio-capture", name),
		chromedp.Flag("autoplay-policy", "no-user-gesture-required"),
		// A machine without a network has no other address.
		chromedp.Flag("allow-loopback-in-peer-connection", true),
	}
}

// lead is the silence before a sentence, in seconds: time for the call to begin.
const lead = 5

// somebody is a sentence with silence around it.
func (k *kitchen) somebody(text string) []int16 {
	k.t.Helper()
	return append(append(make([]int16, lead*testcard.Rate), k.synthesise(text)...), make([]int16, 20*testcard.Rate)...)
}

// joins begins a call.
func (b *browser) joins() {
	b.t.Helper()
	b.click("#join")
	b.until("the call", `!document.getElementById("hands-free").closest("[hidden]")`)
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
	b := openBrowser(t, fakeMicrophone(t, k.somebody("Hey hearth, set a pasta timer for ten minutes."))...)
	b.open(k, "")
	b.joins()
	get[bool](b, loudest)
	b.click("#hands-free")
	doc := k.turn("voice")
	if doc.WokenBy != "browser" || doc.Outcome != "answered" || doc.Route != "intent" {
		t.Errorf("%+v", doc)
	}
	s := k.status()
	if len(s.Timers) != 1 || s.Timers[0].Label != "pasta" {
		t.Errorf("timers %+v", s.Timers)
	}
	if s.State != "idle" {
		t.Errorf("the box itself is %s", s.State)
	}
	b.until("what was heard", `document.getElementById("call-log").textContent.includes("pasta timer")`)
	b.until("the answer's sound", `window.loudest > 0.05`)
	b.click("#join")
	b.until("the end of the call", `document.getElementById("hands-free").closest("[hidden]")`)
	b.content(k)
}

// press is JavaScript that presses the button before each time that the sentence, which
// comes every so many ms, is said: a busy machine may garble one.
const press = `(() => {
	let was = false;
	setInterval(() => {
		const now = (performance.now() - window.begun) %% %d < 3000;
		if (now && !was) document.getElementById("hold").dispatchEvent(new PointerEvent("pointerdown"));
		was = now;
	}, 50);
	return true;
})()`

func TestHoldingTheButtonNeedsNoWakeWord(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	sound := k.somebody("What time is it?")
	b := openBrowser(t, fakeMicrophone(t, sound)...)
	b.open(k, "")
	get[float64](b, `window.begun = performance.now()`)
	b.joins()
	get[bool](b, fmt.Sprintf(press, 1000*len(sound)/testcard.Rate))
	if doc := k.turn("voice"); doc.WokenBy != "browser" || doc.Outcome != "answered" || doc.Intent != "time_now" {
		t.Errorf("%+v", doc)
	}
	b.content(k)
}

// troubled lets the first call of a page reach nobody, and the page hear of the second
// one's answer only after the channel is open; it shortens the wait between the two.
const troubled = `(() => {
	const peer = RTCPeerConnection.prototype, wait = setTimeout;
	const { createDataChannel, setRemoteDescription } = peer;
	window.tries = 0;
	window.setTimeout = (f, ms, ...rest) => wait(f, ms === 8000 ? 100 : ms, ...rest);
	peer.createDataChannel = function (...a) { return this.channel = createDataChannel.apply(this, a); };
	peer.setRemoteDescription = async function (answer) {
		if (++window.tries === 1) return;
		const open = new Promise((done) => this.channel.addEventListener("open", done));
		await setRemoteDescription.call(this, answer);
		await open;
	};
})()`

func TestCallIsTriedAgainAndMayBeOpenEarly(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	b := openBrowser(t, fakeMicrophone(t, make([]int16, testcard.Rate))...)
	b.beforeEachPage(troubled)
	b.open(k, "")
	b.joins()
	if n := get[int](b, `window.tries`); n != 2 {
		t.Errorf("%d tries", n)
	}
	b.content(k)
}

func TestTalkingOverTheNetworkNeedsTLSAndTheToken(t *testing.T) {
	addr := ownAddress(t)
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certify(t, cert, key)
	k := newKitchen(t, "HEARTHD_CONSOLE_LISTEN="+net.JoinHostPort(addr.String(), "0"), "HEARTHD_CONSOLE_CERT_FILE="+cert, "HEARTHD_CONSOLE_KEY_FILE="+key)
	k.begin()
	at, token, err := k.Console(t.Context())
	check(t, err)
	if !strings.HasPrefix(at, "https://"+addr.String()) || token == "" {
		t.Fatalf("the console is at %s, its token %q", at, token)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	res, err := client.Post(at+"v1/talk", "application/json", strings.NewReader(`{"sdp":"v=0"}`))
	check(t, err)
	check(t, res.Body.Close())
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("a call without the token got %s", res.Status)
	}

	flags := append(fakeMicrophone(t, k.somebody("Hey hearth, what time is it?")), chromedp.Flag("ignore-certificate-errors", true))
	b := openBrowser(t, flags...)
	b.open(k, "")
	b.joins()
	get[bool](b, loudest)
	b.click("#hands-free")
	if doc := k.turn("voice"); doc.WokenBy != "browser" || doc.Outcome != "answered" || doc.Intent != "time_now" {
		t.Errorf("%+v", doc)
	}
	b.until("the answer's sound", `window.loudest > 0.05`)
	b.content(k)
}

// ownAddress is one of this machine's, by which others would reach it.
func ownAddress(t *testing.T) net.IP {
	t.Helper()
	addrs, err := net.InterfaceAddrs()
	check(t, err)
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsGlobalUnicast() {
			return n.IP
		}
	}
	t.Skip("this machine has no address but loopback")
	return nil
}

// certify writes the certificate of Go's own test servers, which no browser trusts, and
// its key.
func certify(t *testing.T, cert, key string) {
	t.Helper()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	s.Close()
	own := s.TLS.Certificates[0]
	secret, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	check(t, err)
	check(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.Certificate[0]}), 0o600))
	check(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
}
