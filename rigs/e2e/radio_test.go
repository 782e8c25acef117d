package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/rigs/testcard"
)

// station sends a tone for ever, as a radio station does.
func station(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tone.mp3")
	if out, err := exec.Command("ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=5", "-af",
		"volume=4", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	tone, err := os.ReadFile(path)
	check(t, err)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "audio/mpeg")
		for r.Context().Err() == nil {
			if _, err := w.Write(tone); err != nil {
				return
			}
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// stations writes the file of a household's stations, all of which send the tone.
func stations(t testing.TB, names ...string) string {
	t.Helper()
	list, url := "stations:\n", station(t)
	for _, name := range names {
		list += fmt.Sprintf("- {name: %q, url: %q}\n", name, url)
	}
	file := filepath.Join(t.TempDir(), "stations.yaml")
	check(t, os.WriteFile(file, []byte(list), 0o600))
	return file
}

func TestRadioPlaysUntilSomebodyPausesIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stations.yaml")
	check(t, os.WriteFile(file, []byte("stations: [{name: Radio One, url: \""+station(t)+"\"}]\n"), 0o600))
	k := newKitchen(t, "HEARTHD_MEDIA_STATIONS="+file, "HEARTHD_MEDIA_VOLUME=100", "HEARTHD_AUDIO_VOLUME=100")
	k.begin()
	if doc := k.ask("play radio one"); doc.Outcome != "answered" || doc.Answer != "Radio One." {
		t.Fatalf("%+v", doc)
	}
	k.await("an idle box", func(s Status) bool { return s.State == "idle" })
	k.audible(k.played())
	if doc := k.ask("pause the radio"); doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}
	k.await("an idle box", func(s Status) bool { return s.State == "idle" })
	from := k.played()
	k.await("a second of 16 bits", func(Status) bool { return k.played() > from+2*testcard.Rate })
	if n := peak(k.sound(from)); n > loud {
		t.Errorf("what is paused is heard: %d", n)
	}
	if doc := k.ask("wake me with radio one at seven"); !strings.HasSuffix(doc.Answer, ", with Radio One.") {
		t.Errorf("%+v", doc)
	}
	if doc := k.ask("what alarms do i have"); !strings.HasSuffix(doc.Answer, ", with Radio One.") {
		t.Errorf("%+v", doc)
	}
}
