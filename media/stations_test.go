package media

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var fm4 = Station{Name: "FM4", Aliases: []string{"eff em four"}, URL: "https://example.org/fm4.m3u"}

func TestStationsAreWrittenAsTheyAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "etc", "stations.yaml")
	if list, err := ReadStations(path); err != nil || len(list) > 0 {
		t.Errorf("without a file: %v, %v", list, err)
	}
	want := []Station{fm4, {Name: "Ö1", URL: "http://example.org:8000/oe1"}}
	if err := WriteStations(path, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadStations(path)
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(d, err)
	}
	for _, name := range []string{"fm4", " FM4", "Eff Em Four"} {
		if s, ok := Find(got, name); !ok || s.Name != "FM4" {
			t.Errorf("%q: %+v", name, s)
		}
	}
	if _, ok := Find(got, "http://example.org:8000/oe1"); ok {
		t.Error("a station is found by its address")
	}
}

func TestWrongStationsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stations.yaml")
	for text, want := range map[string]string{
		"stations: [{name: A, url: 'file:///etc/passwd'}]":                  "address of a stream",
		"stations: [{name: A, url: ftp://a/b}]":                             "address of a stream",
		"stations: [{name: '', url: 'http://a/'}]":                          "want a name",
		"stations: [{name: A, url: 'http://a/'}, {name: a, url: http://b}]": "there twice",
		"stations: [{name: A, uri: 'http://a/'}]":                           "uri",
		"[": "read stations",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadStations(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := WriteStations(path, []Station{{Name: "A", URL: "nowhere"}}); err == nil {
		t.Error("a station without an address is written")
	}
}

func TestHouseholdIsAskedToReadItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stations.yaml")
	h := NewHousehold(path, func([]Station, error) {})
	if err := WriteStations(path, []Station{fm4}); err != nil {
		t.Fatal(err)
	}
	if h.Look(); len(h.List()) != 1 {
		t.Errorf("%v", h.List())
	}
}

func TestHouseholdFollowsItsFileAndKeepsWhatWasGood(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stations.yaml")
	synctest.Test(t, func(t *testing.T) {
		var errs []error
		h := NewHousehold(path, func(_ []Station, err error) { errs = append(errs, err) })
		go h.Run(t.Context())
		for i, text := range []string{"", "stations: [{name: A, url: 'http://a/'}, {name: B, url: 'nowhere'}]", "stations: {"} {
			if text != "" {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(3 * look)
			synctest.Wait()
			if want := min(i, 1); len(h.List()) != want || len(errs) != i+1 || (errs[i] != nil) != (i > 0) {
				t.Errorf("step %d: %v, %v", i, h.List(), errs)
			}
		}
	})
}
