package ears

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/api"
	"hearthd/daemon/refusal"
	"hearthd/rigs/tflitetest"
)

// model reads a microWakeWord model that is not in the repository.
func model(t *testing.T, name string) (manifest, network []byte) {
	t.Helper()
	dir := os.Getenv("HEARTHD_TEST_MODELS")
	if dir == "" {
		t.Skip("HEARTHD_TEST_MODELS names no folder with wake/" + name + ".json")
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "wake", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if network, err = os.ReadFile(filepath.Join(dir, "wake", name+".tflite")); err != nil {
		t.Fatal(err)
	}
	return manifest, network
}

func TestInstalledModelCanBeConfiguredByItsName(t *testing.T) {
	k := newKeeper(t)
	manifest, network := model(t, "okay_nabu")
	for range 2 { // the second time it replaces itself
		w, err := k.Install(t.Context(), "Nabu", manifest, network)
		if d := cmp.Diff(api.Word{Model: "nabu", Name: "Okay Nabu", Type: "model"}, w); err != nil || d != "" {
			t.Fatalf("%v (-want +got):\n%s", err, d)
		}
	}
	k.words = []Word{{Model: "nabu", Name: "nabu", Stop: true}, {Model: "gone", Name: "gone"},
		{Model: "alexa", Name: "alexa", Server: "localhost:10400", Route: "local"}}
	list, err := k.List(t.Context())
	if err != nil || len(list) != 3 {
		t.Fatalf("%+v, %v", list, err)
	}
	if !strings.Contains(list[1].Error, "gone.json") {
		t.Errorf("the one that is missing: %+v", list[1])
	}
	list[1].Error = ""
	if d := cmp.Diff([]api.Word{
		{Model: "nabu", Name: "nabu", Type: "model", Configured: true, Kind: "stop"},
		{Model: "gone", Name: "gone", Type: "model", Configured: true, Kind: "wake"},
		{Model: "alexa", Name: "alexa", Type: "server", Configured: true, Kind: "wake", Route: "local"},
	}, list); d != "" {
		t.Errorf("list (-want +got):\n%s", d)
	}
	if spotters, mistakes := openWords(k.words[:1], k.state); len(spotters) != 1 || len(mistakes) != 0 {
		t.Errorf("%d spotters, %v", len(spotters), mistakes)
	}
}

// An enrolled word of the same name goes before a model, which is then told by its file.
func TestModelBesideAnEnrolledWordIsNamedSoThatItIsHeard(t *testing.T) {
	k := newKeeper(t)
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(k.dir, "nabu"+enrolledExt), []byte("recordings"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := k.Install(t.Context(), "nabu", []byte(tflitetest.LoudManifest), tflitetest.Loud())
	if err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(k.dir, "nabu"+modelExt)
	if got := wordFile(w.Model, k.state); got != want {
		t.Errorf("%q was installed as %q, which stands for %q", want, w.Model, got)
	}
	list, err := k.List(t.Context())
	if err != nil || len(list) != 2 || list[0].Model == list[1].Model {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestModelThatCannotBeHeardIsRefusedAndReplacesNothing(t *testing.T) {
	k := newKeeper(t)
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"a.json", "a.tflite"} {
		if err := os.WriteFile(filepath.Join(k.dir, f), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const good = `{"type":"micro","wake_word":"A","model":"../../etc/a.tflite","version":2,` +
		`"micro":{"probability_cutoff":0.9,"feature_step_size":10,"sliding_window_size":5}}`
	for _, c := range []struct{ name, manifest, network, want string }{
		{"a", "", "", "no JSON object"}, {"a", "null", "", "no JSON object"}, {"a", "[1]", "", "no JSON object"},
		{"a", "{}", "", "read wake word manifest a.json"}, {"a", good, "", "read wake word network a.tflite"},
		{"a", good, strings.Repeat("x", 1000), "read wake word network a.tflite"},
		{"../a", good, "", "want letters"}, {"", good, "", "want letters"},
	} {
		_, err := k.Install(t.Context(), c.name, []byte(c.manifest), []byte(c.network))
		var refused refusal.Error
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), k.state) {
			t.Errorf("%q %.20q: %v, want %q", c.name, c.manifest, err, c.want)
		}
	}
	entries, err := os.ReadDir(k.dir)
	if err != nil || len(entries) != 2 {
		t.Fatalf("left over: %v, %v", entries, err)
	}
	for _, e := range entries {
		if b, err := os.ReadFile(filepath.Join(k.dir, e.Name())); string(b) != "old" {
			t.Errorf("%s is now %q, %v", e.Name(), b, err)
		}
	}
}

func TestFolderThatIsNotThereHoldsNoWords(t *testing.T) {
	if list, err := newKeeper(t).List(t.Context()); len(list) != 0 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}
