package podcast

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	ext "github.com/mmcdole/gofeed/extensions"

	"hearthd/media"
	"hearthd/tools/feed"
	"hearthd/tools/fetch"
)

func TestEpisodesOfAFeedComeTheOldestFirst(t *testing.T) {
	served := map[string]string{
		"/feed": `<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Science Hour</title>
<item><title>Ants &amp; co</title><pubDate>Tue, 10 Nov 2026 06:00:00 GMT</pubDate><enclosure url="/2.mp3" type="audio/mpeg"/><itunes:duration>1:02:03</itunes:duration></item>
<item><title>A text</title><pubDate>Wed, 11 Nov 2026 06:00:00 GMT</pubDate></item>
<item><title>A file</title><enclosure url="file:///etc/passwd" type="audio/mpeg"/></item>
<item><title>Bees</title><pubDate>Mon, 09 Nov 2026 06:00:00 GMT</pubDate><enclosure url="https://cdn.example.org/1.mp3" type="audio/mpeg"/></item>
</channel></rss>`,
		"/page":  "<html><title>no feed</title></html>",
		"/none":  `<rss version="2.0"><channel><title>News</title><item><title>A text</title></item></channel></rss>`,
		"/bomb":  `<!DOCTYPE r [<!ENTITY a "aaaa">]><rss><channel/></rss>`,
		"/large": "<rss>" + strings.Repeat("<!-- -->", 2<<20) + "</rss>",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, ok := served[r.URL.Path]; ok {
			fmt.Fprint(w, text)
			return
		}
		http.NotFound(w, r)
	}))
	defer server.Close()
	client := fetch.New(fetch.Options{})
	list, err := Episodes(t.Context(), client, media.Station{Name: "Science Hour", URL: server.URL + "/feed", Podcast: true})
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if list[0].Title != "Bees" || list[1].Title != "Ants & co" || list[1].URL != server.URL+"/2.mp3" ||
		list[1].Podcast != "Science Hour" || list[1].Live() {
		t.Errorf("%+v", list)
	}
	if list[0].Length != 0 || list[1].Length != time.Hour+2*time.Minute+3*time.Second {
		t.Errorf("they last %v and %v", list[0].Length, list[1].Length)
	}
	for path := range served {
		list, err := Episodes(t.Context(), client, media.Station{Name: "X", URL: server.URL + path})
		if path != "/feed" && (err == nil || len(list) > 0) {
			t.Errorf("%s: %+v", path, list)
		}
		if path != "/feed" && path != "/large" && !errors.Is(err, media.NoSound) {
			t.Errorf("%s: %v", path, err)
		}
	}
	var status *fetch.StatusError
	if _, err := Episodes(t.Context(), client, media.Station{URL: server.URL + "/gone"}); !errors.As(err, &status) {
		t.Errorf("feed that is gone: %v", err)
	}
}

func TestLengthsThatMakeNoSenseAreNone(t *testing.T) {
	for said, want := range map[string]time.Duration{
		"": 0, "90": 90 * time.Second, " 2:05 ": 125 * time.Second, "-5": 0, "1:-1": 0, "soon": 0, "1:2:3:4:5:6:7:8": 0,
		"99999999999999999999": 0, "9999999999": 0,
	} {
		if got := length(&feed.Item{ITunesExt: &ext.ITunesItemExtension{Duration: said}}); got != want {
			t.Errorf("%q: %v, want %v", said, got, want)
		}
	}
}
