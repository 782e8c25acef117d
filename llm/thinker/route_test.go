package thinker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func everyDomain(string) bool { return true }

func TestWordsChooseTheThinker(t *testing.T) {
	domains, mistakes := LoadDomains("")
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	for request, want := range map[string]string{
		"Will it rain tomorrow?":                          "weather",
		"what's the weather like in Graz":                 "weather",
		"Read me the headlines, please.":                  "news",
		"how is the Dow Jones":                            "stocks",
		"Turn on the lamp in the hall":                    "home",
		"put milk on the shopping list":                   "home",
		"what appointments do I have on Friday":           "calendar",
		"look into heat pumps for me":                     "research",
		"who painted the Mona Lisa":                       "knowledge",
		"tell me something":                               "knowledge",
		"":                                                "knowledge",
		"trains":                                          "knowledge", // no part of a word claims anything
		"remind me of the news when the rain stops":       "home",      // the first of equals
		"put rain boots on the shopping list for weather": "home",      // a phrase says more than two words
	} {
		r := newRouter(domains, nil)
		if got, _ := r.route(t.Context(), request, time.Now(), everyDomain); got != want {
			t.Errorf("%q goes to %s, want %s", request, got, want)
		}
	}
}

func TestAShortRequestStaysWithTheThinkerBefore(t *testing.T) {
	domains, _ := LoadDomains("")
	r := newRouter(domains, nil)
	now := time.Now()
	for _, step := range []struct {
		request string
		after   time.Duration
		want    string
	}{
		{"will it rain today", 0, "weather"},
		{"and tomorrow?", time.Minute, "weather"},
		{"who is the most famous painter of Italy", time.Second, "knowledge"},
		{"and tomorrow?", time.Second, "knowledge"},
		{"will it rain today", 0, "weather"},
		{"and tomorrow?", 3 * time.Minute, "knowledge"},
	} {
		now = now.Add(step.after)
		if got, _ := r.route(t.Context(), step.request, now, everyDomain); got != step.want {
			t.Errorf("%q goes to %s, want %s", step.request, got, step.want)
		}
	}
}

func TestAThinkerThatCannotWorkGetsNothing(t *testing.T) {
	domains, _ := LoadDomains("")
	r := newRouter(domains, nil)
	live := func(name string) bool { return name != "weather" }
	if got, _ := r.route(t.Context(), "will it rain", time.Now(), live); got != "knowledge" {
		t.Errorf("goes to %s", got)
	}
}

// meanings embeds a text by the words in it that have a dimension.
type meanings struct {
	words []string
	err   error
}

func (m meanings) Embed(_ context.Context, texts []string) ([][]float32, error) {
	var out [][]float32
	for _, text := range texts {
		v := make([]float32, len(m.words)+1)
		v[len(m.words)] = 0.01
		for i, w := range m.words {
			if strings.Contains(strings.ToLower(text), w) {
				v[i] = 1
			}
		}
		out = append(out, v)
	}
	return out, m.err
}

func (m meanings) Of(ctx context.Context, text string) []float32 {
	vs, err := m.Embed(ctx, []string{text})
	if err != nil {
		return nil
	}
	return vs[0]
}

// narrow is a client that bounds the texts of one request.
type narrow struct {
	meanings
	most int
}

func (n narrow) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 0 || len(texts) > n.most {
		return nil, fmt.Errorf("%d texts", len(texts))
	}
	return n.meanings.Embed(ctx, texts)
}

func TestHouseholdWithManyExamplesRoutesByThemToo(t *testing.T) {
	domains := []Domain{{Name: Fallback}}
	for i := range 8 {
		d := Domain{Name: fmt.Sprint("own", i)}
		for j := range maxExamples {
			d.Examples = append(d.Examples, fmt.Sprintf("thing%dx%d", i, j))
		}
		domains = append(domains, d)
	}
	r := newRouter(domains, narrow{meanings{words: []string{"thing7x49"}}, 256})
	var err error
	if r.vectors, err = r.learn(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, _ := r.route(t.Context(), "what of thing7x49", time.Now(), everyDomain); got != "own7" {
		t.Errorf("goes to %s", got)
	}
}

func TestSimilarityChoosesWhereNoWordDoes(t *testing.T) {
	domains, _ := LoadDomains("")
	r := newRouter(domains, meanings{words: []string{"jacket", "cosy"}})
	learned, err := r.learn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.vectors = learned
	if got, _ := r.route(t.Context(), "is a jacket of use?", time.Now(), everyDomain); got != "weather" {
		t.Errorf("goes to %s", got)
	}
	if got, _ := r.route(t.Context(), "a cosy jacket", time.Now().Add(time.Hour), everyDomain); got != "knowledge" {
		t.Errorf("what lies between two goes to %s", got)
	}
	r.means = meanings{err: errors.New("gone")}
	if got, _ := r.route(t.Context(), "is a jacket of use?", time.Now().Add(2*time.Hour),
		everyDomain); got != "knowledge" {
		t.Errorf("without the model it goes to %s", got)
	}
}
