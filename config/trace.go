package config

// Trace is the collector that is told how each turn went. An empty URL means that
// nobody is.
type Trace struct {
	URL string `yaml:"url"` // for OTLP over HTTP
	Key Secret `yaml:"key"` // bearer token
}

func (t *Trace) check(k *checker) {
	if t.URL != "" {
		k.http("trace.url", t.URL)
	}
}
