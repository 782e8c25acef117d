package news

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"hearthd/tools/feed"
	"hearthd/tools/fetch"
)

const (
	maxFeeds = 64
	parallel = 4 // feeds that are fetched at once
	fresh    = 10 * time.Minute
	// usable is how old the last items of a feed may be to stand in while it fails.
	usable = 6 * time.Hour
	// old is the age beyond which a story is no news; some feeds keep theirs for months.
	old = 7 * 24 * time.Hour
)

// feedState is the last answer of a feed, with what a conditional request needs.
type feedState struct {
	items          []item
	etag, modified string
}

// fromFeeds finds the headlines of a topic: those of the feeds about it, or else those of all
// feeds that mention it.
func (n *news) fromFeeds(ctx context.Context, topic string) ([]item, map[string]string, error) {
	feeds, words := n.about(topic), ""
	if len(feeds) == 0 {
		feeds, words = n.Feeds, topic
	}
	lists := make([][]item, len(feeds))
	errs := make([]error, len(feeds))
	var running sync.WaitGroup
	free := make(chan struct{}, parallel)
	for i, f := range feeds {
		running.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			lists[i], errs[i] = n.read(ctx, f)
		})
	}
	running.Wait()
	skipped := make(map[string]string)
	var first error
	failed := 0
	for i, err := range errs {
		if err == nil {
			continue
		}
		failed++
		if first == nil {
			first = err
		}
		skipped[feeds[i].Name] = err.Error()
		n.Log.WarnContext(ctx, "feed skipped",
			"component", "tools", "tool", "news_headlines", "topic", feeds[i].Name, "error", err)
	}
	if failed == len(feeds) && first != nil { // skipped has one entry for feeds of one name
		return nil, skipped, fetch.Failure(n.Book, n.Book.Part("news.feeds"), first)
	}
	return pick(lists, words), skipped, nil
}

// about are the feeds of a topic.
func (n *news) about(topic string) []Feed {
	var list []Feed
	for _, f := range n.Feeds {
		if canonical(f.Topic) == topic {
			list = append(list, f)
		}
	}
	return list
}

// read returns the items of a feed; if it fails, for a while its last ones.
func (n *news) read(ctx context.Context, f Feed) ([]item, error) {
	if s, ok := n.feeds.Get(f.URL); ok {
		return s.items, nil
	}
	last, age, known := n.feeds.Stale(f.URL)
	ask := fetch.Request{URL: f.URL, MaxBytes: maxFeedBytes, Header: http.Header{
		"Accept": {feed.Accept},
	}}
	if known && last.etag != "" {
		ask.Header.Set("If-None-Match", last.etag)
	}
	if known && last.modified != "" {
		ask.Header.Set("If-Modified-Since", last.modified)
	}
	got, err := n.Client.Get(ctx, ask)
	var s *feedState
	switch {
	case err == nil && got.Body == nil && known:
		s = last
	case err == nil:
		s = &feedState{etag: got.Header.Get("ETag"), modified: got.Header.Get("Last-Modified")}
		s.items, err = parse(got.Body)
		for i := range s.items {
			s.items[i].Source = f.Name
		}
	}
	if err != nil {
		if known && age < usable && !errors.Is(err, context.Canceled) {
			return last.items, nil
		}
		return nil, err
	}
	n.feeds.Put(f.URL, s)
	return s.items, nil
}

// pick takes the first item of each feed, then the second of each, and so on, because a feed
// has the most important ones first. It leaves out stories without all the words, old ones,
// and those that another feed has too.
func pick(lists [][]item, words string) []item {
	var picked []item
	seen := make(map[string]bool)
	for row, more := 0, true; more; row++ {
		more = false
		for _, list := range lists {
			if row >= len(list) {
				continue
			}
			more = true
			it := list[row]
			key := strings.ToLower(it.Title)
			if seen[key] || !it.At.IsZero() && time.Since(it.At) > old || !mentions(it, words) {
				continue
			}
			seen[key] = true
			picked = append(picked, it)
		}
	}
	return picked
}

// mentions reports whether for each of the words a word of the story begins with it.
func mentions(it item, words string) bool {
	text := " " + strings.Join(strings.FieldsFunc(strings.ToLower(it.Title+" "+it.Summary), func(r rune) bool {
		return strings.ContainsRune(" .,;:!?()\"'’‘“”-–—/", r)
	}), " ")
	for _, w := range strings.Fields(words) {
		if !strings.Contains(text, " "+w) {
			return false
		}
	}
	return true
}
