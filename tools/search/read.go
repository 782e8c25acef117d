package search

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/fetch"
)

const (
	maxPage = 3 << 20 // bytes
	maxText = 6000    // runes that a model is given
)

func (s *search) read(ctx context.Context, a struct {
	URL string `json:"url" need:"yes" min:"1" max:"1000" about:"address of a result of web_search"`
}) (tools.Result, error) {
	title, ok := s.titles.Get(a.URL)
	if !ok {
		return tools.Result{}, &tools.ArgumentError{Reason: "web_search did not find this address lately; " +
			"only addresses that it found can be read, as they stand there"}
	}
	header := http.Header{"Accept": {"text/html, text/plain;q=0.8"}}
	page, err := s.Pages.Get(ctx, fetch.Request{URL: a.URL, MaxBytes: maxPage, Header: header})
	if err != nil {
		say := s.Book.Say("search.unread")
		if errors.Is(err, fetch.ErrInside) {
			say = s.Book.Say("search.inside")
		}
		return tools.Result{}, &tools.Failure{Say: say, Cause: fmt.Errorf("read page: %w", err)}
	}
	kind := page.Header.Get("Content-Type")
	text := ""
	switch media, _, _ := mime.ParseMediaType(kind); {
	case media == "text/html" || media == "application/xhtml+xml":
		var own string
		if own, text = fetch.Page(page.Body, kind, maxText); own != "" {
			title = own
		}
	case strings.HasPrefix(media, "text/"):
		text = fetch.Line(string(page.Body[:min(len(page.Body), 8*maxText)]), maxText)
	default:
		err := fmt.Errorf("read page: content type %.60q", kind)
		return tools.Result{}, &tools.Failure{Say: s.Book.Say("search.no_text"), Cause: err}
	}
	if text == "" {
		return tools.Result{Text: s.Book.Say("search.empty")}, nil
	}
	return tools.Result{
		Text: text, Data: map[string]string{"title": title, "url": a.URL}, Foreign: true,
		Sources: []llm.Source{{Title: title, URL: a.URL}},
	}, nil
}
