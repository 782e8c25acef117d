package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
)

const (
	usual, most = 5, 10 // results
	maxTitle    = 120   // runes
	maxSnippet  = 300
	maxAddress  = 1000
	// known is how long a page may be read after it was found.
	known, maxKnown = time.Hour, 256
)

// Options says which search engine is asked: a SearXNG instance, or Brave with a key.
// Without either there are no tools.
type Options struct {
	Book    *phrase.Book // what is said
	Client  *fetch.Client
	Pages   *fetch.Client // with fetch.Options.Outside, for pages that strangers wrote
	SearXNG string        // address of the instance; preferred to Brave
	Brave   string        // address of Brave Search (api-dashboard.search.brave.com)
	Key     string        // of Brave
}

// result is a search result.
type result struct {
	Title   string `json:"title"`
	URL     string `json:"url,omitempty"`
	Snippet string `json:"snippet,omitempty"`
}

// engine finds up to a number of results.
type engine func(ctx context.Context, query string, count int) ([]result, error)

type search struct {
	Options
	engine engine
	found  *fetch.Cache[string, []result] // by query
	titles *fetch.Cache[string, string]   // of pages that may be read, by address
}

// New makes the tools; none without an engine.
func New(o Options) ([]tools.Tool, error) {
	s := &search{
		Options: o, found: fetch.NewCache[string, []result](64, 10*time.Minute),
		titles: fetch.NewCache[string, string](maxKnown, known),
	}
	switch {
	case o.SearXNG != "":
		s.engine = s.searxng
	case o.Key != "" && o.Brave != "":
		s.engine = s.brave
	default:
		return nil, nil
	}
	if o.Book == nil || o.Client == nil || o.Pages == nil {
		return nil, errors.New("make search tools: a book and two clients are needed")
	}
	return []tools.Tool{
		tools.Query("web_search",
			"Searches the web. The results are short; read one with web_read if they do not suffice.", s.search),
		tools.WithLimits(tools.Query("web_read", "Reads the text of a page that web_search found.", s.read),
			tools.Limits{Timeout: 20 * time.Second}),
	}, nil
}

func (s *search) search(ctx context.Context, a struct {
	Query string `json:"query" need:"yes" min:"1" max:"300" about:"a few words, as for a search engine"`
	Count int    `json:"count" min:"1" max:"10" about:"results, 5 when it is not given"`
}) (tools.Result, error) {
	query := fetch.Line(a.Query, 300)
	if query == "" {
		return tools.Result{}, &tools.ArgumentError{Reason: "the query is empty"}
	}
	count := min(cmp.Or(a.Count, usual), most)
	key := strings.ToLower(query)
	found, ok := s.found.Get(key)
	if !ok {
		var err error
		if found, err = s.engine(ctx, query, most); err != nil {
			return tools.Result{}, s.failure(err)
		}
		s.found.Put(key, found)
	}
	if len(found) == 0 {
		return tools.Result{Text: s.Book.Say("search.nothing", phrase.Args{"query": fetch.Line(query, 80)})}, nil
	}
	found = found[:min(len(found), count)]
	var sources []llm.Source
	for _, r := range found {
		if r.URL != "" {
			s.titles.Put(r.URL, r.Title)
			sources = append(sources, llm.Source{Title: r.Title, URL: r.URL})
		}
	}
	return tools.Result{Text: s.say(found), Data: found, Sources: sources, Foreign: true}, nil
}

// say is one result as it is spoken, or several for a model.
func (s *search) say(found []result) string {
	if len(found) == 1 {
		r := found[0]
		if r.URL == "" {
			return cmp.Or(r.Snippet, r.Title)
		}
		return s.Book.Part("search.says", phrase.Args{"host": host(r.URL), "text": cmp.Or(r.Snippet, r.Title)})
	}
	var b strings.Builder
	for i, r := range found {
		fmt.Fprintf(&b, "%d. %s. %s %s\n", i+1, r.Title, r.Snippet, r.URL)
	}
	return strings.TrimSpace(b.String())
}

// host is the name of a site as it is spoken.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.TrimPrefix(u.Hostname(), "www.")
}

// take cleans a result; false: it has no address.
func take(title, address, snippet string) (result, bool) {
	r := result{Title: fetch.Plain(title, maxTitle), Snippet: fetch.Plain(snippet, maxSnippet)}
	u, err := url.Parse(address)
	web := err == nil && (u.Scheme == "https" || u.Scheme == "http")
	if web && u.Host != "" && u.User == nil && len(address) <= maxAddress {
		r.URL = u.String()
	}
	if r.Title == "" {
		r.Title = host(r.URL)
	}
	return r, r.URL != ""
}
