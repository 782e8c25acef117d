package pubmed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
)

const (
	usual, most = 5, 10
	// Requests per second without a key and with one, by the same source.
	withoutKey, withKey = 3, 10
)

// Options says whom to ask. An empty URL means that there is no PubMed.
type Options struct {
	Book   *phrase.Book // what is said
	Client *fetch.Client
	URL    string
	Email  string // to which the NCBI writes before it blocks an address; may be empty
	Key    string // may be empty
}

type pubmed struct {
	Options
	pace  *pacer
	found *fetch.Cache[string, []paper]
}

// paper is an entry of PubMed.
type paper struct {
	ID      string   `json:"pmid"`
	Title   string   `json:"title"`
	Journal string   `json:"journal,omitempty"`
	Year    string   `json:"year,omitempty"`
	Authors []string `json:"authors,omitempty"`
}

// New makes the tools; none without an address.
func New(o Options) ([]tools.Tool, error) {
	if o.URL == "" {
		return nil, nil
	}
	if o.Book == nil || o.Client == nil {
		return nil, errors.New("make pubmed tools: a book and a client are needed")
	}
	rate := withoutKey
	if o.Key != "" {
		rate = withKey
	}
	p := &pubmed{
		Options: o, pace: &pacer{every: time.Second / time.Duration(rate)},
		found: fetch.NewCache[string, []paper](64, time.Hour),
	}
	limits := tools.Limits{Timeout: 20 * time.Second} // a call makes two requests
	return []tools.Tool{
		tools.WithLimits(tools.Query("pubmed_search", "Finds papers of medicine and biology in PubMed.", p.search),
			limits),
		tools.WithLimits(tools.Query("pubmed_abstract",
			"Reads the abstract of a paper that pubmed_search found.", p.abstract), limits),
	}, nil
}

func (p *pubmed) search(ctx context.Context, a struct {
	Query string `json:"query" need:"yes" min:"2" max:"200" about:"words of the field, or PubMed syntax"`
	Count int    `json:"count" min:"1" max:"10" about:"papers, 5 when it is not given"`
}) (tools.Result, error) {
	query, count := fetch.Line(a.Query, 200), min(cmp.Or(a.Count, usual), most)
	key := fmt.Sprint(count, " ", strings.ToLower(query))
	papers, ok := p.found.Get(key)
	if !ok {
		ids, err := p.ids(ctx, query, count)
		if err == nil && len(ids) > 0 {
			papers, err = p.summaries(ctx, ids)
		}
		if err != nil {
			return tools.Result{}, fetch.Failure(p.Book, p.Book.Part("pubmed.service"), err)
		}
		p.found.Put(key, papers)
	}
	if len(papers) == 0 {
		return tools.Result{Text: p.Book.Say("pubmed.nothing", phrase.Args{"query": query})}, nil
	}
	var sources []llm.Source
	for _, one := range papers {
		sources = append(sources, one.source())
	}
	return tools.Result{Text: p.say(papers), Data: papers, Sources: sources, Foreign: true}, nil
}

func (p *pubmed) abstract(ctx context.Context, a struct {
	ID string `json:"pmid" need:"yes" pattern:"^[0-9]{1,9}$" about:"number of a paper, as pubmed_search tells it"`
}) (tools.Result, error) {
	text, err := p.fetch(ctx, a.ID)
	if err != nil {
		return tools.Result{}, fetch.Failure(p.Book, p.Book.Part("pubmed.service"), err)
	}
	if text == "" {
		return tools.Result{Text: p.Book.Say("pubmed.no_abstract")}, nil
	}
	source := paper{ID: a.ID, Title: "PubMed " + a.ID}.source()
	return tools.Result{Text: text, Data: a, Sources: []llm.Source{source}, Foreign: true}, nil
}

func (p paper) source() llm.Source {
	return llm.Source{Title: p.Title, URL: "https://pubmed.ncbi.nlm.nih.gov/" + p.ID + "/"}
}

// say is one paper as it is spoken, or several for a model.
func (p *pubmed) say(papers []paper) string {
	if len(papers) == 1 {
		one := papers[0]
		return p.Book.Part("pubmed.paper", phrase.Args{
			"title": strings.TrimRight(one.Title, "."), "journal": one.Journal, "year": one.Year,
		})
	}
	var b strings.Builder
	for i, one := range papers {
		by := ""
		if len(one.Authors) > 0 {
			by = " By " + p.Book.List(one.Authors[:min(len(one.Authors), 3)]) + "."
		}
		from := strings.TrimSpace(one.Journal + " " + one.Year)
		fmt.Fprintf(&b, "%d. %s.%s %s. PMID %s\n", i+1, strings.TrimRight(one.Title, "."), by, from, one.ID)
	}
	return strings.TrimSpace(b.String())
}
