package directory

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/media"
	"hearthd/tools/fetch"
)

func TestWhatStrangersWroteIntoTheDirectoryIsBounded(t *testing.T) {
	asked, answer := "", ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.String()
		fmt.Fprint(w, answer)
	}))
	defer server.Close()
	client := fetch.New(fetch.Options{})
	answer = `[{"name":" Jazz \u001b[2J\nFM ","url_resolved":"https://a.example/","country":"Austria","codec":"MP3","bitrate":128},
		{"name":"Files","url_resolved":"file:///etc/passwd"}, {"name":"jazz [2J FM","url_resolved":"https://b.example/"},
		{"name":"","url_resolved":"https://c.example/"}, {"name":"No address"},
		{"name":"` + strings.Repeat("Long ", 100) + `","url_resolved":"https://d.example/"}]`
	list, err := Search(t.Context(), client, server.URL+"/", "smooth jazz & more")
	want := []media.Found{{Name: "Jazz [2J FM", URL: "https://a.example/", Country: "Austria", Codec: "MP3", Bitrate: 128},
		{Name: strings.TrimSpace(strings.Repeat("Long ", maxName/5)) + " …", URL: "https://d.example/"}}
	if diff := cmp.Diff(want, list); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if asked != "/json/stations/search?hidebroken=true&limit=12&name=smooth+jazz+%26+more&order=votes&reverse=true" {
		t.Errorf("asked %s", asked)
	}
	if it := list[0].Item(); it.Outside || !it.Found || !it.Live() { // for this directory is one of the house
		t.Errorf("%+v", it)
	}
	answer = "[" + strings.Repeat(" ", maxBytes) + "]"
	if list, err := Search(t.Context(), client, server.URL, "x"); err == nil {
		t.Errorf("an endless answer: %+v", list)
	}
}
