package daemon

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"hearthd/config"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/recall"
	"hearthd/llm"
	"hearthd/memory"
	"hearthd/rigs/memorytest"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// services makes the service tools of a configuration, on a memory of its own.
func services(t *testing.T, change func(*config.Tools)) ([]tools.Tool, *Daemon) {
	t.Helper()
	store := memorytest.Open(t)
	cfg := config.Default()
	d := &Daemon{
		base: &base{cfg: &cfg, zone: time.UTC, log: slog.New(slog.DiscardHandler),
			conditions: health.New(event.NewBus())},
		recall: recall.New(recall.Options{Store: store, Home: memory.Profile{Place: "Graz", Units: "metric"}}),
	}
	d.equip()
	change(&d.cfg.Tools)
	all, err := d.serviceTools(d.cfg, d.recall, new(homes))
	if err != nil {
		t.Fatal(err)
	}
	return all, d
}

func names(all []tools.Tool) []string {
	var list []string
	for _, tool := range all {
		if name := tool.Spec().Name; !strings.HasPrefix(name, "medical_") && !strings.HasPrefix(name, "calendar_") {
			list = append(list, tool.Spec().Name)
		}
	}
	slices.Sort(list)
	return list
}

// withKeys puts a key into every place that names one.
func withKeys(t *testing.T, c *config.Tools) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, key := range []*config.Secret{&c.News.Key, &c.Stocks.Key, &c.Search.Key, &c.PubMed.Key} {
		*key = config.Secret("file:" + path)
	}
}

func TestServicesAreOfferedWhenTheyCanWork(t *testing.T) {
	free := []string{"news_headlines", "news_story", "pubmed_abstract", "pubmed_search", "weather_forecast",
		"weather_home"}
	for _, c := range []struct {
		name   string
		change func(*config.Tools)
		want   []string
	}{
		{"as it comes", func(*config.Tools) {}, free},
		{"with keys", func(c *config.Tools) { withKeys(t, c) },
			append([]string{"stocks_quote", "stocks_watch", "web_read", "web_search"}, free...)},
		{"with an instance", func(c *config.Tools) { c.Search.SearXNG = "http://127.0.0.1:8080" },
			append([]string{"web_read", "web_search"}, free...)},
		{"switched off", func(c *config.Tools) { c.Weather.URL, c.PubMed.URL, c.News.Feeds = "", "", nil }, nil},
	} {
		all, _ := services(t, c.change)
		slices.Sort(c.want)
		if diff := cmp.Diff(c.want, names(all)); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

func TestHomeAndWatchedStocksAreThePersonsThenTheHouseholds(t *testing.T) {
	_, d := services(t, func(*config.Tools) {})
	p := recall.NewProfile(d.recall)
	home := func(person string) string {
		place, imperial, err := p.Home(t.Context(), person)
		if err != nil {
			t.Fatal(err)
		}
		if imperial {
			place += " in Fahrenheit"
		}
		return place
	}
	if got := home("anna"); got != "Graz" {
		t.Error(got)
	}
	for _, set := range []struct {
		person, place, units string
	}{{"", "Wien", ""}, {"anna", "", "imperial"}} {
		if err := p.SetHome(t.Context(), set.person, set.place, set.units); err != nil {
			t.Fatal(err)
		}
	}
	if got := home("anna"); got != "Wien in Fahrenheit" {
		t.Error(got)
	}
	if got := home(""); got != "Wien" {
		t.Error(got)
	}
	add := func(person, symbol string) {
		if err := p.ChangeTickers(t.Context(), person,
			func(list []string) []string { return append(slices.Clone(list), symbol) }); err != nil {
			t.Fatal(err)
		}
	}
	add("", "AAPL")
	add("anna", "SPY")
	mine, err1 := p.Tickers(t.Context(), "anna")
	house, err2 := p.Tickers(t.Context(), "")
	if err1 != nil || err2 != nil || strings.Join(mine, " ") != "AAPL SPY" || strings.Join(house, " ") != "AAPL" {
		t.Errorf("%v %v %v %v", mine, house, err1, err2)
	}
}

// TestSentencesGiveArgumentsThatServicesTake runs what the sentences of the matcher's tests call
// against services that know nothing.
func TestSentencesGiveArgumentsThatServicesTake(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	all, _ := services(t, func(c *config.Tools) {
		withKeys(t, c)
		c.Weather, c.News.Feeds = config.Weather{URL: server.URL, Geocoding: server.URL},
			[]config.Feed{{Name: "none", URL: server.URL}}
		c.News.URL, c.Stocks.URL, c.Search.Brave, c.PubMed.URL = server.URL, server.URL, server.URL, server.URL
	})
	registry := tools.NewRegistry(phrase.English())
	if err := registry.Register(all...); err != nil {
		t.Fatal(err)
	}
	exec, err := tools.NewExecutor(tools.ExecutorOptions{Registry: registry, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, name := range []string{"examples", "kitchen"} {
		text, err := os.ReadFile("../tools/intent/testdata/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			sentence, call, _ := strings.Cut(strings.TrimSpace(line), " => ")
			tool, args, _ := strings.Cut(call, " ")
			if !registry.Has(tool) || strings.HasPrefix(tool, "calendar_") {
				continue
			}
			raw, err := yaml.YAMLToJSON([]byte(args))
			if err != nil {
				t.Fatal(err)
			}
			out := exec.Run(t.Context(), tools.Call{ToolCall: llm.ToolCall{Name: tool, Arguments: raw}})
			if out.Class != tools.OK && out.Class != tools.Failed || out.Spoken(phrase.English()) == "Sorry, that did not work." {
				t.Errorf("%q: %s: %v", sentence, out.Class, out.Err)
			}
			tried++
		}
	}
	if tried < 60 {
		t.Errorf("tried %d examples", tried)
	}
}

func TestBritainIsKnownByItsPlacesAndItsClock(t *testing.T) {
	for place, want := range map[string]bool{"Leeds, UK": true, "England": true, "London, United Kingdom": true,
		"Berlin": false, "": false} {
		if got := britishPlace(place); got != want {
			t.Errorf("%q is British: %v", place, got)
		}
	}
	for name, want := range map[string]bool{"Europe/London": true, "Europe/Dublin": true, "Europe/Lisbon": false,
		"America/New_York": false, "Asia/Kolkata": false, "Africa/Accra": false, "Asia/Jerusalem": false,
		"UTC": false} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := britishClock(zone); got != want {
			t.Errorf("%s is British: %v", name, got)
		}
	}
}
