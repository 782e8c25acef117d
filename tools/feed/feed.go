// Package feed reads RSS 0.9 to 2.0 and Atom, which strangers wrote, within bounds. It runs no goroutine.
package feed

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html/charset"
)

// MaxBytes bounds a feed, unpacked: those of newspapers have some 100 KB, those of podcasts with a decade of episodes
// some MB.
const MaxBytes = 8 << 20

const (
	maxDepth = 50 // of nested elements, because the parser of feeds recurses
	// maxItems is what is kept of a feed.
	maxItems = 300
)

// Why a feed is refused.
var (
	errNoFeed   = errors.New("it is no RSS or Atom feed")
	errEntities = errors.New("it declares entities of its own")
	errDepth    = fmt.Errorf("its elements are nested deeper than %d", maxDepth)
)

// Accept is what to ask a server for.
const Accept = "application/rss+xml, application/atom+xml, application/xml;q=0.9, */*;q=0.5"

// Item is an entry of a feed.
type Item = gofeed.Item

// Read gives the items of a feed, the first of them if there are very many.
func Read(data []byte) (items []*Item, err error) {
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
	return feed.Items[:min(len(feed.Items), maxItems)], nil
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
