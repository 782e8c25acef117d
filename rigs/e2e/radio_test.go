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

func TestStationOfTheDirectoryIsPlayedAfterAYesAndWhereThatIsAllowed(t *testing.T) {
	url, asked := station(t), make(chan string, 10)
	directory := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Query().Get("name")
		if r.URL.Query().Get("name") != "jazz" {
			fmt.Fprint(w, "[]")
			return
		}
		fmt.Fprintf(w, `[{"name":"Jazz FM","url_resolved":%q,"country":"Austria"},{"name":"Smooth Jazz","url_resolved":%q}]`, url, url)
	}))
	t.Cleanup(directory.Close)
	k := newKitchen(t, "HEARTHD_MEDIA_VOLUME=100", "HEARTHD_AUDIO_VOLUME=100")
	k.begin()
	if doc := k.ask("look for jazz radio"); !strings.HasPrefix(doc.Answer, "I may not look for stations on the internet.") {
		t.Errorf("%+v", doc)
	}
	check(t, k.Stop())
	k.begin("HEARTHD_MEDIA_DIRECTORY=" + directory.URL)
	if doc := k.ask("find a station called polka"); doc.Answer != "The directory has no station called polka." {
		t.Errorf("%+v", doc)
	}
	doc := k.ask("look for jazz radio")
	if doc.Question != "I found Jazz FM, from Austria. Shall I play it?" || doc.Answer != doc.Question {
		t.Fatalf("%+v", doc)
	}
	if doc := k.ask("what is playing"); doc.Answer != "Nothing is playing." {
		t.Errorf("before anybody agreed: %+v", doc)
	}
	if doc := k.ask("play jazz fm"); !strings.HasPrefix(doc.Answer, "I find nothing called jazz fm.") {
		t.Errorf("before anybody agreed: %+v", doc)
	}
	doc = k.ask("look for jazz radio")
	if doc := k.agree(doc.Question); doc.Answer != "Jazz FM." {
		t.Errorf("%+v", doc)
	}
	k.audible(k.played())
	if doc := k.ask("add this to my favourites"); doc.Answer != "Jazz FM is a favourite now." {
		t.Errorf("%+v", doc)
	}
	check(t, k.Stop())
	k.begin()
	if doc := k.ask("play jazz fm"); doc.Answer != "Jazz FM." {
		t.Errorf("a favourite is not known by its name: %+v", doc)
	}
	if n := len(asked); n != 4 {
		t.Errorf("the directory was asked %d times", n)
	}
}

// Whatever a station sends, it is music or a sentence.
func TestWhatAStationSendsIsPlayedOrToldInASentence(t *testing.T) {
	dir := t.TempDir()
	encoded := func(name string, args ...string) http.HandlerFunc {
		path := filepath.Join(dir, name)
		if out, err := exec.Command("ffmpeg", append(append([]string{"-loglevel", "error"}, args...), path)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, path) }
	}
	sine := []string{"-f", "lavfi", "-i", "sine=frequency=440:duration=30", "-af", "volume=4"}
	server := http.NewServeMux()
	server.HandleFunc("/video", encoded("v.mkv", "-f", "lavfi", "-i", "testsrc=duration=2:size=64x64", "-c:v", "mjpeg"))
	server.HandleFunc("/film", encoded("f.mkv", append([]string{"-f", "lavfi", "-i", "testsrc=duration=30:size=64x64", "-c:v",
		"mjpeg"}, sine...)...))
	server.HandleFunc("/studio", encoded("s.wav", append(sine, "-ar", "96000", "-ac", "2")...))
	server.HandleFunc("/mono", encoded("m.mp3", append(sine, "-ar", "16000", "-ac", "1")...))
	server.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "audio/x-mpegurl")
		for _, err := fmt.Fprintln(w, "#EXTM3U"); err == nil && r.Context().Err() == nil; {
			_, err = fmt.Fprintln(w, "http://127.0.0.1:1/x")
		}
	})
	server.HandleFunc("/header", func(w http.ResponseWriter, r *http.Request) { // a part of 4 GB before the sound
		w.Header().Set("Content-Type", "audio/wav")
		for _, err := w.Write([]byte("RIFF\xff\xff\xff\xffWAVELIST\xff\xff\xff\xf0")); err == nil && r.Context().Err() == nil; {
			_, err = w.Write(make([]byte, 1<<20))
		}
	})
	s := httptest.NewServer(server)
	t.Cleanup(s.Close)
	list := "stations: [{name: Dead, url: 'http://127.0.0.1:1/'}"
	for _, name := range []string{"gone", "video", "film", "studio", "mono", "endless", "header"} {
		list += fmt.Sprintf(", {name: %s, url: '%s/%s'}", name, s.URL, name)
	}
	file := filepath.Join(dir, "stations.yaml")
	check(t, os.WriteFile(file, []byte(list+"]\n"), 0o600))
	k := newKitchen(t, "HEARTHD_MEDIA_STATIONS="+file, "HEARTHD_MEDIA_VOLUME=100", "HEARTHD_AUDIO_VOLUME=100")
	k.begin()
	for name, want := range map[string]string{
		"dead": "I can't reach Dead right now.", "gone": "Gone is not where it was.",
		"video":   "What video sends is no sound that I can play.",
		"endless": "The playlist of endless leads to nothing that plays.", "header": "Header sends nothing that I can play.",
		"film": "Film.", "studio": "Studio.", "mono": "Mono.",
	} {
		if doc := k.ask("play the station " + name); doc.Answer != want {
			t.Errorf("%s: %+v", name, doc)
		}
		k.await("an idle box", func(s Status) bool { return s.State == "idle" })
		if strings.EqualFold(want, name+".") {
			k.audible(k.played())
		}
	}
}
