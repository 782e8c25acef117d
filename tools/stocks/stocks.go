package stocks

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
)

const (
	maxAsked   = 10
	maxWatched = maxAsked // so that all of them are said
)

// watched are the symbols that persons watch; "" is the household.
type watched interface {
	Tickers(ctx context.Context, person string) ([]string, error)
	// ChangeTickers lets change alter them, in one step.
	ChangeTickers(ctx context.Context, person string, change func([]string) []string) error
}

// Options says whom to ask. Without a key there are no tools.
type Options struct {
	Book     *phrase.Book // what is said
	Client   *fetch.Client
	URL, Key string
	Watched  watched
}

type stocks struct {
	Options
	symbols *fetch.Cache[string, string]
	papers  *fetch.Cache[string, paper]
	quotes  *fetch.Cache[string, quote]
}

// New makes the tools; none without a key.
func New(o Options) ([]tools.Tool, error) {
	if o.Key == "" || o.URL == "" {
		return nil, nil
	}
	if o.Book == nil || o.Client == nil || o.Watched == nil {
		return nil, errors.New("make stock tools: a book, a client and what is watched are needed")
	}
	s := &stocks{
		Options: o, symbols: fetch.NewCache[string, string](128, 24*time.Hour),
		papers: fetch.NewCache[string, paper](128, 24*time.Hour),
		quotes: fetch.NewCache[string, quote](64, 30*time.Second),
	}
	return []tools.Tool{
		tools.WithLimits(tools.CallFunc(llm.ToolSpec{
			Name: "stocks_quote", Description: "Tells the price of stocks and its change of the day.", ReadOnly: true,
		}, s.tell), tools.Limits{Timeout: 30 * time.Second}), // ten stocks, three questions each
		tools.CallFunc(llm.ToolSpec{
			Name: "stocks_watch", Description: "Puts a stock on the list of those that the person watches, or takes " +
				"it off.",
		}, s.watch),
	}, nil
}

// told is the structured result, one for each stock.
type told struct {
	Asked    string   `json:"asked"`
	Symbol   string   `json:"symbol,omitempty"`
	Name     string   `json:"name,omitempty"`
	Currency string   `json:"currency,omitempty"`
	Price    float64  `json:"price,omitempty"`
	Change   *float64 `json:"change_percent,omitempty"`
	At       int64    `json:"at_unix,omitempty"`
}

func (s *stocks) tell(ctx context.Context, c tools.Call, a struct {
	Stocks []string `json:"stocks" max:"10" item:"60" about:"companies or symbols; those that the person watches when it is not given"`
	Stock  string   `json:"stock" max:"60" about:"one more of them"`
}) (tools.Result, error) {
	if a.Stock != "" {
		a.Stocks = append(a.Stocks, a.Stock)
	}
	if len(a.Stocks) == 0 {
		list, err := s.Watched.Tickers(ctx, c.For.Person)
		if err != nil {
			return tools.Result{}, s.forgetful(err)
		}
		if len(list) == 0 {
			return tools.Result{Text: s.Book.Say("stocks.none")}, nil
		}
		a.Stocks = list
	}
	var sentences []string
	var data []told
	for _, asked := range a.Stocks[:min(len(a.Stocks), maxAsked)] {
		one, text, err := s.one(ctx, asked)
		if err != nil {
			return tools.Result{}, err
		}
		sentences, data = append(sentences, text), append(data, one)
	}
	return tools.Result{
		Text: strings.Join(sentences, " "), Data: data, Foreign: true,
		Sources: []llm.Source{{Title: "Finnhub", URL: "https://finnhub.io/"}},
	}, nil
}

// one says the price of one stock.
func (s *stocks) one(ctx context.Context, asked string) (told, string, error) {
	t := told{Asked: asked}
	symbol, err := s.symbol(ctx, asked)
	if errors.Is(err, errUnknown) {
		return t, s.Book.Say("stocks.unknown", phrase.Args{"name": fetch.Line(asked, 60)}), nil
	}
	if err != nil {
		return t, "", s.failure(err)
	}
	t.Symbol = symbol
	p := s.paper(ctx, symbol)
	t.Name, t.Currency = p.name, p.currency
	q, err := s.quote(ctx, symbol)
	switch {
	case errors.Is(err, errUnknown):
		return t, s.Book.Say("stocks.no_price", phrase.Args{"name": p.name}), nil
	case errors.Is(err, errNoAccess):
		return t, s.Book.Say("stocks.no_access", phrase.Args{"name": p.name}), nil
	case err != nil:
		return t, "", s.failure(err)
	}
	t.Price, t.Change, t.At = q.Price, q.Percent, q.At
	return t, s.say(p, q), nil
}

func (s *stocks) watch(ctx context.Context, c tools.Call, a struct {
	Stock string `json:"stock" need:"yes" min:"1" max:"60" about:"company or symbol"`
	Stop  bool   `json:"stop" about:"true: do not watch it any more"`
}) (tools.Result, error) {
	symbol, err := s.symbol(ctx, a.Stock)
	if errors.Is(err, errUnknown) {
		return tools.Result{Text: s.Book.Say("stocks.unknown", phrase.Args{"name": fetch.Line(a.Stock, 60)})}, nil
	}
	if err != nil {
		return tools.Result{}, s.failure(err)
	}
	p := s.paper(ctx, symbol)
	about := phrase.Args{"name": p.name}
	text := ""
	err = s.Watched.ChangeTickers(ctx, c.For.Person, func(list []string) []string {
		at := slices.Index(list, symbol)
		switch {
		case a.Stop && at < 0:
			text = s.Book.Say("stocks.not_watched", about)
		case a.Stop:
			text = s.Book.Say("stocks.stopped", about)
			return slices.Delete(slices.Clone(list), at, at+1)
		case at >= 0:
			text = s.Book.Say("stocks.watched_already", about)
		case len(list) >= maxWatched:
			text = s.Book.Say("stocks.full", phrase.Args{"n": len(list)})
		default:
			text = s.Book.Say("stocks.watched", about)
			return append(slices.Clone(list), symbol)
		}
		return list
	})
	if err != nil {
		return tools.Result{}, s.forgetful(err)
	}
	return tools.Result{Text: text, Data: map[string]string{"symbol": symbol, "name": p.name}, Foreign: true}, nil
}

func (s *stocks) forgetful(err error) error {
	return &tools.Failure{Say: s.Book.Say("tools.forgetful"), Cause: err}
}

func (s *stocks) failure(err error) error {
	return fetch.Failure(s.Book, s.Book.Part("stocks.service"), err)
}
