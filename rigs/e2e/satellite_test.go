package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hearthd/rigs/testcard"
)

// clientPython names a Python with aioesphomeapi, the client library of Home Assistant's ESPHome integration.
const clientPython = "HEARTHD_TEST_AIOESPHOMEAPI"

// satelliteKey is what openssl prints for 32 bytes.
const satelliteKey = "oYCm5mQK0ZkSGNLVyb4DCfVnDBjuQ3nXIdkhWCyLmOk="

// client is that library, with what it has seen.
type client struct {
	t   testing.TB
	in  *json.Encoder
	end func()

	mu   sync.Mutex
	seen []map[string]any
	from int // the first one that was not looked at
}

// newClient connects to a satellite.
func newClient(t testing.TB, port, key string) *client {
	t.Helper()
	script, err := os.ReadFile("testdata/satellite.py")
	check(t, err)
	args := []string{os.Getenv(clientPython), "-c", string(script), port, key}
	if root := os.Getenv(houseRoot); root != "" {
		args = append([]string{"chroot", root, "/opt/ha/bin/python"}, args[1:]...)
	} else if args[0] == "" {
		t.Skip("make house-test runs this; or: python3 -m venv v; v/bin/pip install aioesphomeapi; " + clientPython + "=$PWD/v/bin/python")
	}
	cmd := exec.Command(args[0], args[1:]...)
	in, err := cmd.StdinPipe()
	check(t, err)
	out, err := cmd.StdoutPipe()
	check(t, err)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	check(t, cmd.Start())
	c := &client{t: t, in: json.NewEncoder(in)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			v := map[string]any{}
			if json.Unmarshal(lines.Bytes(), &v) == nil {
				v["at"] = time.Now()
				c.mu.Lock()
				c.seen = append(c.seen, v)
				c.mu.Unlock()
			}
		}
	}()
	c.end = sync.OnceFunc(func() {
		_ = in.Close() // it leaves then
		<-read
		if err := cmd.Wait(); err != nil {
			t.Errorf("client: %v\n%s", err, complaints.String())
		}
	})
	t.Cleanup(c.end)
	return c
}

// looks lets sees look from now on.
func (c *client) looks() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.from = len(c.seen)
}

// does gives a command, from which on sees looks.
func (c *client) does(do, id string, value any) {
	c.t.Helper()
	c.looks()
	check(c.t, c.in.Encode(map[string]any{"do": do, "id": id, "value": value}))
}

// sees waits until the client has seen something, with values that match; they are patterns.
func (c *client) sees(what string, want map[string]string) map[string]any {
	c.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		c.mu.Lock()
		seen := c.seen[c.from:]
		c.mu.Unlock()
		for _, v := range seen {
			good := v["what"] == what
			for key, pattern := range want {
				good = good && matches("^(?:"+pattern+")$", fmt.Sprint(v[key]))
			}
			if good {
				return v
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t.Fatalf("%s %v was not seen among %v", what, want, c.seen[c.from:])
	return nil
}

// shows waits for the state of an entity.
func (c *client) shows(id, value string) {
	c.t.Helper()
	c.sees("state", map[string]string{"id": id, "value": ".*" + value + ".*"})
}

func TestSatelliteIsNotServedToOthersWithoutItsKey(t *testing.T) {
	port, err := freePort()
	check(t, err)
	k := newKitchen(t, "HEARTHD_SATELLITE_LISTEN=0.0.0.0:"+port)
	k.begin()
	k.await("the condition", func(s Status) bool { return s.Has("satellite") })
	if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
		t.Errorf("%v is let in", c.LocalAddr())
		check(t, c.Close())
	}
}

// satellite is a kitchen with one, and its client.
func satellite(t *testing.T, key string, env ...string) (k *kitchen, port string, c *client) {
	t.Helper()
	port, err := freePort()
	check(t, err)
	k = newKitchen(t, append([]string{"HEARTHD_SATELLITE_LISTEN=127.0.0.1:" + port, "HEARTHD_AUDIO_VOLUME=60",
		"HEARTHD_MEDIA_STATIONS=" + stations(t, "Radio One", "Radio Two")}, env...)...)
	if key != "" {
		check(t, os.WriteFile(k.dir+"/key", []byte(key), 0o600))
		k.env = append(k.env, "HEARTHD_SATELLITE_KEY=file:"+k.dir+"/key")
	}
	k.begin()
	c = newClient(t, port, key)
	c.sees("ready", nil)
	return k, port, c
}

func TestRealHouseClientUsesEveryEntityOfTheSatellite(t *testing.T) {
	k, _, c := satellite(t, satelliteKey)
	c.sees("info", map[string]string{"name": "demo", "friendly": "Demo speaker", "mac": "[0-9A-F:]{17}", "flags": "61"})
	first := map[string]string{
		"media_player": `"state": 1.*"volume": 0\.6`, "mute": "false", "dnd": "false", "media_volume": `"state": \d+`,
		"state": "idle", "media": "stopped", "next_timer": `"missing_state": true`, "timers": `"state": 0`, "problem": "false",
	}
	for id, value := range first {
		c.shows(id, value)
	}
	for _, s := range []struct {
		do, id    string
		value     any
		shows, as string
	}{
		{"switch", "mute", true, "state", "muted"}, {"switch", "mute", false, "mute", "false"},
		{"switch", "dnd", true, "dnd", "true"}, {"switch", "dnd", false, "dnd", "false"},
		{"button", "listen", nil, "state", "listening"}, {"button", "stop", nil, "state", "idle"},
		{"player", "", map[string]any{"volume": 0.35}, "media_player", `"volume": 0\.3\d*`},
		{"player", "", map[string]any{"command": "VOLUME_UP"}, "media_player", `"volume": 0\.4\d*`},
		{"player", "", map[string]any{"media_url": station(t)}, "media_player", `"state": 2`},
		{"player", "", map[string]any{"command": "PAUSE"}, "media_player", `"state": 3`},
		{"player", "", map[string]any{"command": "PLAY"}, "media_player", `"state": 2`},
		{"number", "media_volume", 35, "media_volume", `35`},
		{"player", "", map[string]any{"command": "STOP"}, "media_player", `"state": 1`},
	} {
		c.does(s.do, s.id, s.value)
		c.shows(s.shows, s.as)
	}
	c.looks()
	k.ask("play radio one")
	c.shows("media", "Radio One")
	c.does("player", "", map[string]any{"command": "STOP"})
	c.shows("media_player", `"state": 1`)
	c.does("button", "repeat", nil)
	c.shows("state", "speaking")
	c.looks()
	k.ask("set a timer for ten minutes")
	c.shows("timers", `"state": 1`)
	c.shows("next_timer", "20..-..-..T")
}

// spokenFile serves words as an MP3, as Home Assistant does.
func spokenFile(t testing.TB, words string) (url string) {
	t.Helper()
	wav, mp3 := filepath.Join(t.TempDir(), "a.wav"), filepath.Join(t.TempDir(), "a.mp3")
	for _, command := range [][]string{
		{"espeak-ng", "-w", wav, words}, {"ffmpeg", "-loglevel", "error", "-i", wav, mp3},
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	s := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(mp3))))
	t.Cleanup(s.Close)
	return s.URL + "/a.mp3"
}

func TestRealHouseClientAnnouncesAtTheSatellite(t *testing.T) {
	k, _, c := satellite(t, "")
	url := spokenFile(t, "Dinner is ready.")
	from := k.played()
	c.does("announce", "", map[string]any{"media_id": url, "text": "Dinner is ready.", "preannounce_media_id": url})
	c.shows("media_player", `"state": 2`)
	c.sees("said", map[string]string{"success": "true"})
	k.audible(from)
	c.shows("media_player", `"state": 1`)
	from = k.played()
	c.does("announce", "", map[string]any{"media_id": url + ".gone", "text": "Dinner is ready."})
	c.sees("said", map[string]string{"success": "true"})
	k.audible(from)
	c.does("announce", "", map[string]any{"media_id": url + ".gone"})
	c.sees("said", map[string]string{"success": "false"})
	c.does("announce", "", map[string]any{"media_id": "file:///etc/passwd"})
	c.sees("said", map[string]string{"success": "false"})
	c.does("switch", "dnd", true)
	c.shows("dnd", "true")
	c.does("announce", "", map[string]any{"media_id": url})
	c.sees("said", map[string]string{"success": "false"})
	c.does("switch", "dnd", false)
	c.shows("dnd", "false")
	from = k.played()
	c.does("player", "", map[string]any{"media_url": url, "announcement": true})
	c.shows("state", "speaking")
	c.shows("state", "idle")
	k.audible(from)
	c.does("announce", "", map[string]any{"media_id": url, "start_conversation": true})
	c.sees("said", map[string]string{"success": "true"})
	c.shows("state", "listening")
	c.does("button", "stop", nil)
	c.shows("state", "idle")

	c.does("timer", "pasta", 3)
	c.shows("timers", `"state": 1`)
	c.shows("state", "speaking")
	if rings := k.event("a timer that rings", func(e happening) bool { return e.Type == "timer_fired" }); rings.Timer.Label != "pasta" {
		t.Errorf("%+v", rings)
	}
	c.does("button", "stop", nil)
	c.shows("state", "idle")

	c.does("words", "", nil)
	c.sees("words", map[string]string{"active": `\[all\]`, "most": "1", "available": `\[all phrase\]`})
	c.does("heed", "", []string{"phrase"})
	c.does("words", "", nil)
	c.sees("words", map[string]string{"active": `\[phrase\]`})
	c.does("heed", "", []string{})
	c.does("words", "", nil)
	c.sees("words", map[string]string{"active": `\[phrase\]`})
}

func TestRealHouseClientWithoutTheKeyIsRefused(t *testing.T) {
	_, port, _ := satellite(t, satelliteKey)
	other := "b" + satelliteKey[1:]
	for key, want := range map[string]string{"": "RequiresEncryptionAPIError", other: "InvalidEncryptionKeyAPIError"} {
		newClient(t, port, key).sees("refused", map[string]string{"error": want})
	}
	_, port, _ = satellite(t, "")
	newClient(t, port, satelliteKey).sees("refused", map[string]string{"error": "EncryptionPlaintextAPIError"})
}

// answers has the pipeline that runs hear and say something, with a sound at an address.
func (c *client) answers(heard, says, url string, asks ...string) {
	c.t.Helper()
	c.does("event", "VOICE_ASSISTANT_RUN_START", map[string]string{})
	c.does("event", "VOICE_ASSISTANT_STT_END", map[string]string{"text": heard})
	c.does("event", "VOICE_ASSISTANT_INTENT_END", map[string]string{"continue_conversation": strings.Join(asks, "")})
	c.does("event", "VOICE_ASSISTANT_TTS_START", map[string]string{"text": says})
	c.does("event", "VOICE_ASSISTANT_TTS_END", map[string]string{"url": url})
	c.does("event", "VOICE_ASSISTANT_RUN_END", map[string]string{})
}

// converses has an announcement made after which a pipeline listens.
func (c *client) converses(k *kitchen, url string) {
	c.t.Helper()
	c.does("announce", "", map[string]any{"media_id": url, "start_conversation": true})
	c.sees("said", map[string]string{"success": "true"})
	c.shows("state", "listening")
}

func TestRealHouseClientHearsAndAnswersByItsPipeline(t *testing.T) {
	k, _, c := satellite(t, satelliteKey, "HEARTHD_AUDIO_AEC=device")
	url := spokenFile(t, "It is forty degrees warm.")
	c.converses(k, url)
	k.say("How warm is the bath?")
	c.sees("begin", map[string]string{"flags": "0"})
	c.sees("stop", map[string]string{"abort": "false", "audio": `[2-9]\d{4}|\d{6}`})
	from := k.played()
	c.answers("How warm is the bath?", "It is 40 degrees warm.", url, "1")
	doc := k.turn("voice")
	if doc.Route != "home_assistant" || doc.Outcome != "answered" || doc.Transcript != "How warm is the bath?" ||
		doc.Answer != "It is 40 degrees warm." || doc.Stages.FirstSound == 0 {
		t.Errorf("%+v", doc)
	}
	c.sees("announced", map[string]string{"success": "true"})
	k.audible(from)

	// It was a question, so what is said next needs no wake word; somebody who interrupts the answer is heard
	// there too.
	k.moves("listening")
	k.say("And the pool?")
	c.sees("stop", map[string]string{"abort": "false"})
	long := spokenFile(t, longAnswer)
	c.answers("And the pool?", longAnswer, long)
	k.moves("speaking")
	c.looks()
	k.hears(make([]int16, testcard.Rate), k.synthesise("wait a moment please"))
	if doc := k.turn("voice"); doc.Route != "home_assistant" || doc.Outcome != "interrupted" || !strings.HasSuffix(doc.Answer, "…") {
		t.Errorf("%+v", doc)
	}
	c.sees("stop", map[string]string{"abort": "false"})
	c.answers("Wait.", "", "")
	if doc := k.turn("voice"); doc.Route != "home_assistant" || doc.WokenBy != "barge_in" || doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}

	// What the pipeline does not hear is answered here.
	c.converses(k, url)
	k.say("What time is it?")
	c.sees("stop", map[string]string{"abort": "false"})
	c.does("event", "VOICE_ASSISTANT_ERROR", map[string]string{"code": "stt-no-text-recognized"})
	if doc := k.turn("voice"); doc.Route != "intent" || doc.Intent != "time_now" || doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}
	// What it has heard is not.
	c.converses(k, url)
	k.say("What time is it?")
	c.sees("stop", map[string]string{"abort": "false"})
	c.does("event", "VOICE_ASSISTANT_RUN_START", map[string]string{})
	c.does("event", "VOICE_ASSISTANT_STT_END", map[string]string{"text": "What time is it?"})
	c.does("event", "VOICE_ASSISTANT_ERROR", map[string]string{"code": "intent-failed"})
	if doc := k.turn("voice"); doc.Route != "home_assistant" || doc.Answer == "" {
		t.Errorf("%+v", doc)
	}
}

// A wake word whose requests go to Home Assistant is answered here while none is connected.
func TestRealHouseClientHasAWakeWordOfItsOwn(t *testing.T) {
	dir := models(t)
	k, port, c := satellite(t, satelliteKey, "HEARTHD_WAKE_ENGINE=button", "HEARTHD_WAKE_FOLLOW_UP=0s",
		"HEARTHD_WAKE_WORDS=[{model: "+filepath.Join(dir, "wake", "hey_jarvis.json")+", route: homeassistant}]")
	jarvis := clip(t, filepath.Join(dir, "wake", "clips", "hey_jarvis_1.wav"))[:testcard.Rate*5/4]
	command := slices.Concat(jarvis, make([]int16, testcard.Rate*9/10), k.synthesise("what time is it?"))
	c.looks()
	k.hears(command)
	c.sees("begin", map[string]string{"word": "hey jarvis"})
	c.sees("stop", map[string]string{"abort": "false"})
	c.answers("What time is it?", "It is late.", spokenFile(t, "It is late."))
	if doc := k.turn("voice"); doc.Route != "home_assistant" || doc.Answer != "It is late." || doc.WokenBy != "hey jarvis" {
		t.Errorf("%+v", doc)
	}
	k.moves("idle")
	c.end()
	k.hears(command)
	if doc := k.turn("voice"); doc.Route != "intent" || doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}
	newClient(t, port, satelliteKey).sees("ready", nil)
}
