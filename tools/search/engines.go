package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
)

var (
	errNoJSON  = errors.New("the instance does not answer in JSON: add json to search.formats in its settings.yml")
	errKey     = errors.New("the key is refused")
	errEngines = errors.New("no engine behind the instance answers")
)

// failure tells a person about an error of the engine.
func (s *search) failure(err error) error {
	say, service := "", s.Book.Part("search.service")
	switch {
	case errors.Is(err, errNoJSON):
		say = s.Book.Say("search.no_json")
	case errors.Is(err, errKey):
		say = s.Book.Say("fetch.locked", phrase.Args{"service": service})
	case errors.Is(err, errEngines):
		say = s.Book.Say("search.no_engines")
	default:
		return fetch.Failure(s.Book, service, err)
	}
	return &tools.Failure{Say: say, Cause: fmt.Errorf("search the web: %w", err)}
}

// searxng asks an instance of SearXNG (docs.searxng.org, "Search API"). It answers 403 to
// formats that its settings do not allow.
func (s *search) searxng(ctx context.Context, query string, count int) ([]result, error) {
	q := url.Values{"q": {query}, "format": {"json"}, "safesearch": {"1"}}
	var body struct {
		Results []struct {
			Title   string `json:"title"`
			URL     string `json:"url"`
			Content string `json:"content"`
		} `json:"results"`
		Answers   []json.RawMessage `json:"answers"` // texts, or since 2025 objects
		Infoboxes []struct {
			Infobox string `json:"infobox"`
			Content string `json:"content"`
			ID      string `json:"id"`
		} `json:"infoboxes"`
		Unresponsive []json.RawMessage `json:"unresponsive_engines"` // pairs of name and reason
	}
	err := s.Client.JSON(ctx, fetch.Request{
		URL: strings.TrimRight(s.SearXNG, "/") + "/search?" + q.Encode(), Header: acceptJSON(),
	}, &body)
	if refused, ok := errors.AsType[*fetch.StatusError](err); ok && refused.Code == http.StatusForbidden {
		return nil, errNoJSON
	}
	if err != nil {
		return nil, err
	}
	var found []result
	for _, raw := range body.Answers {
		if a := readAnswer(raw); a.Snippet != "" && len(found) < count {
			found = append(found, a)
		}
	}
	for _, b := range body.Infoboxes {
		if r, ok := take(b.Infobox, b.ID, b.Content); ok && r.Snippet != "" && len(found) < count {
			found = append(found, r)
		}
	}
	for _, b := range body.Results {
		if r, ok := take(b.Title, b.URL, b.Content); ok && len(found) < count {
			found = append(found, r)
		}
	}
	if len(found) == 0 && len(body.Unresponsive) > 0 {
		return nil, fmt.Errorf("%w: %s", errEngines, fetch.Line(string(joinRaw(body.Unresponsive)), 200))
	}
	return found, nil
}

func acceptJSON() http.Header { return http.Header{"Accept": {"application/json"}} }

// readAnswer reads an answer that the instance found itself, without a page.
func readAnswer(raw json.RawMessage) result {
	var text string
	var object struct {
		Answer string `json:"answer"`
		URL    string `json:"url"`
	}
	if json.Unmarshal(raw, &text) == nil {
		object.Answer = text
	} else if json.Unmarshal(raw, &object) != nil {
		return result{}
	}
	r, _ := take("Answer", object.URL, object.Answer)
	r.Title = "Answer"
	return r
}

func joinRaw(list []json.RawMessage) []byte {
	joined, _ := json.Marshal(list[:min(len(list), 10)]) // they came from JSON
	return joined
}

// brave asks Brave Search. It answers 422 to a key that it does not know.
func (s *search) brave(ctx context.Context, query string, count int) ([]result, error) {
	words := strings.Fields(query)
	query = strings.Join(words[:min(len(words), 50)], " ") // it accepts 50 words
	q := url.Values{"q": {query}, "count": {strconv.Itoa(count)}, "safesearch": {"moderate"},
		"text_decorations": {"false"}}
	var body struct {
		Web struct {
			Results []struct {
				Title       string `json:"title"`
				URL         string `json:"url"`
				Description string `json:"description"`
			} `json:"results"`
		} `json:"web"`
	}
	err := s.Client.JSON(ctx, fetch.Request{
		URL: s.Brave + "?" + q.Encode(), KeyHeader: "X-Subscription-Token", Key: s.Key, Header: acceptJSON(),
	}, &body)
	if err != nil {
		return nil, braveReason(err)
	}
	var found []result
	for _, b := range body.Web.Results {
		if r, ok := take(b.Title, b.URL, b.Description); ok && len(found) < count {
			found = append(found, r)
		}
	}
	return found, nil
}

// braveReason reads {"type":"ErrorResponse","error":{"code":…,"detail":…}}.
func braveReason(err error) error {
	var refused *fetch.StatusError
	var body struct {
		Error struct {
			Code   string `json:"code"`
			Detail string `json:"detail"`
		} `json:"error"`
	}
	if !errors.As(err, &refused) || json.Unmarshal(refused.Body, &body) != nil {
		return err
	}
	err = fetch.Named(err, body.Error.Code+": "+body.Error.Detail)
	if strings.HasPrefix(body.Error.Code, "SUBSCRIPTION_TOKEN") {
		return fmt.Errorf("%w: %w", errKey, err)
	}
	return err
}
