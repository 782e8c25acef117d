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

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestShippedFileHoldsEveryKey(t *testing.T) {
	l := &loader{places: make(map[string]place)}
	l.parse("hearthd.yaml", []byte(example(t)))
	if len(l.problems) > 0 {
		t.Fatal(l.problems)
	}
	for _, k := range Keys() {
		if _, ok := l.places[k]; !ok {
			t.Errorf("the file lacks %s", k)
		}
	}
}

func TestByDefaultNothingLeavesTheBox(t *testing.T) {
	c := Default()
	for key, set := range map[string]bool{
		"responder.url":      c.Responder.URL != "",
		"mqtt.broker":        c.MQTT.Broker != "embedded",
		"satellite.listen":   c.Satellite.Listen != "",
		"mqtt.listen":        !strings.HasPrefix(c.MQTT.Listen, "127.0.0.1:"),
		"console.listen":     !strings.HasPrefix(c.Console.Listen, "127.0.0.1:"),
		"console.recordings": c.Console.Recordings != 0,
		"log.transcripts":    c.Log.Transcripts,
		"trace.url":          c.Trace.URL != "",
		"hooks":              len(c.Hooks) > 0,
	} {
		if set {
			t.Errorf("%s opens the box by default", key)
		}
	}
}

func TestDefaultBelongsToTheCaller(t *testing.T) {
	c := Default()
	c.MQTT.Commands[0] = "changed"
	c.Tools.News.Feeds[0].Name = "changed"
	if again := Default(); again.MQTT.Commands[0] == "changed" || again.Tools.News.Feeds[0].Name == "changed" {
		t.Error("a change of one default shows in the next")
	}
}

func TestDefaultIsValid(t *testing.T) {
	c := Default()
	if ps := c.Validate(); len(ps) > 0 {
		t.Error(ps)
	}
}

func TestThreeMistakesAreNamedTogether(t *testing.T) {
	path := write(t, "hearthd.yaml", "audio:\n  volume: 170\nwake:\n  engin: phrase\nlisten:\n  pre_roll: quick\n")
	_, err := Load(Source{File: path})
	var ps Problems
	if !errors.As(err, &ps) {
		t.Fatalf("Load: %v", err)
	}
	want := []string{
		path + ":2: audio.volume: \"170\": must be between 0 and 100",
		path + ":4: wake.engin: unknown key; there is wake.engine",
		path + ":6: listen.pre_roll: \"quick\": must be a duration with its unit, such as 700ms or 6s",
	}
	if diff := cmp.Diff(want, strings.Split(ps.Error(), "\n")); diff != "" {
		t.Error(diff)
	}
}

func TestASectionIsNamedThatIsSpeltAlmostSo(t *testing.T) {
	for text, want := range map[string]string{
		"wakee: {engine: off}": "wakee: unknown key; there is wake", "mqt: {broker: off}": "mqt: unknown key; there is mqtt",
		"tols: {news: {url: x}}": "tols: unknown key; there is tools", "tools: {nws: {url: x}}": "there is tools.news",
		"xyz: {a: 1}": "xyz: unknown key", "audio: {volume: loud}": "must be a whole number",
		"audio: {volume: 99999999999999999999}": "is too large", "responder: {daily: much}": "must be a number",
	} {
		_, err := Load(Source{File: write(t, "hearthd.yaml", text)})
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestLaterSourcesOverrideEarlierOnes(t *testing.T) {
	path := write(t, "hearthd.yaml", "node: one\nlog:\n  level: warn\naudio: {volume: 10}\n")
	dir := filepath.Join(filepath.Dir(path), "conf.d")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "10-house.yaml"), []byte("node: two\naudio:\n  volume: 20\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Source{File: path, Environ: []string{"HEARTHD_AUDIO_VOLUME=30", "HEARTHD_STT_COMMAND_ARGV=prog -x"}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Node != "two" || c.Log.Level != "warn" || c.Audio.Volume != 30 {
		t.Errorf("node %q, level %q, volume %d", c.Node, c.Log.Level, c.Audio.Volume)
	}
	if diff := cmp.Diff([]string{"prog", "-x"}, c.STT.Command.Argv); diff != "" {
		t.Error(diff)
	}
}

func TestAMistakeStandsWhereItsListIsSetLast(t *testing.T) {
	path := write(t, "hearthd.yaml", "tools:\n  news:\n    feeds:\n      - {name: a, url: \"http://a\"}\n")
	dir := filepath.Join(filepath.Dir(path), "conf.d")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "news.yaml"), []byte("tools:\n  news: {feeds: [{name: b}]}\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(Source{File: path})
	if want := "news.yaml:2: tools.news.feeds[0].url"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct{ name, yaml, want string }{
		{"a secret in the file is refused and not shown", "mqtt:\n  password: hunter2\n",
			"mqtt.password: must be file:/PATH or credential:NAME"},
		{"a key stands twice", "node: a\nnode: b\n", "x.yaml:2: not YAML: mapping key \"node\" already defined"},
		{"a group is a list", "audio: [1]\n", "audio: must be a group of keys"},
		{"a value is a list", "node: [a]\n", "node: must be one value"},
		{"a list is a value", "stt:\n  command:\n    argv: prog\n", "must be a list"},
		{"a list is a value with a secret", "tools:\n  mcp:\n    - {name: a, allow: [\"*\"], command: npx x --token " +
			"hunter2}\n", "tools.mcp[0].command: must be a list"},
		{"a list in a list", "stt:\n  command:\n    argv: [[prog]]\n", "stt.command.argv[0]: must be one value"},
		{"a word is no group", "wake:\n  words: [jarvis]\n", "x.yaml:2: wake.words[0]: must be a group of keys"},
		{"hours of a thinker that are none", "route:\n  thinker_hours:\n    - {thinker: news, hours: late}\n",
			"x.yaml:3: route.thinker_hours[0].hours: \"late\": must be like 07:00-22:30"},
		{"a word with an unknown key", "wake:\n  words:\n    - model: a\n      mode: b\n",
			"x.yaml:4: wake.words[0].mode: unknown key"},
		{"a language without sentences", "tools: {intents: {language: german, dir: /nowhere}}\n",
			"x.yaml:1: tools.intents.language: \"german\": there are no sentences for it: built in are de, en, others are " +
				"folders of /nowhere"},
		{"a word without a model", "wake:\n  words:\n    - name: a\n",
			"x.yaml:3: wake.words[0].model: must not be empty"},
		{"a word of no kind", "wake:\n  words: [{model: a, kind: go}]\n",
			"x.yaml:2: wake.words[0].kind: \"go\": must be one of wake, stop"},
		{"a word for a Home Assistant that cannot connect", "wake:\n  words: [{model: a, route: homeassistant}]\n",
			"wake.words[0].route: \"homeassistant\": is by way of satellite.listen"},
		{"a satellite for everybody", "satellite: {listen: \"0.0.0.0:6053\", key: \"\"}\n", "satellite.key"},
		{"a word for nowhere", "wake:\n  words: [{model: a, route: up}]\n", "wake.words[0].route"},
		{"two words of one name", "wake:\n  words: [{model: a_b.json}, {model: c, name: a b}]\n",
			"wake.words[1].name: \"a b\": stands twice"},
		{"a word that is too sure", "wake:\n  words: [{model: a, cutoff: 1.5}]\n", "wake.words[0].cutoff"},
		{"a wake server far away", "wake:\n  words: [{model: a, server: \"example.com:1\"}]\n", "is outside the house"},
		{"a value is missing", "node:\n", "node: has no value"},
		{"a duration without unit", "wake:\n  follow_up: 6\n", "must be a duration with its unit"},
		{"two documents", "node: a\n---\nnode: b\n", "x.yaml:2: not YAML: there is more than one document"},
		{"an anchor", "node: &x a\n", "x.yaml:1: not YAML: anchors, aliases"},
		{"brackets without end", "node: a\naudio: " + strings.Repeat("[", 30_000),
			"x.yaml:2: not YAML: too deeply nested"},
		{"a group in a group in a group", "node: a\naudio: " + strings.Repeat("{a: ", 30_000),
			"x.yaml:2: not YAML: too deeply nested"},
		{"a tab", "audio:\n\tvolume: 1\n", "x.yaml:2: not YAML: a tab stands there; YAML is indented with spaces"},
		{"an open broker", "mqtt:\n  listen: 0.0.0.0:1883\n", "must be a loopback address"},
		{"a broker address with a password", "mqtt:\n  broker: mqtt://u:hunter2@h\n", "without user and password"},
		{
			"every sentence would go to a cloud",
			"stt:\n  engine: openai\n",
			"stt.openai.url: \"api.openai.com\": is outside the house",
		},
		{"an engine without a program", "tts:\n  engine: command\n", "tts.command.argv: must name a program"},
		{"an engine at no place", "tts:\n  engine: command\n  command: {argv: [bin/speak]}\n",
			"tts.command.argv: \"bin/speak\": must be an absolute path"},
		{"a file for a recogniser that is told none", "stt:\n  engine: command\n  command: {argv: [whisper], input: " +
			"file}\n", "stt.command.input: \"file\": must be file if {file} stands in stt.command.argv, and stdin " +
			"otherwise"},
		{"no file for a recogniser that wants one",
			"stt:\n  engine: command\n  command: {argv: [whisper, \"{file}\"]}\n", "stt.command.input: \"stdin\""},
		{"an argument that no program can have", "hooks:\n  - {on: [turn], command: [a, \"b\\0c\"]}\n",
			"hooks[0].command"},
		{"silero without its file", "listen:\n  detector: silero\n", "listen.silero: must not be empty"},
		{"a threshold below the release", "listen:\n  threshold: 0.2\n", "listen.release"},
		{"lists of a Home Assistant that is nowhere", "tools:\n  list: {source: homeassistant}\n",
			"tools.home.url: must be an http:// or https:// address"},
		{"a calendar of nobody", "tools:\n  calendar: {source: google}\n", "tools.calendar.source"},
		{"weather from nowhere", "tools:\n  weather: {url: \"ftp://x\"}\n",
			"tools.weather.url: must be an http:// or https:// address"},
		{"weather without places", "tools:\n  weather: {geocoding: \"\"}\n",
			"x.yaml:2: tools.weather.geocoding: must be"},
		{"a feed without a name", "tools:\n  news:\n    feeds:\n      - url: https://example.org/rss\n",
			"x.yaml:4: tools.news.feeds[0].name: must not be empty"},
		{"a feed that is a file", "tools:\n  news:\n    feeds: [{name: a, url: \"file:///etc/passwd\"}]\n",
			"tools.news.feeds[0].url: must be an http"},
		{"news of no country", "tools:\n  news: {country: USA}\n",
			"tools.news.country: \"USA\": must be two small letters"},
		{"a key in the file", "tools:\n  stocks: {key: abc}\n",
			"tools.stocks.key: must be file:/PATH or credential:NAME"},
		{"an instance with a password", "tools:\n  search: {searxng: \"http://u:hunter2@h\"}\n",
			"tools.search.searxng: must be"},
		{"an utterance that ends before its silence", "listen:\n  end_silence: 3s\n  max_utterance: 3s\n",
			"x.yaml:3: listen.max_utterance: \"3s\": must be longer than"},
		{"an utterance that is all pre-roll", "listen:\n  pre_roll: 2s\n  max_utterance: 2s\n", "listen.max_utterance"},
		{"no number", "listen:\n  threshold: .nan\n", "listen.threshold"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(Source{File: write(t, "x.yaml", c.yaml)})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Error("the secret is shown")
			}
		})
	}
}

func TestCloudRecogniserIsAllowedWithAButton(t *testing.T) {
	_, err := Load(Source{File: write(t, "x.yaml", "stt:\n  engine: openai\nwake:\n  engine: button\n")})
	if err != nil {
		t.Error(err)
	}
}

func TestWordsComeFromTheEnvironmentAsYAML(t *testing.T) {
	c, err := Load(Source{Environ: []string{"HEARTHD_WAKE_WORDS=[{model: /a/hey_jarvis.json}, {model: s, kind: stop, " +
		"name: halt}]"}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, w := range c.Wake.Words {
		names = append(names, w.Called()+" "+w.Kind)
	}
	if diff := cmp.Diff([]string{"hey jarvis ", "halt stop"}, names); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"jarvis", "[jarvis]", "[{", ""} {
		if _, err := Load(Source{Environ: []string{"HEARTHD_WAKE_WORDS=" + bad}}); err == nil ||
			!strings.HasPrefix(err.Error(), "environment") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestUnknownVariableIsAMistake(t *testing.T) {
	_, err := Load(Source{Environ: []string{"HEARTHD_AUDIO_VOLUM=1", "HEARTHD_TEST_MODEL=x", "HOME=/"}})
	if err == nil || err.Error() != "environment: HEARTHD_AUDIO_VOLUM: no key has this name" {
		t.Error(err)
	}
}

func TestMissingFileIsNamed(t *testing.T) {
	_, err := Load(Source{File: "/nonexistent/hearthd.yaml"})
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "/nonexistent/hearthd.yaml") {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(example(f))
	f.Add("audio:\n  volume: 170\n")
	f.Add("a: &a [*a]\n")
	f.Add("? x\n: y")
	f.Fuzz(func(t *testing.T, text string) {
		l := &loader{cfg: Default(), places: make(map[string]place)}
		l.parse("fuzz.yaml", []byte(text))
		for _, p := range append(l.problems, l.cfg.Validate()...) {
			if p.Reason == "" {
				t.Errorf("problem without a reason: %+v", p)
			}
		}
	})
}

// example is the shipped configuration file.
func example(tb testing.TB) string {
	tb.Helper()
	text, err := os.ReadFile("hearthd.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

func TestListsOfEntrancesAreBoundedAndNameSomething(t *testing.T) {
	c := Default()
	c.Tools.Home.Entrances = make([]string, maxList+1)
	for i := range c.Tools.Home.Entrances {
		c.Tools.Home.Entrances[i] = "Beehive"
	}
	c.Tools.Home.NoEntrances = []string{"Garage", ""}
	var keys []string
	for _, p := range c.Validate() {
		keys = append(keys, p.Key)
	}
	if want := []string{"tools.home.entrances", "tools.home.no_entrances[1]"}; !slices.Equal(keys, want) {
		t.Errorf("%q, want %q", keys, want)
	}
}
