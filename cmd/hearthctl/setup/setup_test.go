package setup

import (
	"hearthd/rigs/ctltest"
	"io"
	"net/http"
	"net/http/httptest"

	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The second box of a room has a name of its own, which would else be that of the first.
func TestARoomThatStaysLeavesTheNameOfTheBox(t *testing.T) {
	file, root := newBox(t)
	if err := os.WriteFile(file, []byte("node: kitchen-2\nmqtt: {area: Kitchen}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for room, want := range map[string]string{"": "kitchen-2", "Kitchen": "kitchen-2", "Hall": "hall"} {
		args := []string{"--socket", filepath.Join(root, "none"), "setup", "--yes", "--no-doctor", "--no-restart",
			"--config", file, "--root", root, "--units", "metric"}
		if room != "" {
			args = append(args, "--room", room)
		}
		if got := ctltest.Run(t, args...); got.Code != 0 {
			t.Fatalf("%+v", got)
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "conf.d", "50-setup.yaml"))
		if err != nil || !strings.Contains(string(text), "node: "+want+"\n") {
			t.Errorf("room %q: %v\n%s", room, err, text)
		}
		if err := os.Remove(filepath.Join(filepath.Dir(file), "conf.d", "50-setup.yaml")); err != nil {
			t.Fatal(err)
		}
	}
}

// A town is looked up where one can be asked; setup goes on without.
func TestATownIsTakenWhateverTheServiceOfPlacesDoes(t *testing.T) {
	for name, serve := range map[string]http.HandlerFunc{
		"dead": nil,
		"slow": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"hostile": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "{\"results\":[{\"name\":\"Graz\\u001b[2J\",\"latitude\":47,\"longitude\":15}]}")
		},
		"endless": func(w http.ResponseWriter, r *http.Request) {
			for junk := make([]byte, 1<<16); r.Context().Err() == nil; {
				if _, err := w.Write(junk); err != nil {
					return
				}
			}
		},
		"no JSON": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>\x1b[2J") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := httptest.NewServer(serve)
			defer service.Close()
			if serve == nil {
				service.Close()
			}
			file, root := newBox(t)
			conf := "tools: {weather: {geocoding: \"" + service.URL + "\"}}\n"
			if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := ctltest.Command(t.Context(), t, "--socket", filepath.Join(root, "none"), "setup", "--config", file, "--root",
				root, "--credentials", filepath.Join(root, "cred"), "--no-doctor", "--no-restart", "--room", "hall", "--place",
				"Graz", "--timezone", "Europe/Vienna", "--language", "en", "--units", "metric", "--broker", "off", "--ollama",
				"none", "--recogniser", "pocketsphinx", "--voice", "flite", "--speech", "no", "--cloud", "no", "--wake", "off")
			cmd.Stdin = strings.NewReader("\n\n\n\n\n")
			got := ctltest.Finish(t, cmd)
			text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "conf.d", "50-setup.yaml"))
			if got.Code != 0 || err != nil || !strings.Contains(string(text), "place: Graz\n") ||
				strings.Contains(got.Stdout+got.Stderr, "\x1b") {
				t.Errorf("%+v, %v\n%s", got, err, text)
			}
			if told := strings.Contains(got.Stdout, "cannot be looked up now"); told == (name == "hostile") {
				t.Errorf("%s", got.Stdout)
			}
		})
	}
}

func TestSetupWithYesWritesWhatFlagsSay(t *testing.T) {
	file, root := newBox(t)
	out := filepath.Join(filepath.Dir(file), "conf.d", "50-setup.yaml")
	setup := func(args ...string) ctltest.Outcome {
		t.Helper()
		return ctltest.Run(t, append([]string{"--socket", filepath.Join(root, "none"), "setup", "--yes", "--no-doctor",
			"--config", file, "--root", root}, args...)...)
	}
	got := setup("--room", "Kitchen", "--units", "imperial", "--broker", "mdns", "--ollama", "none")
	if got.Code != 0 {
		t.Fatalf("%+v", got)
	}
	if strings.Contains(got.Stdout, "[ ]") || strings.Contains(got.Stdout, "MB of memory") ||
		strings.Contains(got.Stdout, "\nEngines\n") || !strings.Contains(got.Stdout, "Written.") {
		t.Errorf("nobody is asked, and it shows\n%s", got.Stdout)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if s := strings.TrimSpace(line); s != "" && s[0] != '#' {
			lines = append(lines, s)
		}
	}
	if d := cmp.Diff([]string{"node: kitchen", "thinker:", `url: ""`, "memory:", "units: imperial", "mqtt:",
		"broker: mdns", "area: Kitchen"}, lines); d != "" {
		t.Error(d)
	}
	for flag, value := range map[string]string{
		"units": "bananas", "language": "english", "cloud": "perhaps", "daily": "a lot", "broker": "gopher://x",
		"wake": "clap", "phrase": "HEY", "recogniser": "none", "microphone": " ",
	} {
		got := setup("--"+flag, value, "--cloud", map[bool]string{true: value, false: "yes"}[flag == "cloud"])
		if got.Code != 1 || got.Stderr == "" {
			t.Errorf("%s %q: %+v", flag, value, got)
		}
	}
	if again, _ := os.ReadFile(out); string(again) != string(text) {
		t.Errorf("a refused answer was written:\n%s", again)
	}
}

// A later file wins: what it sets is not asked, and a mistake that it hides is one all the same.
func TestSetupKnowsWhatALaterFileSets(t *testing.T) {
	file, root := newBox(t)
	folder := filepath.Join(filepath.Dir(file), "conf.d")
	later := filepath.Join(folder, "90-set.yaml")
	if err := os.WriteFile(later, []byte("tools: {timezone: Europe/Vienna}\nmqtt: {broker: off}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"--socket", filepath.Join(root, "none"), "setup", "--no-doctor", "--no-restart", "--config", file,
		"--root", root, "--ollama", "none"}
	if got := ctltest.Run(t, append(args, "--yes", "--timezone", "+2")...); got.Code != 1 ||
		!strings.Contains(got.Stderr, `"+2": is not a known time zone`) {
		t.Errorf("%+v", got)
	}
	cmd := ctltest.Command(t.Context(), t, args...)
	cmd.Stdin = strings.NewReader(strings.Repeat("\n", 10) + "n\nn\n")
	got := ctltest.Finish(t, cmd)
	for text, want := range map[string]bool{"tools.timezone is set by " + later + ":1, which wins.": true,
		"mqtt.broker is set by " + later + ":2, which wins.": true,
		"Europe/Vienna]:": false, "embedded]:": false,
		"User at the broker": false, "Units, metric or imperial [metric]": true} {
		if strings.Contains(got.Stdout, text) != want {
			t.Errorf("%q: want %t in %+v", text, want, got)
		}
	}
}

func TestSetupSaysWhichEnginesDoNotKnowTheLanguage(t *testing.T) {
	file, root := newBox(t)
	const deaf, foreign = "until sudo hearthctl speech install has been run, \"de\" can only be typed",
		"flite speaks with an English voice only"
	for language, told := range map[string]bool{"de": true, "en": false} {
		got := ctltest.Run(t, "--socket", filepath.Join(root, "none"), "setup", "--yes", "--no-doctor", "--config", file,
			"--root", root, "--language", language)
		if strings.Contains(got.Stdout, deaf) != told || strings.Contains(got.Stdout, foreign) != told || got.Code != 0 {
			t.Errorf("%s: %+v", language, got)
		}
	}
}

// What the wizard does not ask for, and what a person has written there, as its first line
// invites to, is not lost by walking again.
func TestSetupKeepsWhatItDoesNotAskFor(t *testing.T) {
	file, root := newBox(t)
	out := filepath.Join(filepath.Dir(file), "conf.d", "50-setup.yaml")
	const before = "wake:\n  words: [{model: hey_jarvis}]\naudio: {volume: 41}\ntools:\n  news:\n    feeds: [{name: " +
		"ours, url: \"http://news.lan/rss?key=x\"}]\n"
	if err := os.WriteFile(out, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	got := ctltest.Run(t, "--socket", filepath.Join(root, "none"), "setup", "--yes", "--no-doctor", "--config",
		file, "--root", root, "--place", "Bern")
	if got.Code != 0 {
		t.Fatalf("%+v", got)
	}
	text, err := os.ReadFile(out)
	for _, want := range []string{"words: [{model: hey_jarvis}]", "volume: 41", "place: Bern",
		"http://news.lan/rss?key=x"} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s is gone: %v\n%s", want, err, text)
		}
	}
}

// Each time something else may have stood there, and the first may be the one that somebody wants back.
func TestSetupLosesNothingThatItReplaces(t *testing.T) {
	file, root := newBox(t)
	folder := filepath.Join(filepath.Dir(file), "conf.d")
	if err := os.WriteFile(filepath.Join(folder, "50-setup.yaml.before-20260101T000000Z"), []byte("first"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"Bern", "Graz"} {
		if got := ctltest.Run(t, "--socket", filepath.Join(root, "none"), "setup", "--yes", "--no-doctor", "--config", file,
			"--root", root, "--place", place); got.Code != 0 {
			t.Fatalf("%+v", got)
		}
	}
	kept, err := filepath.Glob(filepath.Join(folder, "50-setup.yaml.before-*"))
	if text, _ := os.ReadFile(filepath.Join(folder, "50-setup.yaml.before-20260101T000000Z")); err != nil ||
		len(kept) != 2 || string(text) != "first" {
		t.Errorf("%v, %q, %v", kept, text, err)
	}
}

// A broker of the box itself stands in the place of the embedded one, which could not start.
func TestSetupOffersTheBrokerThatRunsHere(t *testing.T) {
	file, root := newBox(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	at := taken.Addr().String()
	if err := os.WriteFile(file, []byte("mqtt: {listen: \""+at+"\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := ctltest.NewFake(t)
	offered := func(conditions string) string {
		f.Answer("/v1/status", 200, `{"state":"idle","conditions":[`+conditions+`]}`)
		cmd := ctltest.Command(t.Context(), t, "--socket", f.Path, "setup", "--config", file, "--root", root, "--ollama",
			"none", "--no-doctor")
		cmd.Stdin = strings.NewReader("\n\n\n\n\n\n\n")
		return ctltest.Finish(t, cmd).Stdout
	}
	if got := offered(""); !strings.Contains(got, "* 1  embedded") {
		t.Errorf("hearthd's own broker has the port:\n%s", got)
	}
	if got := offered(`{"code":"broker"}`); !strings.Contains(got, "* 1  mqtt://"+at) {
		t.Errorf("another broker has it:\n%s", got)
	}
}

// The test's binary knows no hearthctl speech: what setup says then is what a person reads without a network.
func TestSetupInstallsSpeechLastAndSaysHowLater(t *testing.T) {
	file, root := newBox(t)
	setup := func(args ...string) ctltest.Outcome {
		t.Helper()
		return ctltest.Run(t, append([]string{"--socket", filepath.Join(root, "none"), "setup", "--yes", "--no-doctor",
			"--config", file, "--root", root}, args...)...)
	}
	if got := setup("--speech", "yes"); got.Code != 0 || !strings.Contains(got.Stderr, `unknown command "speech"`) ||
		!strings.HasSuffix(got.Stdout, "So modern speech is not installed. Later: sudo hearthctl speech install\n") ||
		strings.Index(got.Stdout, "Written.") > strings.Index(got.Stdout, "Later:") {
		t.Errorf("%+v", got)
	}
	for _, args := range [][]string{{"--speech", "no"}, {"--speech", "N"}, {"--recogniser", "10.0.0.5:10300"}, nil} {
		if got := setup(args...); got.Code != 0 || strings.Contains(got.Stdout+got.Stderr, "speech install") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	if got := setup("--speech", "perhaps"); got.Code != 1 {
		t.Errorf("%+v", got)
	}
	if got := setup("--voice", "piper"); got.Code != 1 || !strings.Contains(got.Stderr, "--speech yes") {
		t.Errorf("%+v", got)
	}
}

// hearthd keeps a word under a name of its own making.
func TestSetupWritesTheNameThatAWordIsInstalledUnder(t *testing.T) {
	file, root := newBox(t)
	f := ctltest.NewFake(t)
	f.Answer("/v1/wake/install", 200, `{"model":"hey_you","name":"Hey You","type":"model"}`)
	model := filepath.Join(root, "Hey_You.json")
	if err := errors.Join(os.WriteFile(model,
		[]byte(`{"type":"micro","wake_word":"Hey You","model":"net.tflite","version":2}`), 0o600),
		os.WriteFile(filepath.Join(root, "net.tflite"), []byte("net"), 0o600)); err != nil {
		t.Fatal(err)
	}
	written := func(words string) {
		t.Helper()
		got := ctltest.Run(t, "--socket", f.Path, "setup", "--yes", "--no-doctor", "--no-restart", "--config", file,
			"--root", root, "--wake", model)
		text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "conf.d", "50-setup.yaml"))
		if got.Code != 0 || err != nil || !strings.Contains(string(text), "words: "+words) {
			t.Errorf("%+v, %v\n%s", got, err, text)
		}
	}
	written("[{model: hey_you}]")
	written("[{model: hey_you}]")
	set := filepath.Join(filepath.Dir(file), "conf.d", "50-setup.yaml") // the words of a person stay
	if err := os.WriteFile(set, []byte("wake: {words: [{model: okay_nabu, cutoff: 0.9}]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	written("[{model: okay_nabu, cutoff: 0.9}, {model: hey_you}]")
}

func TestSetupWritesNothingWhenItIsBrokenOff(t *testing.T) {
	file, root := newBox(t)
	cmd := ctltest.Command(t.Context(), t, "setup", "--config", file, "--root", root, "--broker", "off", "--ollama",
		"none", "--no-doctor")
	cmd.Stdin = strings.NewReader("\n\nkitchen\n")
	got := ctltest.Finish(t, cmd)
	if got.Code != 1 || !strings.Contains(got.Stderr, "nothing was written") {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(file), "conf.d", "50-setup.yaml")); !errors.Is(err,
		os.ErrNotExist) {
		t.Error("something was written")
	}
}

func TestModelsThatFitAreThoseThatMemoryHolds(t *testing.T) {
	if m := localModels()[1]; m.needMB(8192) != 1400+939+overheadMB {
		t.Errorf("1.7b needs %d MB", m.needMB(8192))
	}
	if (&wizard{root: t.TempDir()}).box().MemoryMB() != 0 {
		t.Error("a machine without /proc has memory")
	}
}
