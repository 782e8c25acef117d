package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEditChangesOneKeyAndLeavesTheRest(t *testing.T) {
	const file = `# Ours.
audio:
  volume: 30 # quiet
  # The card.
  capture: "plughw:CARD=Device,DEV=0"

wake:
  words:
    # The old one.
    - model: hey_jarvis
    - model: okay_nabu
  chime: true
`
	for _, c := range []struct{ key, value, old, new string }{
		{"audio.volume", "45", "volume: 30 # quiet", "volume: 45  # quiet"},
		{"audio.capture", "hw:1,0", `capture: "plughw:CARD=Device,DEV=0"`, `capture: "hw:1,0"`},
		{"wake.words", "[{model: computer}]", `words:
    # The old one.
    - model: hey_jarvis
    - model: okay_nabu
`, "words: [{model: computer}]\n"},
		{"wake.chime", "false", "chime: true", "chime: false"},
		{"wake.follow_up", "0s", "chime: true\n", "chime: true\n  follow_up: 0s\n"},
		{"stt.wyoming.address", "10.0.0.2:10300", "chime: true\n",
			"chime: true\nstt:\n  wyoming:\n    address: 10.0.0.2:10300\n"},
		{"node", "true", "chime: true\n", "chime: true\nnode: \"true\"\n"},
		{"mqtt.commands", "say stop", "chime: true\n", "chime: true\nmqtt:\n  commands: [say, stop]\n"},
		{"audio.playback", "a # b", "DEV=0\"\n", "DEV=0\"\n  playback: \"a # b\"\n"},
	} {
		got, err := Edit([]byte(file), c.key, c.value)
		if err != nil {
			t.Errorf("%s: %v", c.key, err)
			continue
		}
		if d := cmp.Diff(strings.Replace(file, c.old, c.new, 1), string(got)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.key, d)
		}
	}
}

func TestEditBeginsAFileAndFollowsItsIndentation(t *testing.T) {
	for file, want := range map[string]string{
		"":                           "audio:\n  volume: 5\n",
		"# Only a comment.":          "# Only a comment.\naudio:\n  volume: 5\n",
		"audio:\n    aec: off":       "audio:\n    aec: off\n    volume: 5\n",
		"audio:\n  volume:\n    4\n": "audio:\n  volume: 5\n",
	} {
		got, err := Edit([]byte(file), "audio.volume", "5")
		if err != nil || string(got) != want {
			t.Errorf("%q: %q, %v", file, got, err)
		}
	}
}

func TestEditRefusesWhatItCannotDoWithoutHarm(t *testing.T) {
	for _, c := range []struct{ file, key, value, want string }{
		{"audio: {volume: 4, aec: off}\n", "audio.volume", "5", "by hand"},
		{"{audio: {volume: 4}}\n", "audio.volume", "5", "by hand"},
		{"", "audio.volum", "5", `no key "audio.volum"; there is audio.volume`},
		{"", "volume", "5", "there is audio.volume, tools.ring.volume"},
		{"", "audio", "5", "there is audio.capture"},
		{"", "audio.volume", "loud", "must be a whole number"},
		{"", "wake.words", "hey", "must be a list"},
		{"", "wake.words", "[{modell: x}]", "unknown key"},
		{"audio: [", "audio.volume", "5", "not YAML"},
		{"audio:\n  loud: 1\n", "audio.volume", "5", "unknown key"},
	} {
		got, err := Edit([]byte(c.file), c.key, c.value)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Edit(%q, %s, %s) = %q, %v", c.file, c.key, c.value, got, err)
		}
	}
}

func TestEveryKeyCanBeWrittenAsItIsShown(t *testing.T) {
	std := Default()
	for _, s := range Settings(&std, nil) {
		got, err := Edit(nil, s.Key, s.Default)
		if err != nil {
			t.Errorf("%s: %s: %v", s.Key, s.Default, err)
			continue
		}
		if c, err := parsed(got); err != nil || len(Changed(&std, &c)) > 0 {
			t.Errorf("%s: %q, %v", s.Key, got, err)
		}
		if s.Value != s.Default && s.Value != stars {
			t.Errorf("%s is shown as %s", s.Key, s.Value)
		}
	}
}

func FuzzEdit(f *testing.F) {
	f.Add([]byte("# x\naudio:\n  volume: 4 # y\nwake:\n  words:\n  - model: a\n"), "audio.volume", "5")
	f.Add([]byte("a: b"), "wake.words", "[{model: x}]")
	f.Fuzz(func(t *testing.T, file []byte, key, value string) {
		got, err := Edit(file, key, value)
		if err != nil {
			return
		}
		if again, err := Edit(got, key, value); err != nil || string(again) != string(got) {
			t.Fatalf("%q\nbecame %q\nand then %q, %v", file, got, again, err)
		}
	})
}

func TestOriginOfAValueIsItsLastPlace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "hearthd.yaml")
	folder := filepath.Join(dir, "conf.d")
	if err := errors.Join(os.WriteFile(file, []byte("audio:\n  volume: 30\n  aec: off\n"), 0o600),
		os.Mkdir(folder, 0o700),
		os.WriteFile(filepath.Join(folder, "a.yaml"), []byte("audio: {volume: 31}\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	src := Source{File: file, Environ: []string{"HEARTHD_WAKE_CHIME=false"}, Instead: map[string][]byte{
		filepath.Join(folder, "b.yaml"): []byte("\nnode: kitchen\n"),
	}}
	c, from, err := Read(src)
	if err != nil {
		t.Fatal(err)
	}
	if c.Audio.Volume != 31 || c.Node != "kitchen" || c.Wake.Chime {
		t.Errorf("%+v", c)
	}
	for key, want := range map[string]string{
		"audio.volume": filepath.Join(folder, "a.yaml") + ":1", "audio.aec": file + ":3",
		"node": filepath.Join(folder, "b.yaml") + ":2", "wake.chime": "HEARTHD_WAKE_CHIME", "stt.engine": "default",
	} {
		if got := from.Of(key); got != want {
			t.Errorf("%s is from %s, want %s", key, got, want)
		}
	}
	if std := Default(); !cmp.Equal(Changed(&std, &c), []string{"node", "audio.aec", "audio.volume", "wake.chime"}) {
		t.Errorf("changed: %v", Changed(&std, &c))
	}
}

func TestSettingsHideWhatMayBeASecret(t *testing.T) {
	c := Default()
	c.Tools.News.Feeds = []Feed{{Name: "ours", URL: "https://u:hunter2@news.lan/rss?key=hunter2"}}
	c.Tools.MCP = []MCPServer{{Name: "x", Command: []string{"/bin/x", "--token", "hunter2", "--password=hunter2",
		"API_KEY=hunter2", "--header", "Authorization: Bearer hunter2", "X-Api-Key:hunter2", "-v",
		"https://auth.example.com/mcp"}}}
	seen := 0
	for _, s := range Settings(&c, nil) {
		if strings.Contains(s.Value, "hunter2") {
			t.Errorf("%s: %s", s.Key, s.Value)
		}
		if strings.Contains(s.Value, stars) {
			seen++
		}
	}
	if got := c.Value("tools.mcp"); !strings.Contains(got, "hunter2") {
		t.Errorf("what is edited is hidden: %s", got)
	}
	if shown := Settings(&c, nil)[slices.Index(Keys(), "tools.mcp")].Value; !strings.Contains(shown,
		"auth.example.com/mcp") {
		t.Errorf("an address is hidden: %s", shown)
	}
	if seen != 2 || c.Tools.News.Feeds[0].URL == stars {
		t.Errorf("%d hidden", seen)
	}
}

func TestDocumentHasItsKeysInOrderWithTheirRemarks(t *testing.T) {
	got, err := Document("What setup wrote.", []Entry{
		{"thinker.model", "qwen3:4b", "fits 8 GB"}, {"audio.volume", "1", ""}, {"node", "kitchen", "the room"},
		{"stt.wyoming.address", "10.0.0.2:1", ""}, {"stt.engine", "wyoming", "two\nlines"},
		{"audio.volume", "40", "last"},
	})
	want := `# What setup wrote.

# the room
node: kitchen

audio:
  # last
  volume: 40

stt:
  # two
  # lines
  engine: wyoming
  wyoming:
    address: 10.0.0.2:1

thinker:
  # fits 8 GB
  model: qwen3:4b
`
	if d := cmp.Diff(want, string(got)); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
	c, err := parsed(got)
	if err != nil || c.Audio.Volume != 40 || c.STT.Wyoming.Address != "10.0.0.2:1" {
		t.Errorf("%+v, %v", c, err)
	}
	for _, e := range []Entry{{"audio.volum", "1", ""}, {"audio.volume", "loud", ""}} {
		if _, err := Document("", []Entry{e}); err == nil {
			t.Errorf("%+v is written", e)
		}
	}
}
