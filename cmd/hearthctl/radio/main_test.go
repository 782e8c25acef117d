package radio

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/media"
	"hearthd/rigs/ctltest"
)

func TestMain(m *testing.M) {
	ctltest.Main(m, func() { ctl.Execute(ctl.Root("test", Command)) })
}

// configured is a hearthd with a file of stations, and a directory or none.
func configured(t *testing.T, directory string) (f *ctltest.Fake, file string) {
	t.Helper()
	f, file = ctltest.NewFake(t), filepath.Join(t.TempDir(), "stations.yaml")
	settings := []map[string]string{{"key": "media.stations", "value": file}, {"key": "media.decoder", "value": "ffmpeg"},
		{"key": "media.directory", "value": fmt.Sprintf("%q", directory)}}
	body, err := json.Marshal(map[string]any{"file": "/etc/hearthd/hearthd.yaml", "running": settings})
	if err != nil {
		t.Fatal(err)
	}
	f.Answer("/v1/config", 200, string(body))
	return f, file
}

func TestStationsAreAddedListedAndRemoved(t *testing.T) {
	f, file := configured(t, "")
	dead := func(name string) ctltest.Outcome { // nobody listens on the port of tcpmux
		return ctltest.Outcome{Stdout: name + " is added.\n", Stderr: "But now " + name +
			" does not play: it cannot be reached. To try it again: hearthctl radio try \"" + name + "\"; to take it off: " +
			"hearthctl radio remove \"" + name + "\"\n"}
	}
	for _, step := range []struct {
		args []string
		want ctltest.Outcome
	}{
		{[]string{"list"}, ctltest.Outcome{Stdout: "no stations; hearthctl radio add NAME URL adds one\n"}},
		{[]string{"add", "FM4", "http://127.0.0.1:1/old"}, dead("FM4")},
		{[]string{"add", "Ö1", "http://127.0.0.1:1/oe1"}, dead("Ö1")},
		{[]string{"add", "fm4", "http://127.0.0.1:1/fm4", "--alias", "eff em four"}, ctltest.Outcome{
			Stdout: "fm4 is added, in place of FM4: http://127.0.0.1:1/old\n",
			Stderr: "But now fm4 does not play: it cannot be reached. To try it again: hearthctl radio try \"fm4\"; to have " +
				"what was there: hearthctl radio add \"FM4\" http://127.0.0.1:1/old\n"}},
		{[]string{"list"}, ctltest.Outcome{
			Stdout: "Ö1: http://127.0.0.1:1/oe1\nfm4, eff em four: http://127.0.0.1:1/fm4\n"}},
		{[]string{"remove", "Ö1"}, ctltest.Outcome{}},
		{[]string{"remove", "Ö1"}, ctltest.Outcome{Stderr: "hearthctl: there is no station \"Ö1\"\n", Code: 1}},
		{[]string{"add", "A", "file:///etc/passwd"}, ctltest.Outcome{
			Stderr: "hearthctl: station \"A\": want the address of a stream, http:// or https://\n", Code: 1}},
	} {
		f.Run(t, append([]string{"radio"}, step.args...)...).Expect(t, step.want)
	}
	if list, err := media.ReadStations(file); err != nil || len(list) != 1 || list[0].Name != "fm4" {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestAStationIsTried(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mp3")
	if out, err := exec.Command("ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "sine=duration=4", path).
		CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/a" {
			http.NotFound(w, r)
			return
		}
		http.ServeFile(w, r, path)
	}))
	defer server.Close()
	f, _ := configured(t, "")
	f.Run(t, "radio", "add", "One", server.URL+"/a").Expect(t,
		ctltest.Outcome{Stdout: "One can be played now.\n"})
	f.Run(t, "radio", "add", "One", server.URL+"/a?x").Expect(t,
		ctltest.Outcome{Stdout: "One can be played now, in place of One: " + server.URL + "/a\n"})
	if got := f.Run(t, "radio", "try", "one"); got.Code != 0 || !strings.HasPrefix(got.Stdout, "One plays, -2") {
		t.Errorf("%+v", got)
	}
	f.Run(t, "radio", "try", server.URL+"/b").Expect(t, ctltest.Outcome{
		Stderr: "hearthctl: " + server.URL + "/b does not play: its server does not have it\n", Code: 1})
}

func TestTheDirectoryIsAskedOnlyWhereItMayBe(t *testing.T) {
	asked := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Path + " " + r.URL.Query().Get("name")
		fmt.Fprint(w, `[{"name":" Jazz \u001b[2J","url_resolved":"http://a/","country":"Austria","codec":"MP3",
			"bitrate":128}]`)
	}))
	defer server.Close()
	f, _ := configured(t, "")
	if got := f.Run(t, "radio", "search", "jazz"); got.Code != 1 ||
		!strings.Contains(got.Stderr, "no directory may be asked") {
		t.Errorf("%+v", got)
	}
	f, _ = configured(t, server.URL)
	got := f.Run(t, "radio", "search", "smooth", "jazz")
	if asked != "/json/stations/search smooth jazz" || got.Code != 0 || strings.Contains(got.Stdout, "\x1b") ||
		!strings.Contains(got.Stdout, "(Austria, MP3 128 kbit/s): http://a/") {
		t.Errorf("asked %s: %+v", asked, got)
	}
}
