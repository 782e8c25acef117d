package config

// Weather reaches Open-Meteo, or a server of one's own.
type Weather struct {
	URL       string `yaml:"url" form:"http"` // of the forecast; empty: no weather
	Geocoding string `yaml:"geocoding"`       // finds places by name
}

// News are feeds, and NewsAPI with a key.
type News struct {
	Feeds   []Feed `yaml:"feeds"`
	URL     string `yaml:"url" form:"http"` // of NewsAPI
	Key     Secret `yaml:"key"`
	Country string `yaml:"country" need:"yes" form:"country"` // of NewsAPI's headlines, as two letters
}

// Feed is one RSS or Atom feed.
type Feed struct {
	Name  string `yaml:"name" need:"yes"` // as it is said
	URL   string `yaml:"url" need:"yes" form:"http"`
	Topic string `yaml:"topic"` // empty: the news of the day
}

// Stocks reaches Finnhub; without a key there are no prices.
type Stocks struct {
	URL string `yaml:"url" form:"http"`
	Key Secret `yaml:"key"`
}

// Search reaches a search engine: a SearXNG instance, else Brave with a key.
type Search struct {
	SearXNG string `yaml:"searxng" form:"http"` // address of the instance; empty: none
	Brave   string `yaml:"brave" form:"http"`   // address of Brave Search
	Key     Secret `yaml:"key"`                 // of Brave
}

// PubMed reaches the E-utilities of the NCBI.
type PubMed struct {
	URL   string `yaml:"url" form:"http"` // empty: no PubMed
	Email string `yaml:"email"`           // whom the NCBI may write to
	Key   Secret `yaml:"key"`             // allows ten requests per second instead of three
}
