package news

import (
	"net/url"
	"strings"

	"hearthd/tools/feed"
	"hearthd/tools/fetch"
)

const (
	maxFeedBytes = 4 << 20 // unpacked; those of newspapers have some 100 KB
	maxItems     = 100     // of a feed
	maxTitle     = 200     // runes
	maxSummary   = 500
)

// parse gives the headlines of a feed.
func parse(data []byte) (items []item, err error) {
	all, err := feed.Read(data)
	for _, it := range all[:min(len(all), maxItems)] {
		title := fetch.Plain(it.Title, maxTitle)
		if title == "" {
			continue
		}
		one := item{Title: title, Summary: fetch.Plain(it.Description, maxSummary), Link: link(it.Link)}
		if one.Summary == "" {
			one.Summary = fetch.Plain(it.Content, maxSummary)
		}
		switch {
		case it.PublishedParsed != nil:
			one.At = *it.PublishedParsed
		case it.UpdatedParsed != nil:
			one.At = *it.UpdatedParsed
		}
		items = append(items, one)
	}
	return items, err
}

// link is text if it is the address of a page, or else empty.
func link(text string) string {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || len(text) > 1000 {
		return ""
	}
	return u.String()
}
