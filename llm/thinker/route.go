package thinker

import (
	"context"
	"math"
	"slices"
	"time"
)

const (
	// stays is how long a short request that no domain claims still belongs to the domain of the
	// one before: "and tomorrow?".
	stays = 2 * time.Minute
	// stayWords is the most words that it may have.
	stayWords = 5
	// similar is the cosine from which an embedding claims a request, and clearly the lead that it
	// needs. Embedding models rate unrelated English sentences up to 0.6 and paraphrases from 0.7
	// on (nomic-embed-text, all-minilm).
	similar, clearly = 0.65, 0.03
	// learnBatch is how many examples are embedded in one request; clients bound it.
	learnBatch = 32
)

// meaner returns the vector of a request, or nil when it is not known in time, and those of other
// texts.
type meaner interface {
	embedder
	Of(ctx context.Context, text string) []float32
}

// router chooses the domain of a request, without asking a chat model: by the words that domains
// claim, then by similarity to their examples, then by the domain before. It has no lock.
type router struct {
	domains []Domain
	phrases map[string][]claim // by their first word
	means   meaner             // nil: there is no embedding model
	vectors []example          // empty until the examples are embedded

	last   string
	lastAt time.Time
}

// claim is a phrase of a domain in folded words.
type claim struct {
	words  []string
	domain string
}

type example struct {
	vector []float32
	domain string
}

func newRouter(domains []Domain, m meaner) *router {
	r := &router{domains: domains, phrases: make(map[string][]claim), means: m}
	for _, d := range domains {
		for _, phrase := range d.Words {
			words := fold(phrase)
			r.phrases[words[0]] = append(r.phrases[words[0]], claim{words, d.Name})
		}
	}
	return r
}

// ByWords returns a function that names the domain to which a text belongs by its words, or "". The
// function may be called from anywhere.
func ByWords(domains []Domain) func(text string) string {
	r := newRouter(domains, nil)
	return func(text string) string { return r.byWords(fold(text), func(string) bool { return true }) }
}

// route returns the name of the domain that text belongs to, and whether the domain claims it;
// otherwise none does. live reports which domains can work.
func (r *router) route(ctx context.Context, text string, now time.Time, live func(string) bool) (name string,
	claimed bool) {
	name = r.byWords(fold(text), live)
	if name == "" {
		name = r.bySimilarity(ctx, text, live)
	}
	claimed = name != ""
	if name == "" && now.Sub(r.lastAt) < stays && len(fold(text)) <= stayWords && live(r.last) {
		name = r.last
	}
	if name == "" {
		name = Fallback
	}
	r.last, r.lastAt = name, now
	return name, claimed
}

// byWords returns the domain whose phrases cover most words of the request; of equal ones the one
// that is named first in the request.
func (r *router) byWords(words []string, live func(string) bool) string {
	score, first := make(map[string]int), make(map[string]int)
	for i, w := range words {
		for _, c := range r.phrases[w] {
			if len(c.words) > len(words)-i || !slices.Equal(c.words, words[i:i+len(c.words)]) || !live(c.domain) {
				continue
			}
			if score[c.domain] == 0 {
				first[c.domain] = i
			}
			score[c.domain] += len(c.words) * len(c.words) // a phrase counts more than its words
		}
	}
	best := ""
	for name, n := range score {
		if best == "" || n > score[best] || n == score[best] &&
			(first[name] < first[best] || first[name] == first[best] && name < best) {
			best = name
		}
	}
	return best
}

// bySimilarity returns the domain with the example that is most like the request, if the similarity
// is clear. A model that fails or is late claims nothing.
func (r *router) bySimilarity(ctx context.Context, text string, live func(string) bool) string {
	if r.means == nil || len(r.vectors) == 0 {
		return ""
	}
	v := r.means.Of(ctx, text)
	best := make(map[string]float64)
	for _, e := range r.vectors {
		if live(e.domain) {
			best[e.domain] = max(best[e.domain], cosine(e.vector, v))
		}
	}
	name, top, second := "", 0.0, 0.0
	for n, c := range best {
		switch {
		case c > top:
			name, top, second = n, c, top
		case c > second:
			second = c
		}
	}
	if top < similar || top-second < clearly {
		return ""
	}
	return name
}

// learn embeds the examples of all domains.
func (r *router) learn(ctx context.Context) ([]example, error) {
	var texts []string
	var all []example
	for _, d := range r.domains {
		for _, e := range d.Examples {
			texts = append(texts, e)
			all = append(all, example{domain: d.Name})
		}
	}
	for from := 0; from < len(texts); from += learnBatch {
		vs, err := r.means.Embed(ctx, texts[from:min(from+learnBatch, len(texts))])
		if err != nil {
			return nil, err
		}
		for i := range min(len(vs), len(all)-from) {
			all[from+i].vector = vs[i]
		}
	}
	return all, nil
}

// cosine is that of the angle between a and b, 0 where there is none.
func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(aa*bb)
}
