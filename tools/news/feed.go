package news

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html/charset"

	"hearthd/tools/fetch"
)

const (
	maxFeedBytes = 4 << 20 // unpacked; those of newspapers have some 100 KB
	maxDepth     = 50      // of nested elements, because the parser of feeds recurses
	maxItems     = 100     // of a feed
	maxTitle     = 200     // runes
	maxSummary   = 500
)

// Why a feed is skipped.
var (
	errNoFeed   = errors.New("it is no RSS or Atom feed")
	errEntities = errors.New("it declares entities of its own")
	errDepth    = fmt.Errorf("its elements are nested deeper than %d", maxDepth)
)

// parse reads RSS 0.9 to 2.0 and Atom.
func parse(data []byte) (items []item, err error) {
	if err := inspect(data); err != nil {
		return nil, err
	}
	defer func() { // the parser may panic on bytes that strangers wrote
		if p := recover(); p != nil {
			items, err = nil, fmt.Errorf("read feed: panic: %v", p)
		}
	}()
	feed, err := gofeed.NewParser().Parse(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read feed: %w", err)
	}
	for _, it := range feed.Items[:min(len(feed.Items), maxItems)] {
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
	return items, nil
}

// inspect reads the elements of a document without keeping them. It refuses what is no feed,
// and what could harm its parser.
func inspect(data []byte) error {
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.Strict = false
	dec.CharsetReader = charset.NewReaderLabel
	dec.Entity = xml.HTMLEntity
	depth, root := 0, ""
	for {
		t, err := dec.RawToken()
		if errors.Is(err, io.EOF) || err != nil && root != "" {
			break // the parser decides how much of a broken feed it can read
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errNoFeed, err)
		}
		switch t := t.(type) {
		case xml.Directive:
			if bytes.Contains(bytes.ToUpper(t), []byte("ENTITY")) {
				return errEntities
			}
		case xml.StartElement:
			if root == "" {
				if root = strings.ToLower(t.Name.Local); root != "rss" && root != "feed" && root != "rdf" {
					return errNoFeed
				}
			}
			if depth++; depth > maxDepth {
				return errDepth
			}
		case xml.EndElement:
			depth--
		}
	}
	if root == "" {
		return errNoFeed
	}
	return nil
}

// link is text if it is the address of a page, or else empty.
func link(text string) string {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || len(text) > 1000 {
		return ""
	}
	return u.String()
}
