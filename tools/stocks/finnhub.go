package stocks

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"hearthd/tools/fetch"
)

var (
	errUnknown  = errors.New("there is no such stock")
	errNoAccess = errors.New("the key does not open it")
)

// symbolPattern is what a symbol of an exchange looks like: BRK.B, BMW.DE, 0700.HK.
var symbolPattern = regexp.MustCompile(`^[A-Z0-9]{1,8}([.-][A-Z0-9]{1,5})?$`)

// quote is the answer of /quote. For what it does not know the service sends
// zeros.
type quote struct {
	Price   float64  `json:"c"`
	Percent *float64 `json:"dp"` // since the close of the day before
	At      int64    `json:"t"`  // seconds since 1970
}

// paper is what a symbol stands for.
type paper struct{ name, currency string }

// symbol finds the symbol of a company, or of a symbol itself.
func (s *stocks) symbol(ctx context.Context, asked string) (string, error) {
	asked = strings.TrimSuffix(fetch.Line(asked, 60), "'s")
	key := strings.ToLower(asked)
	if symbol, ok := s.symbols.Get(key); ok {
		return symbol, nil
	}
	var found struct {
		Result []struct {
			Symbol string `json:"symbol"`
			Type   string `json:"type"`
		} `json:"result"`
	}
	if err := s.ask(ctx, "/search", url.Values{"q": {asked}}, &found); err != nil {
		return "", err
	}
	best, rank := "", 0
	for _, r := range found.Result {
		if !symbolPattern.MatchString(r.Symbol) {
			continue
		}
		// Foremost the symbol itself, then shares at an exchange in the United
		// States, whose symbols have no ending, then shares, then anything.
		score := 1
		share := r.Type == "Common Stock" || r.Type == "ETP" || r.Type == "ADR"
		switch {
		case strings.EqualFold(r.Symbol, asked):
			score = 4
		case share && !strings.Contains(r.Symbol, "."):
			score = 3
		case share:
			score = 2
		}
		if score > rank {
			best, rank = r.Symbol, score
		}
	}
	if best == "" {
		return "", errUnknown
	}
	s.symbols.Put(key, best)
	s.symbols.Put(strings.ToLower(best), best)
	return best, nil
}

// paper gives the name and currency. Funds have no profile: their symbol is
// their name.
func (s *stocks) paper(ctx context.Context, symbol string) paper {
	if p, ok := s.papers.Get(symbol); ok {
		return p
	}
	var profile struct {
		Name     string `json:"name"`
		Currency string `json:"currency"`
	}
	p := paper{name: symbol}
	if !strings.Contains(symbol, ".") {
		p.currency = "USD"
	}
	if err := s.ask(ctx, "/stock/profile2", url.Values{"symbol": {symbol}}, &profile); err != nil {
		return p // the price matters more
	}
	if name := short(profile.Name); name != "" {
		p.name = name
	}
	if len(profile.Currency) == 3 {
		p.currency = strings.ToUpper(profile.Currency)
	}
	s.papers.Put(symbol, p)
	return p
}

func (s *stocks) quote(ctx context.Context, symbol string) (quote, error) {
	if q, ok := s.quotes.Get(symbol); ok {
		return q, nil
	}
	var q quote
	err := s.ask(ctx, "/quote", url.Values{"symbol": {symbol}}, &q)
	if refused, ok := errors.AsType[*fetch.StatusError](err); ok && refused.Code == http.StatusForbidden {
		return q, errNoAccess
	}
	if err != nil {
		return q, err
	}
	if q.Price <= 0 {
		return q, errUnknown
	}
	s.quotes.Put(symbol, q)
	return q, nil
}

// ask sends a request to the service, which gives its reason for a refusal as {"error":…}.
func (s *stocks) ask(ctx context.Context, path string, q url.Values, v any) error {
	return fetch.WithReason(s.Client.JSON(ctx, fetch.Request{
		URL: strings.TrimRight(s.URL, "/") + path + "?" + q.Encode(), KeyHeader: "X-Finnhub-Token", Key: s.Key,
	}, v), "error")
}

// legal are the endings of company names that nobody says: Inc, Corp.
var legal = map[string]bool{
	"inc": true, "corp": true, "corporation": true, "plc": true, "ltd": true, "se": true, "ag": true, "co": true,
	"sa": true, "nv": true,
	"n.v": true, "s.a": true, "company": true, "incorporated": true, "limited": true, "cl": true, "class": true,
	"a": true, "b": true,
}

// short makes "Apple Inc" Apple, of letters and digits alone.
func short(name string) string {
	words := strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .&'-", r) {
			return r
		}
		return ' '
	}, fetch.Line(name, 50)))
	for n := len(words); n > 1 && legal[strings.ToLower(strings.Trim(words[n-1], "."))]; n-- {
		words = words[:n-1]
	}
	return strings.Join(words, " ")
}
