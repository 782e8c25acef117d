package stocks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
	"hearthd/rigs/toolstest"
	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
)

// finnhub behaves as finnhub.io/docs/api describes: a key in X-Finnhub-Token or
// 401, zeros for the price of what it does not know, an empty profile for funds,
// 403 for exchanges that a plan does not cover, 429 beyond a limit.
type finnhub struct {
	mu    sync.Mutex
	asked []string
	limit int
	age   time.Duration // of the prices
}

func (f *finnhub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.asked = append(f.asked, r.URL.Path)
	over := f.limit > 0 && len(f.asked) > f.limit
	f.mu.Unlock()
	refuse := func(code int, text string) {
		w.WriteHeader(code)
		json.NewEncoder(w).Encode(map[string]string{"error": text})
	}
	q := r.URL.Query()
	switch {
	case r.Header.Get("X-Finnhub-Token") == "":
		refuse(401, "Please use an API key.")
	case r.Header.Get("X-Finnhub-Token") != "good":
		refuse(401, "Invalid API key")
	case over:
		refuse(429, "API limit reached. Please try again later. Remaining Limit: 0")
	case r.URL.Path == "/api/v1/search" && q.Get("q") == "":
		refuse(422, "Query is missing")
	case r.URL.Path == "/api/v1/search":
		io.WriteString(w, search(strings.ToLower(q.Get("q"))))
	case r.URL.Path == "/api/v1/stock/profile2":
		io.WriteString(w, map[string]string{
			"AAPL":   `{"country":"US","currency":"USD","exchange":"NASDAQ NMS - GLOBAL MARKET","name":"Apple Inc","ticker":"AAPL","marketCapitalization":3400000}`,
			"BMW.DE": `{"country":"DE","currency":"EUR","name":"Bayerische Motoren Werke AG","ticker":"BMW.DE"}`,
			"BRK.A":  `{"country":"US","currency":"USD","name":"Berkshire Hathaway Inc. <b>!</b>","ticker":"BRK.A"}`,
		}[q.Get("symbol")]+map[bool]string{true: "{}"}[!slices.Contains([]string{"AAPL", "BMW.DE", "BRK.A"},
			q.Get("symbol"))])
	case r.URL.Path == "/api/v1/quote" && q.Get("symbol") == "BMW.DE":
		refuse(403, "You don't have access to this resource.")
	case r.URL.Path == "/api/v1/quote":
		at := time.Now().Add(-f.age).Unix()
		switch q.Get("symbol") {
		case "AAPL":
			fmt.Fprintf(w, `{"c":261.74,"d":3.21,"dp":1.2417,"h":263.31,"l":260.68,"o":261.07,"pc":258.53,"t":%d}`, at)
		case "SPY":
			fmt.Fprintf(w, `{"c":45.5,"d":-0.01,"dp":-0.02,"h":1,"l":1,"o":1,"pc":1,"t":%d}`, at)
		case "BRK.A":
			fmt.Fprintf(w, `{"c":743250.5,"d":-9000,"dp":-1.25,"t":%d}`, at)
		default:
			io.WriteString(w, `{"c":0,"d":null,"dp":null,"h":0,"l":0,"o":0,"pc":0,"t":0}`)
		}
	default:
		http.NotFound(w, r)
	}
}

func search(q string) string {
	switch q {
	case "apple", "aapl":
		return `{"count":3,"result":[{"description":"APPLE HOSPITALITY","displaySymbol":"APC.F","symbol":"APC.F","type":"Common Stock"},
{"description":"APPLE INC","displaySymbol":"AAPL","symbol":"AAPL","type":"Common Stock"},{"description":"x","symbol":"AAPL BAD;SYMBOL","type":"Common Stock"}]}`
	case "spy":
		return `{"count":2,"result":[{"description":"SPYGLASS","symbol":"SPYG","type":"Common Stock"},{"description":"SPDR S&P 500","symbol":"SPY","type":"ETP"}]}`
	case "bmw":
		return `{"count":1,"result":[{"description":"BMW AG","symbol":"BMW.DE","type":"Common Stock"}]}`
	case "berkshire", "brk.a":
		return `{"count":1,"result":[{"description":"BERKSHIRE","symbol":"BRK.A","type":"Common Stock"}]}`
	case "ghost":
		return `{"count":1,"result":[{"description":"GHOST","symbol":"GHST","type":"Common Stock"}]}`
	}
	return `{"count":0,"result":[]}`
}

// list is what a person watches.
type list struct{ symbols []string }

func (l *list) Tickers(context.Context, string) ([]string, error) { return l.symbols, nil }
func (l *list) ChangeTickers(_ context.Context, _ string, change func([]string) []string) error {
	l.symbols = change(l.symbols)
	return nil
}

func newTools(t *testing.T, f *finnhub, key string, l *list) map[string]tools.Tool {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	all, err := New(Options{Book: phrase.English(), Client: fetch.New(fetch.Options{}), URL: server.URL + "/api/v1", Key: key, Watched: l})
	if err != nil {
		t.Fatal(err)
	}
	return toolstest.Named(t, all)
}

func call(t *testing.T, tool tools.Tool, args string) string {
	t.Helper()
	return toolstest.Call(t, tool, args).Text
}

func TestPricesAreToldRounded(t *testing.T) {
	byName := newTools(t, &finnhub{}, "good", &list{})
	for args, want := range map[string]string{
		`{"stocks":["apple"]}`:     "Apple is at 261.7 dollars, up 1.2 percent.",
		`{"stocks":["AAPL"]}`:      "Apple is at 261.7 dollars, up 1.2 percent.",
		`{"stocks":["SPY"]}`:       "SPY is at 45.5 dollars, unchanged.",
		`{"stocks":["berkshire"]}`: "Berkshire Hathaway is at 743,250 dollars, down 1.3 percent.",
		`{"stocks":["BMW"]}`: "The key for the stock service does not open the price of Bayerische " +
			"Motoren Werke.",
		`{"stocks":["ghost"]}`:         "There is no price of GHST.",
		`{"stocks":["nothing"]}`:       "I know no stock that is called nothing.",
		`{"stocks":["apple","ghost"]}`: "Apple is at 261.7 dollars, up 1.2 percent. There is no price of GHST.",
	} {
		if got := call(t, byName["stocks_quote"], args); got != want {
			t.Errorf("%s\n got %s\nwant %s", args, got, want)
		}
	}
}

func TestNamesOfCompaniesAreForeign(t *testing.T) {
	byName := newTools(t, &finnhub{}, "good", &list{})
	for _, args := range []string{`{"stocks":["apple"]}`, `{"stocks":["ghost"]}`} {
		if r, err := byName["stocks_quote"].Call(t.Context(),
			tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(args)}}); err != nil || !r.Foreign {
			t.Errorf("%s: %q (%v) is not foreign", args, r.Text, err)
		}
	}
}

func TestPriceOfAClosedMarketIsOfThePast(t *testing.T) {
	byName := newTools(t, &finnhub{age: 20 * time.Hour}, "good", &list{})
	if got := call(t, byName["stocks_quote"], `{"stocks":["apple"]}`); got != "Apple was last at 261.7 dollars, up "+
		"1.2 percent." {
		t.Error(got)
	}
}

func TestWatchedStocksAreToldWithoutAName(t *testing.T) {
	l := &list{}
	byName := newTools(t, &finnhub{}, "good", l)
	if got := call(t, byName["stocks_quote"], `{}`); got != "You watch no stocks. Say, for example, watch the stock "+
		"of Apple." {
		t.Error(got)
	}
	for _, c := range []struct{ args, want string }{
		{`{"stock":"apple"}`, "You now watch Apple."},
		{`{"stock":"AAPL"}`, "You watch Apple already."},
		{`{"stock":"spy"}`, "You now watch SPY."},
		{`{"stock":"bmw","stop":true}`, "You don't watch Bayerische Motoren Werke."},
		{`{"stock":"nothing"}`, "I know no stock that is called nothing."},
	} {
		if got := call(t, byName["stocks_watch"], c.args); got != c.want {
			t.Errorf("%s: %s", c.args, got)
		}
	}
	if got := call(t, byName["stocks_quote"], `{}`); got != "Apple is at 261.7 dollars, up 1.2 percent. SPY is at "+
		"45.5 dollars, unchanged." {
		t.Error(got)
	}
	if got := call(t, byName["stocks_watch"],
		`{"stock":"apple","stop":true}`); got != "You don't watch Apple any more." {
		t.Error(got)
	}
	if diff := cmp.Diff([]string{"SPY"}, l.symbols); diff != "" {
		t.Error(diff)
	}
}

func TestSameStockIsAskedForOnce(t *testing.T) {
	f := &finnhub{}
	byName := newTools(t, f, "good", &list{})
	for range 3 {
		call(t, byName["stocks_quote"], `{"stocks":["apple"]}`)
	}
	if len(f.asked) != 3 {
		t.Errorf("asked %v", f.asked)
	}
}

func TestRefusalsAreSpokenPlainly(t *testing.T) {
	for _, c := range []struct {
		key, say, log string
		limit         int
	}{
		{"bad", "The stock service does not let me in.", "status 401: Invalid API key", 0},
		{"good", "The stock service was asked too often. Please try again later.", "status 429: API limit reached.", 2},
	} {
		byName := newTools(t, &finnhub{limit: c.limit}, c.key, &list{})
		_, err := byName["stocks_quote"].Call(t.Context(),
			tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(`{"stocks":["apple"]}`)}})
		var failed *tools.Failure
		if !errors.As(err, &failed) || failed.Say != c.say || !strings.Contains(failed.Error(), c.log) ||
			strings.Contains(failed.Error(), c.key) {
			t.Errorf("%v", err)
		}
	}
}

func TestWithoutAKeyThereAreNoTools(t *testing.T) {
	if all, err := New(Options{URL: "https://finnhub.io/api/v1"}); len(all) != 0 || err != nil {
		t.Errorf("%v %v", all, err)
	}
}

func TestAllThatIsWatchedIsToldAndNoMoreIsKept(t *testing.T) {
	l := &list{}
	for range maxWatched {
		l.symbols = append(l.symbols, "SPY")
	}
	byName := newTools(t, &finnhub{}, "good", l)
	if got := call(t, byName["stocks_watch"], `{"stock":"apple"}`); got != "You watch ten stocks already, and that "+
		"is all that I keep." {
		t.Error(got)
	}
	if got := strings.Count(call(t, byName["stocks_quote"], `{}`), "SPY is at"); got != len(l.symbols) {
		t.Errorf("told %d of %d", got, len(l.symbols))
	}
}

func TestPriceOfACheapShareIsNotNothing(t *testing.T) {
	for v, want := range map[float64]string{
		0.0042: "0.0042", 0.1234: "0.1234", 0.00001234: "0.00001234", 0.5: "0.5", 1.25: "1.25", 45.5: "45.5",
		261.74: "261.7", 743250: "743,250",
	} {
		if got := phrase.English().Digits(price(v)); got != want {
			t.Errorf("price of %v: %q, want %q", v, got, want)
		}
	}
}
