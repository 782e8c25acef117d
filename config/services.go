package config

import "fmt"

// Weather reaches Open-Meteo, or a server of one's own.
type Weather struct {
	URL       string `yaml:"url"`       // of the forecast; empty: no weather
	Geocoding string `yaml:"geocoding"` // finds places by name
}

// News are feeds, and NewsAPI with a key.
type News struct {
	Feeds   []Feed `yaml:"feeds"`
	URL     string `yaml:"url"` // of NewsAPI
	Key     Secret `yaml:"key"`
	Country string `yaml:"country"` // of NewsAPI's headlines, as two letters
}

// Feed is one RSS or Atom feed.
type Feed struct {
	Name  string `yaml:"name"` // as it is said
	URL   string `yaml:"url"`
	Topic string `yaml:"topic"` // empty: the news of the day
}

// Stocks reaches Finnhub; without a key there are no prices.
type Stocks struct {
	URL string `yaml:"url"`
	Key Secret `yaml:"key"`
}

// Search reaches a search engine: a SearXNG instance, else Brave with a key.
type Search struct {
	SearXNG string `yaml:"searxng"` // address of the instance; empty: none
	Brave   string `yaml:"brave"`   // address of Brave Search
	Key     Secret `yaml:"key"`     // of Brave
}

// PubMed reaches the E-utilities of the NCBI.
type PubMed struct {
	URL   string `yaml:"url"`   // empty: no PubMed
	Email string `yaml:"email"` // whom the NCBI may write to
	Key   Secret `yaml:"key"`   // allows ten requests per second instead of three
}

// services sets the services that need no key, and where the keys of the others
// are looked for.
func (t Tools) services() Tools {
	t.Weather = Weather{
		URL:       "https://api.open-meteo.com/v1/forecast",
		Geocoding: "https://geocoding-api.open-meteo.com/v1/search",
	}
	bbc := func(path string) string { return "https://feeds.bbci.co.uk/news/" + path + "rss.xml" }
	t.News = News{
		Feeds: []Feed{
			{"the BBC", bbc(""), ""}, {"NPR", "https://feeds.npr.org/1001/rss.xml", ""},
			{"the BBC", bbc("world/"), "world"}, {"The Guardian", "https://www.theguardian.com/world/rss", "world"},
			{"the BBC", bbc("business/"), "business"}, {"the BBC", bbc("politics/"), "politics"},
			{"the BBC", bbc("technology/"), "technology"}, {"the BBC", bbc("health/"), "health"},
			{"the BBC", bbc("science_and_environment/"), "science"},
			{"the BBC", bbc("entertainment_and_arts/"), "entertainment"},
			{"the BBC", "https://feeds.bbci.co.uk/sport/rss.xml", "sport"},
		},
		URL: "https://newsapi.org/v2", Key: "credential:hearthd.newsapi", Country: "us",
	}
	t.Stocks = Stocks{URL: "https://finnhub.io/api/v1", Key: "credential:hearthd.finnhub"}
	t.Search = Search{Brave: "https://api.search.brave.com/res/v1/web/search", Key: "credential:hearthd.brave"}
	t.PubMed = PubMed{URL: "https://eutils.ncbi.nlm.nih.gov/entrez/eutils", Key: "credential:hearthd.ncbi"}
	return t
}

// checkServices checks what the tools ask on the internet. An empty address switches
// a service off.
func (t *Tools) checkServices(k *checker) {
	for key, address := range map[string]string{
		"tools.weather.url": t.Weather.URL, "tools.news.url": t.News.URL, "tools.stocks.url": t.Stocks.URL,
		"tools.search.searxng": t.Search.SearXNG, "tools.search.brave": t.Search.Brave, "tools.pubmed.url": t.PubMed.URL,
	} {
		if address != "" {
			k.http(key, address)
		}
	}
	if t.Weather.URL != "" {
		k.http("tools.weather.geocoding", t.Weather.Geocoding)
	}
	k.match("tools.news.country", t.News.Country, countryCode, "must be two small letters")
	for i, f := range t.News.Feeds {
		key := func(name string) string { return fmt.Sprintf("tools.news.feeds[%d].%s", i, name) }
		k.filled(key("name"), f.Name)
		k.http(key("url"), f.URL)
		for name, text := range map[string]string{"name": f.Name, "url": f.URL, "topic": f.Topic} {
			k.short(key(name), text)
		}
	}
}
