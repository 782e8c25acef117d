package contract

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files, and the tables of packaging/mqtt.md")

const document = "../../../packaging/mqtt.md"

func TestTablesOfTheDocumentAreThoseOfThisPackage(t *testing.T) {
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for name, table := range Tables() {
		begin, end := "<!-- "+name+" -->\n", "<!-- end -->"
		i := strings.Index(text, begin)
		j := strings.Index(text[max(i, 0):], end)
		if i < 0 || j < 0 {
			t.Fatalf("%s has no place for the table %q", document, name)
		}
		i += len(begin)
		j += i - len(begin)
		if d := cmp.Diff(table, text[i:j]); d != "" && !*update {
			t.Errorf("%s: -update rewrites it:\n%s", name, d)
		}
		text = text[:i] + table + text[j:]
	}
	if *update {
		if err := os.WriteFile(document, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// kitchen has everything, pantry as little as can be.
func kitchen() *Device {
	d := everything()
	d.Discovery, d.Prefix, d.Node, d.Version, d.Area = "homeassistant", "hearth", "kitchen", "0.1.0", "Kitchen"
	d.Words = []string{AllWords, Phrase, "hey jarvis"}
	return d
}

func pantry() *Device {
	return &Device{Discovery: "ha", Prefix: "hearth", Node: "pantry-2", Version: "0.1.0", Commands: []string{Stop}}
}

func encoded(t *testing.T, d *Device) []byte {
	t.Helper()
	doc, err := d.Document()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestDocumentsStayAsTheyAre(t *testing.T) {
	for _, d := range []*Device{kitchen(), pantry()} {
		var v any
		if err := json.Unmarshal(encoded(t, d), &v); err != nil {
			t.Fatal(err)
		}
		pretty, err := json.MarshalIndent(v, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		got := d.Topic() + "\n" + string(pretty) + "\n"
		path := filepath.Join("testdata", d.Node+".golden")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// parsed is what of a document the tests look at.
type parsed struct {
	Device struct {
		Identifiers []string `json:"identifiers"`
	} `json:"device"`
	Components map[string]map[string]any `json:"components"`
}

func parse(t *testing.T, d *Device) parsed {
	t.Helper()
	var p parsed
	if err := json.Unmarshal(encoded(t, d), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// Home Assistant drops a document for one key that it does not know, an entity for
// a name that another one has, and ignores what a platform does not know.
func TestDocumentHasTheKeysThatHomeAssistantTakes(t *testing.T) {
	common := []string{"platform", "name", "unique_id", "default_entity_id", "icon", "entity_category", "state_topic",
		"command_topic"}
	attributes := []string{"value_template", "json_attributes_topic", "json_attributes_template", "device_class"}
	takes := map[string][]string{
		"sensor":        append([]string{"options", "unit_of_measurement", "state_class"}, attributes...),
		"binary_sensor": attributes, "switch": {}, "select": {"options"},
		"event":  {"event_types", "value_template"},
		"number": {"min", "max", "step", "mode", "unit_of_measurement", "command_template", "value_template"},
		"text":   {"max", "command_template"}, "notify": {"command_template"},
		"button": {"payload_press", "device_class"},
		"update": {"value_template", "title", "payload_install"},
	}
	name := regexp.MustCompile(`^[a-z0-9_]+$`)
	var ids []string
	for _, d := range []*Device{kitchen(), pantry()} {
		var top map[string]any
		if err := json.Unmarshal(encoded(t, d), &top); err != nil {
			t.Fatal(err)
		}
		for k := range top {
			if !slices.Contains([]string{"device", "origin", "availability", "qos", "components"}, k) {
				t.Errorf("the whole document would be dropped for %q", k)
			}
		}
		for id, c := range parse(t, d).Components {
			platform := c["platform"].(string)
			for k := range c {
				if !slices.Contains(common, k) && !slices.Contains(takes[platform], k) {
					t.Errorf("%s: a %s takes no %q", id, platform, k)
				}
			}
			if topic, ok := c["state_topic"].(string); ok &&
				!slices.ContainsFunc(Topics(), func(t Topic) bool { return d.Own(t.Level) == topic }) {
				t.Errorf("%s reads %s, which the contract does not name", id, topic)
			}
			if topic, ok := c["command_topic"].(string); ok {
				command := strings.TrimPrefix(topic, d.Own(Set)+"/")
				if _, known := Find(command); !known || !slices.Contains(d.Commands, command) {
					t.Errorf("%s sets %s, which is not obeyed", id, topic)
				}
			}
			_, object, _ := strings.Cut(c["default_entity_id"].(string), ".")
			if !name.MatchString(object) {
				t.Errorf("%s would be called %q", id, object)
			}
			ids = append(ids, c["unique_id"].(string))
		}
	}
	slices.Sort(ids)
	if n := len(slices.Compact(slices.Clone(ids))); n != len(ids) {
		t.Errorf("unique ids are not distinct: %q", ids)
	}
}

func TestWhatCannotBeDoneIsNotOffered(t *testing.T) {
	full, bare := parse(t, kitchen()).Components, parse(t, pantry()).Components
	for _, id := range []string{"mute", "dnd", "volume", "media_volume", "media_pause", "wake", "policy", "say", "ask", "announce", "listen",
		"repeat", "restart", "transcript", "answer", "temperature"} {
		if full[id] == nil {
			t.Errorf("%s is missing", id)
		}
		if bare[id] != nil {
			t.Errorf("%s is offered", id)
		}
	}
	if bare["stop"] == nil || bare["version"]["command_topic"] != nil || full["version"]["command_topic"] == nil {
		t.Error("stop or the installing of versions is offered wrongly")
	}
}

// Home Assistant's own schema, written down in a folder that HEARTHD_TEST_HOMEASSISTANT
// names.
func TestHomeAssistantTakesTheDocument(t *testing.T) {
	dir := os.Getenv("HEARTHD_TEST_HOMEASSISTANT")
	if dir == "" {
		t.Skip("HEARTHD_TEST_HOMEASSISTANT names no folder with ha_validate.py")
	}
	d := pantry()
	d.Discovery = "homeassistant" // the validator knows the default only
	for _, d := range []*Device{kitchen(), d} {
		file := filepath.Join(t.TempDir(), "document.json")
		if err := os.WriteFile(file, encoded(t, d), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("python3", filepath.Join(dir, "ha_validate.py"), d.Topic(), file).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "ok" {
			t.Errorf("%s: %v\n%s", d.Node, err, out)
		}
	}
}

// The automations are of a household whose box is called kitchen.
func TestExamplesNameWhatThereIs(t *testing.T) {
	files, err := filepath.Glob("../../../packaging/examples/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	var known []string
	for _, c := range parse(t, kitchen()).Components {
		known = append(known, c["default_entity_id"].(string))
	}
	entity := regexp.MustCompile(`\b[a-z_]+\.hearth_kitchen_[a-z_]+`)
	command := regexp.MustCompile(`\bhearth/kitchen/set/([a-z_]+)`)
	index, err := os.ReadFile("../../../packaging/examples/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var list []map[string]any
		if err := yaml.Unmarshal(data, &list); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		for _, a := range list {
			if a["id"] == nil || a["alias"] == nil || a["triggers"] == nil || a["actions"] == nil {
				t.Errorf("%s: an automation lacks its id, alias, triggers or actions", f)
			}
		}
		names := entity.FindAllString(string(data), -1)
		for _, n := range names {
			if !slices.Contains(known, n) {
				t.Errorf("%s: there is no %s", f, n)
			}
		}
		commands := command.FindAllStringSubmatch(string(data), -1)
		for _, c := range commands {
			if _, ok := Find(c[1]); !ok {
				t.Errorf("%s: there is no command %s", f, c[1])
			}
		}
		if len(list) == 0 || len(names)+len(commands) == 0 ||
			!strings.Contains(string(index), "| "+filepath.Base(f)+" |") {
			t.Errorf("%s says nothing, or is not in README.md", f)
		}
	}
}

func TestNodesMakeTopicLevels(t *testing.T) {
	for name, want := range map[string]string{
		"kitchen": "kitchen", "living room": "living-room", "küche": "kueche", "": "hearthd", "a/b+#": "a-b--",
		"ku\u0308che": "kueche", "gästezimmer groß": "gaestezimmer-gross", "salle à manger": "salle-a-manger",
		"pokój": "pokoj", "łazienka": "lazienka", "Été": "Ete", "кухня": "-----",
		strings.Repeat("n", 70): strings.Repeat("n", 64),
	} {
		if got := Node(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
