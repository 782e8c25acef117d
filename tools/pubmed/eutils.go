package pubmed

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"hearthd/tools/fetch"
)

const (
	tool        = "hearthd" // by which the NCBI knows the program
	maxTitle    = 300       // runes
	maxAbstract = 5000
	maxDepth    = 100
)

var (
	pmid = regexp.MustCompile(`^[0-9]{1,9}$`)
	year = regexp.MustCompile(`^[0-9]{4}`)
)

// ask sends a request to one of the utilities, at the rate that is allowed.
func (p *pubmed) ask(ctx context.Context, utility string, q url.Values) ([]byte, error) {
	q.Set("db", "pubmed")
	q.Set("tool", tool)
	if p.Email != "" {
		q.Set("email", p.Email)
	}
	if p.Key != "" {
		q.Set("api_key", p.Key)
	}
	if err := p.pace.wait(ctx); err != nil {
		return nil, err
	}
	a, err := p.Client.Get(ctx, fetch.Request{URL: strings.TrimRight(p.URL, "/") + "/" + utility + ".fcgi?" +
		q.Encode()})
	if err != nil {
		return nil, fetch.WithReason(err, "error")
	}
	return a.Body, nil
}

// ids searches. Mistakes in the query are in the answer.
func (p *pubmed) ids(ctx context.Context, query string, count int) ([]string, error) {
	q := url.Values{"term": {query}, "retmode": {"json"}, "retmax": {strconv.Itoa(count)}, "sort": {"relevance"}}
	data, err := p.ask(ctx, "esearch", q)
	if err != nil {
		return nil, err
	}
	var body struct {
		Result struct {
			IDs   []string `json:"idlist"`
			Error string   `json:"ERROR"`
		} `json:"esearchresult"`
		Error string `json:"error"`
	}
	if err := json.Unmarshal(data, &body); err != nil {
		return nil, fmt.Errorf("read search: %w", err)
	}
	if text := body.Result.Error + body.Error; text != "" {
		return nil, fmt.Errorf("search papers: %s", fetch.Line(text, 200))
	}
	var ids []string
	for _, id := range body.Result.IDs {
		if pmid.MatchString(id) && len(ids) < count {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// summaries describes papers, in the order of ids. A paper with an error instead of a summary
// is left out. Titles are escaped HTML.
func (p *pubmed) summaries(ctx context.Context, ids []string) ([]paper, error) {
	q := url.Values{"id": {strings.Join(ids, ",")}, "retmode": {"json"}, "version": {"2.0"}}
	data, err := p.ask(ctx, "esummary", q)
	if err != nil {
		return nil, err
	}
	var body struct {
		Result map[string]json.RawMessage `json:"result"` // by id, and "uids"
	}
	if err := json.Unmarshal(data, &body); err != nil {
		return nil, fmt.Errorf("read summaries: %w", err)
	}
	var papers []paper
	for _, id := range ids {
		var s struct {
			Title   string `json:"title"`
			Journal string `json:"fulljournalname"`
			Source  string `json:"source"`
			Date    string `json:"pubdate"` // "2021 Nov 4"
			Error   string `json:"error"`
			Authors []struct {
				Name string `json:"name"`
			} `json:"authors"`
		}
		if json.Unmarshal(body.Result[id], &s) != nil || s.Error != "" || s.Title == "" {
			continue
		}
		one := paper{
			ID: id, Title: fetch.Plain(html.UnescapeString(s.Title), maxTitle),
			Journal: fetch.Plain(cmp.Or(s.Journal, s.Source), 80), Year: year.FindString(s.Date),
		}
		for _, a := range s.Authors[:min(len(s.Authors), 10)] {
			one.Authors = append(one.Authors, fetch.Plain(a.Name, 60))
		}
		papers = append(papers, one)
	}
	return papers, nil
}

// fetch returns the abstract of a paper.
func (p *pubmed) fetch(ctx context.Context, id string) (string, error) {
	data, err := p.ask(ctx, "efetch", url.Values{"id": {id}, "rettype": {"abstract"}, "retmode": {"xml"}})
	if err != nil {
		return "", err
	}
	return readAbstract(data)
}

// readAbstract collects the text of AbstractText, whose parts have labels such as RESULTS. It
// builds no tree, so that depth costs nothing, and knows only the entities of XML itself.
func readAbstract(data []byte) (string, error) {
	dec := xml.NewDecoder(bytes.NewReader(data))
	var text strings.Builder
	inside, depth, seen := 0, 0, false
	for {
		t, err := dec.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", fmt.Errorf("read abstract: %w", err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			seen = seen || t.Name.Local == "PubmedArticleSet"
			if depth++; depth > maxDepth {
				return "", errors.New("read abstract: elements are nested too deep")
			}
			if t.Name.Local == "AbstractText" && inside == 0 {
				inside = depth
				text.WriteString(label(t.Attr))
			}
		case xml.EndElement:
			if inside == depth {
				inside = 0
				text.WriteByte(' ')
			}
			depth--
		case xml.CharData:
			if inside > 0 {
				text.Write(t)
			}
		}
	}
	if !seen {
		return "", errors.New("read abstract: it is not a set of articles")
	}
	return fetch.Line(text.String(), maxAbstract), nil
}

func label(attrs []xml.Attr) string {
	for _, a := range attrs {
		if a.Name.Local == "Label" && a.Value != "" {
			return strings.ToUpper(a.Value[:1]) + strings.ToLower(a.Value[1:]) + ": "
		}
	}
	return ""
}
