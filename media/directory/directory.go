// Package directory asks a directory of radio stations on the internet, with the interface of Radio Browser. It runs no
// goroutine.
package directory

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"hearthd/media"
	"hearthd/tools/fetch"
)

const (
	limit    = 12       // stations
	maxBytes = 64 << 10 // of an answer: 12 stations have 20 KB
	maxName  = 40       // runes: a question names a station and its country
)

// Search gives the stations whose names have some words, those first that most people like, each name once. The error
// is that of fetch.
func Search(ctx context.Context, client *fetch.Client, at, words string) ([]media.Found, error) {
	query := url.Values{"name": {words}, "limit": {strconv.Itoa(limit)}, "hidebroken": {"true"}, "order": {"votes"},
		"reverse": {"true"}}
	got, err := client.Get(ctx, fetch.Request{URL: strings.TrimRight(at, "/") + "/json/stations/search?" + query.Encode(),
		MaxBytes: maxBytes, Header: http.Header{"Accept": {"application/json"}}})
	if err != nil {
		return nil, err
	}
	var all []media.Found
	if err := json.Unmarshal(got.Body, &all); err != nil {
		return nil, fmt.Errorf("read stations of the directory: %w", err)
	}
	list, seen := []media.Found{}, map[string]bool{}
	for _, f := range all {
		f.Name, f.Country = fetch.Line(f.Name, maxName), fetch.Line(f.Country, maxName)
		name := strings.ToLower(f.Name)
		if seen[name] || f.Check() != nil {
			continue
		}
		seen[name], f.Outside = true, !got.Inside
		list = append(list, f)
	}
	return list, nil
}
