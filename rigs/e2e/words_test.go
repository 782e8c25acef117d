package e2e

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hearthd/audio"
	"hearthd/rigs/testcard"
	"hearthd/rigs/tflitetest"
)

// loudModel writes a wake word that is any loud sound into dir, and names its manifest.
func loudModel(t testing.TB, dir string) string {
	t.Helper()
	manifest, err := tflitetest.WriteLoud(dir, "loud")
	check(t, err)
	return manifest
}

// follow runs hearthctl and calls take with each piece of what it prints, which
// ends in a line break or an ellipsis. It returns all of it.
func (k *kitchen) follow(take func(piece string), args ...string) string {
	k.t.Helper()
	cmd := exec.CommandContext(k.t.Context(), suite.ctl, append([]string{"--socket", k.Socket()}, args...)...)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	check(k.t, err)
	check(k.t, cmd.Start())
	var all, piece strings.Builder
	for r := bufio.NewReader(pipe); ; {
		c, _, err := r.ReadRune()
		if err != nil {
			break
		}
		all.WriteRune(c)
		piece.WriteRune(c)
		if c == '\n' || c == '…' {
			take(piece.String())
			piece.Reset()
		}
	}
	if err := cmd.Wait(); err != nil {
		k.t.Fatalf("hearthctl %v: %v\n%s", args, err, all.String())
	}
	return all.String()
}

// restart starts the daemon anew with other settings.
func (k *kitchen) restart(env ...string) {
	k.t.Helper()
	check(k.t, k.Stop())
	k.begin(env...)
}

func TestWakeWordIsInstalledFromAFileListedHeardAndTested(t *testing.T) {
	k := newKitchen(t, "HEARTHD_WAKE_ENGINE=button", "HEARTHD_WAKE_FOLLOW_UP=0s")
	k.begin()
	if out := k.prints([]string{"wake", "list"}); !strings.Contains(out, "no wake words") {
		t.Errorf("list before: %q", out)
	}
	manifest := loudModel(t, t.TempDir())
	k.prints([]string{"wake", "install", manifest}, "“Loud Sound” is installed as loud", "- model: loud")
	k.prints([]string{"wake", "list"}, "loud", "Loud Sound", "model", "not configured")

	k.restart("HEARTHD_WAKE_WORDS=[{model: loud}]")
	k.prints([]string{"wake", "list"}, "loud", "wakes")
	// The file is not needed any more, nor is a network.
	bang := time.AfterFunc(2*time.Second, func() { _ = k.room.Speak(t.Context(), Clatter()) })
	defer bang.Stop()
	out := k.prints([]string{"wake", "test", "--seconds", "5"}, "Say a wake word", "dBFS", "loud 0.")
	if !strings.Contains(out, "HEARD loud, score ") {
		t.Errorf("wake test printed %q", out)
	}
	k.event("the wake word", func(h happening) bool { return h.Type == "woken" && h.By == "loud" })

	recording, err := os.Create(filepath.Join(t.TempDir(), "bang.wav"))
	check(t, err)
	bangs := audio.Chunk{Rate: testcard.Rate, Samples: append(make([]int16, 3*testcard.Rate), Clatter()...)}
	check(t, errors.Join(audio.EncodeWAV(recording, bangs), recording.Close()))
	words := []string{"HEARTHD_WAKE_WORDS=[{model: " + manifest + "}]"}
	if status, out, stderr := command(t, words, suite.ctl, "wake", "test", recording.Name()); status != 0 || !strings.Contains(out, "loud, score ") {
		t.Errorf("over a recording: %d, %q, %q", status, out, stderr)
	}
}

// broken serves a wake word, and breaks off each download of the network after a
// few bytes until it is mended.
type broken struct {
	mu     sync.Mutex
	mended bool
}

const brokenAfter = 100

func (b *broken) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	network := tflitetest.Loud()
	switch filepath.Base(r.URL.Path) {
	case "loud.json":
		fmt.Fprint(w, tflitetest.LoudManifest)
	case "loud.tflite.sha256":
		fmt.Fprintf(w, "%x  loud.tflite\n", sha256.Sum256(network))
	case "loud.tflite":
		if !b.mended {
			w = &breaking{w, brokenAfter}
		}
		http.ServeContent(w, r, "loud.tflite", time.Time{}, strings.NewReader(string(network)))
	default:
		http.NotFound(w, r)
	}
}

// breaking writes n bytes and then ends the connection.
type breaking struct {
	http.ResponseWriter
	n int
}

func (b *breaking) Write(p []byte) (int, error) {
	if len(p) <= b.n {
		b.n -= len(p)
		return b.ResponseWriter.Write(p)
	}
	_, _ = b.ResponseWriter.Write(p[:b.n])
	_ = http.NewResponseController(b.ResponseWriter).Flush()
	panic(http.ErrAbortHandler)
}

func TestWakeWordIsInstalledFromAURLThatBreaksOffAndItsChecksumIsChecked(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	shop := &broken{}
	server := httptest.NewServer(shop)
	defer server.Close()
	install := func(more ...string) (int, string, string) {
		args := append([]string{"--socket", k.Socket(), "wake", "install", server.URL + "/models/loud.json"}, more...)
		return command(t, nil, suite.ctl, args...)
	}
	if status, _, stderr := install(); status == 0 || !strings.Contains(stderr, "--sha256") {
		t.Fatalf("over plain http without a checksum: %d, %q", status, stderr)
	}
	sum := []string{"--sha256", fmt.Sprintf("%x", sha256.Sum256(tflitetest.Loud()))}
	if status, _, stderr := install(sum...); status == 0 || !strings.Contains(stderr, "it ended after") {
		t.Fatalf("a download that breaks off: %d, %q", status, stderr)
	}
	k.prints([]string{"wake", "list"}, "no wake words")
	shop.mu.Lock()
	shop.mended = true
	shop.mu.Unlock()
	if status, out, stderr := install(sum...); status != 0 || !strings.Contains(out, "is installed as loud") {
		t.Fatalf("all of it: %d, %q, %q", status, out, stderr)
	}
	k.prints([]string{"wake", "list"}, "loud", "Loud Sound", "not configured")

	if status, _, stderr := install("--name", "other", "--sha256", strings.Repeat("0", 64)); status == 0 || !strings.Contains(stderr, "SHA-256") {
		t.Errorf("a wrong checksum: %d, %q", status, stderr)
	}
	if out := k.prints([]string{"wake", "list"}, "loud"); strings.Contains(out, "other") {
		t.Errorf("it was installed: %q", out)
	}
}

func TestWakeWordIsEnrolledByVoiceAndOpensATurn(t *testing.T) {
	k := newKitchen(t, "HEARTHD_WAKE_ENGINE=button", "HEARTHD_WAKE_FOLLOW_UP=0s")
	k.begin()
	word := k.synthesise("hey hearth")
	out := k.follow(func(piece string) {
		if strings.HasPrefix(piece, "Say “") {
			k.hears(word)
		}
	}, "wake", "enroll", "hey", "hearth")
	if !strings.Contains(out, "recordings agree") || !strings.Contains(out, "Kept as hey_hearth") {
		t.Fatalf("enroll printed %q", out)
	}
	k.prints([]string{"wake", "list"}, "hey_hearth", "hey hearth", "enrolled", "not configured")

	k.restart("HEARTHD_WAKE_WORDS=[{model: hey_hearth}]")
	k.prints([]string{"wake", "list"}, "hey_hearth", "wakes")
	k.hears(make([]int16, testcard.Rate), word, make([]int16, testcard.Rate), k.synthesise("what time is it?"))
	if doc := k.turn("voice"); doc.WokenBy != "hey hearth" || doc.Transcript != "what time is it" || doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}
}

func TestMicrophoneTestShowsTheLevelAndSaysWhatToChange(t *testing.T) {
	k := newKitchen(t, "HEARTHD_WAKE_ENGINE=button")
	k.begin()
	last := func(out string) string {
		lines := strings.Split(strings.TrimSpace(out), "\n")
		return lines[len(lines)-1]
	}
	quiet := k.prints([]string{"mic", "test", "--seconds", "2"}, "Speak as usual", "noise floor", "dBFS")
	if advice := last(quiet); !strings.HasPrefix(advice, "Nobody was heard") {
		t.Errorf("advice in a quiet room: %s", quiet)
	}
	for _, c := range []struct {
		by     func(int16) int16
		advice string
	}{
		{func(v int16) int16 { return v }, "All is well"},
		{func(v int16) int16 { return v / 32 }, "too quiet: raise the capture volume"},
		{func(v int16) int16 { return int16(max(-32768, min(32767, 16*int(v)))) }, "The microphone clips"},
	} {
		sound := k.synthesise("one two three four five six seven eight nine ten")
		for i, v := range sound {
			sound[i] = c.by(v)
		}
		out := k.follow(func(piece string) {
			if strings.HasPrefix(piece, "Speak as usual") {
				go func() { _ = k.room.Speak(t.Context(), sound) }()
			}
		}, "mic", "test", "--seconds", "5")
		if advice := last(out); !strings.Contains(advice, c.advice) {
			t.Errorf("advice %q, want %q\n%s", advice, c.advice, out)
		}
	}
}

// With --play the speaker speaks first, which tells how much of it is taken away.
func TestMicrophoneTestMeasuresTheEchoOfTheSpeaker(t *testing.T) {
	k := newEchoes(t, "HEARTHD_WAKE_ENGINE=button")
	k.begin()
	speak := time.AfterFunc(17*time.Second, func() {
		sound, err := k.room.Synthesise(t.Context(), "one two three four five six seven eight")
		if err == nil {
			_ = k.room.Speak(t.Context(), sound)
		}
	})
	defer speak.Stop()
	out := k.prints([]string{"mic", "test", "--play", "--seconds", "22"}, "Be quiet while the speaker speaks", "the speaker is heard after ", "of it is taken away")
	if !strings.Contains(out, "echo ") || !strings.Contains(out, "dB down") {
		t.Errorf("no echo in the meter: %s", out)
	}
	t.Log(out[strings.LastIndex(strings.TrimSpace(out), "noise floor"):])
}
