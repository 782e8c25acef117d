package daemon

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"hearthd/audio"
	"hearthd/config"
	"hearthd/daemon/ears"
	"hearthd/daemon/recall"
	"hearthd/daemon/settings"
	"hearthd/daemon/state"
	"hearthd/rigs/memorytest"
	"hearthd/tools/knowledge"
	"hearthd/tools/phrase"
)

// byModel are the tools that no English sentence starts, and why.
var byModel = map[string]string{
	"medical_anion_gap":            "laboratory values: who says them says them in many ways",
	"medical_cha2ds2_vasc":         "asks for eight things, one after the other",
	"medical_corrected_calcium":    "laboratory values",
	"medical_creatinine_clearance": "laboratory values",
	"medical_has_bled":             "asks for nine things, one after the other",
	"medical_wells_dvt":            "asks for ten things, one after the other",
	"memory_fact":                  "a model keeps what it has understood",
	"pubmed_abstract":              "takes the number of an article that a search has found",
	"web_read":                     "takes an address that a search has found",
}

// fullHouse is a house with everything that change configures.
func fullHouse(t *testing.T, change func(*config.Config)) *assistant {
	t.Helper()
	dir := t.TempDir()
	store := memorytest.Open(t)
	cfg := config.Default()
	cfg.STT.Engine, cfg.STT.Wyoming.Address = "wyoming", "127.0.0.1:1" // not asked
	change(&cfg)
	d := bare()
	d.node, d.folder = "box", new(state.Folder)
	d.cfg, d.store, d.recall, d.opt = &cfg, store, recall.New(recall.Options{Store: store}),
		Options{StateDir: dir, RuntimeDir: dir}
	d.equip()
	d.sound = &sound{sense: ears.NewSense(&ears.Setup{}), mixer: audio.NewMixer(50)}
	cfg.Media.Stations = filepath.Join(dir, "stations.yaml")
	d.settings = new(settings.Settings)
	for _, next := range []func(context.Context) error{d.buildTimers, d.buildPeers, d.buildMusic, d.buildAssistant} {
		if err := next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return d.assistant
}

func TestEveryToolIsStartedByASentenceOrLeftToAModelOnPurpose(t *testing.T) {
	h := fullHouse(t, func(c *config.Config) {
		withKeys(t, &c.Tools)
		c.MQTT.Broker, c.Tools.Home.Source, c.Media.Directory = "mqtt://127.0.0.1", "mqtt", "http://127.0.0.1"
	})
	all := map[string]bool{knowledge.ToolName: true} // offered while there are documents
	for _, spec := range h.registry.Specs() {
		all[spec.Name] = true
	}
	for _, tool := range h.devices.Tools() { // offered while there are devices
		all[tool.Spec().Name] = true
		if (&base{book: phrase.English()}).missing(tool.Spec().Name) == "" {
			t.Errorf("%s: nothing is said where there are no devices", tool.Spec().Name)
		}
	}
	started := slices.Sorted(maps.Keys(h.matcher.Wordings()))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		_, left := byModel[name]
		switch begun := slices.Contains(started, name); {
		case !begun && !left:
			t.Errorf("%s: no sentence starts it, and it is not left to a model on purpose", name)
		case begun && left:
			t.Errorf("%s: a sentence starts it, so it is not left to a model", name)
		}
	}
	for _, name := range slices.Concat(started, slices.Collect(maps.Keys(byModel))) {
		// which the dialogue takes itself
		if !all[name] && !slices.Contains([]string{"ask", "choose", "confirm", "reply"}, name) {
			t.Errorf("%s: there is no such tool", name)
		}
	}
}

func TestSentenceOfAToolWithoutItsKeyIsLeftToTheThinker(t *testing.T) {
	h := fullHouse(t, func(*config.Config) {})
	call, _, ok := h.matcher.Match("how is tesla stock doing", "")
	if !ok || call.Name != "stocks_quote" {
		t.Fatalf("%+v, %v", call, ok)
	}
	if h.registry.Has(call.Name) { // what dialogue.Options.Offered is in the daemon
		t.Error("a tool without its key is offered")
	}
}
