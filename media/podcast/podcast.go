// Package podcast asks feeds for their episodes. It runs no goroutine.
package podcast

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"hearthd/media"
	"hearthd/tools/feed"
	"hearthd/tools/fetch"
)

const (
	// maxEpisodes is what is kept of a podcast: the newest ones.
	maxEpisodes = 100
	maxURL      = 2000          // bytes
	maxTitle    = 200           // runes
	maxLength   = 100 * 60 * 60 // seconds
)

// Episodes gives the newest episodes of a podcast, the oldest of them first. The error is that of fetch, or a
// media.Problem: NoSound for what is no feed of episodes.
func Episodes(ctx context.Context, client *fetch.Client, s media.Station) ([]media.Item, error) {
	got, err := client.Get(ctx, fetch.Request{URL: s.URL, MaxBytes: feed.MaxBytes,
		Header: http.Header{"Accept": {feed.Accept}}})
	if err != nil {
		return nil, err
	}
	all, err := feed.Read(got.Body)
	if err != nil {
		return nil, media.NoSound
	}
	// Feeds have the newest first, but some do not.
	slices.SortStableFunc(all, func(a, b *feed.Item) int {
		if a.PublishedParsed == nil || b.PublishedParsed == nil {
			return 0
		}
		return b.PublishedParsed.Compare(*a.PublishedParsed)
	})
	var list []media.Item
	for _, it := range all {
		if url := sound(it, got.URL); url != "" && len(list) < maxEpisodes {
			list = append(list, media.Item{Podcast: s.Name, URL: url, Outside: !got.Inside,
				Title: fetch.Plain(it.Title, maxTitle), Length: length(it)})
		}
	}
	if len(list) == 0 {
		return nil, media.NoSound
	}
	slices.Reverse(list)
	return list, nil
}

// sound is the address of what is heard of an episode, or empty.
func sound(it *feed.Item, base *url.URL) string {
	for _, e := range it.Enclosures {
		if e == nil || e.Type != "" && !strings.HasPrefix(e.Type, "audio/") && !strings.HasPrefix(e.Type, "video/") {
			continue
		}
		u, err := base.Parse(strings.TrimSpace(e.URL))
		if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && len(e.URL) <= maxURL {
			return u.String()
		}
	}
	return ""
}

// length is what a feed says of an episode: seconds, or hours, minutes and seconds; 0: it says nothing.
func length(it *feed.Item) time.Duration {
	if it.ITunesExt == nil {
		return 0
	}
	seconds := 0
	for _, part := range strings.Split(strings.TrimSpace(it.ITunesExt.Duration), ":") {
		n, err := strconv.Atoi(part)
		if seconds = seconds*60 + n; err != nil || n < 0 || seconds > maxLength {
			return 0
		}
	}
	return time.Duration(seconds) * time.Second
}
