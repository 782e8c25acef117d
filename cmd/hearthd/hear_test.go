package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/audio"
	"hearthd/daemon/ears"
	"hearthd/rigs/tflitetest"
)

// spoken is a second of silence, a sentence of Debian's flite, and two seconds of
// silence, at audio.Rate.
func spoken(t *testing.T) []int16 {
	t.Helper()
	if _, err := exec.LookPath("flite"); err != nil {
		t.Skip("flite is not installed; packaging/deps.sh test installs it")
	}
	file := filepath.Join(t.TempDir(), "flite.wav")
	if said, err := exec.Command("flite", "-voice", "slt", "-t", "Set a pasta timer for ten minutes.", "-o",
		file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	c, err := audio.ReadWAV(file, audio.WAVOptions{})
	if err != nil || c.Rate != audio.Rate {
		t.Fatal(c.Rate, err)
	}
	p := make([]int16, audio.Rate, 10*audio.Rate)
	p = append(p, c.Samples...)
	return append(p, make([]int16, 2*audio.Rate)...)
}

// record writes samples as a WAV at rate with channels that are all the same.
func record(t *testing.T, rate, channels int, samples []int16) string {
	t.Helper()
	conv, err := audio.NewResampler(audio.Rate, rate)
	if err != nil {
		t.Fatal(err)
	}
	var all []int16
	for _, v := range conv.Flush(conv.Process(nil, samples)) {
		for range channels {
			all = append(all, v)
		}
	}
	var b bytes.Buffer
	if err := audio.EncodeWAV(&b, audio.Chunk{Rate: rate, Samples: all}); err != nil {
		t.Fatal(err)
	}
	wav := b.Bytes()
	binary.LittleEndian.PutUint16(wav[22:], uint16(channels))
	binary.LittleEndian.PutUint32(wav[28:], uint32(2*rate*channels))
	binary.LittleEndian.PutUint16(wav[32:], uint16(2*channels))
	file := filepath.Join(t.TempDir(), "near.wav")
	if err := os.WriteFile(file, wav, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// hearing runs hearthd hear with an empty configuration.
func hearing(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	config := filepath.Join(t.TempDir(), "hearthd.yaml")
	if err := os.WriteFile(config, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("STATE_DIRECTORY", t.TempDir())
	var out, aside bytes.Buffer
	cmd := root(&out)
	cmd.SetErr(&aside)
	cmd.SetArgs(append([]string{"hear", "--config", config}, args...))
	err = cmd.ExecuteContext(t.Context())
	return out.String(), aside.String(), err
}

func TestHearFindsTheSentenceInARecordingOfAnyRate(t *testing.T) {
	sound := spoken(t)
	seconds := float64(len(sound)) / audio.Rate
	for _, c := range []struct{ rate, channels int }{{16000, 1}, {48000, 2}, {44100, 1}, {8000, 1}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			stdout, stderr, err := hearing(t, "--json", record(t, c.rate, c.channels, sound))
			if err != nil {
				t.Fatal(err)
			}
			var facts []ears.HeardFact
			at := 0.0
			for lines := bufio.NewScanner(strings.NewReader(stdout)); lines.Scan(); {
				var h ears.Heard
				if err := json.Unmarshal(lines.Bytes(), &h); err != nil {
					t.Fatalf("%q: %v", lines.Text(), err)
				}
				if h.At <= at || h.At > at+0.05 || h.Speech < 0 || h.Speech > 1 {
					t.Fatalf("%q follows %v s", lines.Text(), at)
				}
				at = h.At
				for _, f := range h.Events {
					if f.Type != "pause" && f.Type != "sustained" {
						facts = append(facts, f)
					}
				}
			}
			if at < seconds-0.1 || at > seconds+0.1 {
				t.Errorf("the last frame ends at %.2f s, the recording at %.2f", at, seconds)
			}
			if len(facts) != 2 || facts[0].Type != "onset" || facts[1].Type != "end" || facts[1].Reason != "silence" {
				t.Fatalf("facts %+v", facts)
			}
			if from, to := facts[0].At, facts[1].At; from < 0.9 || from > 1.4 || to < seconds-2.4 || to > seconds-1.6 {
				t.Errorf("speech from %.2f to %.2f s", from, to)
			}
			if !strings.Contains(stderr, "1 utterances, 0 discarded, 0 wake words\n") {
				t.Errorf("summary %q", stderr)
			}
		})
	}
}

func TestHearPrintsWhatWasDecided(t *testing.T) {
	file := record(t, audio.Rate, 1, spoken(t))
	stdout, stderr, err := hearing(t, file)
	if err != nil || stderr != "" {
		t.Fatal(err, stderr)
	}
	lines := strings.Split(stdout, "\n")
	for i, want := range []string{"s  onset     of utterance 1", "s  sustained of utterance 1",
		"s  pause     of utterance 1", "s  end       of utterance 1: silence", file + ": ", "1 utterances, 0 discarded",
		"level: loudest "} {
		if i >= len(lines) || !strings.Contains(lines[i], want) {
			t.Errorf("line %d of\n%s\nlacks %q", i, stdout, want)
		}
	}
}

func TestHearTakesAShorterReference(t *testing.T) {
	sound := spoken(t)
	file := record(t, audio.Rate, 1, sound)
	short := record(t, 48000, 2, make([]int16, audio.Rate))
	stdout, _, err := hearing(t, file, "--reference", short)
	if err != nil || !strings.Contains(stdout, "1 utterances") {
		t.Errorf("%v\n%s", err, stdout)
	}
	stdout, _, err = hearing(t, "--json", file, "--reference", short)
	if err != nil || !strings.Contains(stdout, `"echo":{"active":`) || !strings.Contains(stdout, `"gain_db":`) {
		t.Errorf("%v\n%.300s", err, stdout)
	}
}

func TestHearKeepsTheTimeOfTheRecordingBesideItsFirstAnswer(t *testing.T) {
	const delay = audio.Rate / 20
	r := rand.New(rand.NewPCG(1, 2))
	near, answer := make([]int16, 6*audio.Rate), make([]int16, 6*audio.Rate)
	for i := range near {
		if i > 2*audio.Rate {
			answer[i] = int16(3000 * r.NormFloat64())
		}
		near[i] = int16(20 * r.NormFloat64())
		if i > delay {
			near[i] += answer[i-delay] / 4
		}
	}
	stdout, _, err := hearing(t, "--json", record(t, audio.Rate, 1, near), "--reference",
		record(t, audio.Rate, 1, answer))
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	var last ears.Heard
	if err := errors.Join(err, json.Unmarshal([]byte(lines[len(lines)-1]), &last)); err != nil {
		t.Fatal(err)
	}
	if last.At < 5.98 || last.At > 6 {
		t.Errorf("the last frame of six seconds ends at %v s", last.At)
	}
}

func TestHearNamesBadRecordings(t *testing.T) {
	dir := t.TempDir()
	text, cut := filepath.Join(dir, "text.wav"), filepath.Join(dir, "cut.wav")
	good := record(t, audio.Rate, 1, make([]int16, audio.Rate))
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string]string{text: "no sound at all", cut: string(data[:len(data)/2])} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, want string }{
		{text, "not with a RIFF WAVE header"}, {cut, "data ends after"}, {dir + "/none.wav", "no such file"},
		{dir, "is a directory"}, {good + " --reference " + text, "text.wav"}, {good + " --reference " + cut, "cut.wav"},
	} {
		args := strings.Fields(c.args)
		if _, _, err := hearing(t, args...); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), filepath.Base(args[len(args)-1])) {
			t.Errorf("hear %s: %v, want %q and the file's name", c.args, err, c.want)
		}
	}
}

func TestHearFindsTheWakeWordOfAModel(t *testing.T) {
	models := os.Getenv("HEARTHD_TEST_MODELS")
	if models == "" {
		t.Skip("HEARTHD_TEST_MODELS names no folder with wake/okay_nabu.json and wake/clips")
	}
	stdout, _, err := hearing(t, "--json", filepath.Join(models, "wake/clips/okay_nabu_2.wav"), "--wake",
		filepath.Join(models, "wake/okay_nabu.json"))
	if err != nil {
		t.Fatal(err)
	}
	found, top := "", float32(0)
	for lines := bufio.NewScanner(strings.NewReader(stdout)); lines.Scan(); {
		var h ears.Heard
		if err := json.Unmarshal(lines.Bytes(), &h); err != nil {
			t.Fatal(err)
		}
		top = max(top, h.Wake["okay nabu"])
		for _, f := range h.Events {
			if f.Type == "wake" {
				found += fmt.Sprintf("%s %v", f.Word, f.Score > 0.9 && f.At > 1 && f.At < 2)
			}
		}
	}
	if found != "okay nabu true" || top < 0.9 {
		t.Errorf("found %q, highest score %v", found, top)
	}
}

// A person who names a word that is configured already means it, and not two.
func TestHearTakesAConfiguredWordOnce(t *testing.T) {
	dir := t.TempDir()
	manifest, err := tflitetest.WriteLoud(dir, "loud")
	if err != nil {
		t.Fatal(err)
	}
	other, err := tflitetest.WriteLoud(t.TempDir(), "loud")
	if err != nil {
		t.Fatal(err)
	}
	more, err := tflitetest.WriteLoud(t.TempDir(), "more")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HEARTHD_WAKE_WORDS", fmt.Sprintf("[{model: %s, cutoff: 0.9}]", manifest))
	file := record(t, audio.Rate, 1, make([]int16, audio.Rate))
	for _, model := range []string{manifest, other} {
		stdout, _, err := hearing(t, "--json", file, "--wake", more, "--wake", model)
		if err != nil || !strings.Contains(stdout, `"wake":{"loud":0,"more":0}`) {
			t.Errorf("%s: %v\n%.100s", model, err, stdout)
		}
	}
}

func TestHearNamesAWakeWordThatIsNotThere(t *testing.T) {
	_, _, err := hearing(t, record(t, audio.Rate, 1, make([]int16, 320)), "--wake", "hey_nobody")
	if err == nil || !strings.Contains(err.Error(), `wake word "hey nobody"`) ||
		!strings.Contains(err.Error(), "wake/hey_nobody.json") {
		t.Errorf("%v", err)
	}
}

func TestHearTakesTheDetectorThatIsAskedFor(t *testing.T) {
	file := record(t, audio.Rate, 1, make([]int16, audio.Rate))
	for _, c := range []struct{ args, want string }{
		{"--detector harmonic", `"harmonic": must be`}, {"--detector silero", "listen.silero"},
		{"--silero-model /none.onnx", "/none.onnx"},
	} {
		if _, _, err := hearing(t, append(strings.Fields(c.args), file)...); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.args, err, c.want)
		}
	}
	models := os.Getenv("HEARTHD_TEST_MODELS")
	if models == "" {
		t.Skip("HEARTHD_TEST_MODELS names no folder with silero_vad_16k_op15.onnx")
	}
	stdout, _, err := hearing(t, "--json", "--silero-model", filepath.Join(models, "silero_vad_16k_op15.onnx"), file)
	if n := strings.Count(stdout, "\n"); err != nil || n != audio.Rate/512 {
		t.Errorf("%d frames of 32 ms in a second, %v", n, err)
	}
}
