package pubmed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
	"hearthd/rigs/toolstest"
	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
)

// ncbi behaves as the E-utilities' documentation says (NBK25497, NBK25499): a
// rate is refused with 429 and a key that is not known with 400, both as JSON;
// what is wrong with a query stands in ERROR; a summary of a number that does
// not exist has an error of its own.
type ncbi struct {
	mu    sync.Mutex
	at    []time.Time
	query []string
	rate  int // refuse more requests than this within a second; 0: none
}

func (n *ncbi) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	n.mu.Lock()
	n.at, n.query = append(n.at, time.Now()), append(n.query, r.URL.RawQuery)
	within := 0
	for _, at := range n.at {
		if time.Since(at) < time.Second {
			within++
		}
	}
	n.mu.Unlock()
	if q.Get("tool") == "" || q.Get("db") != "pubmed" {
		http.Error(w, "tool and db are needed", http.StatusBadRequest)
		return
	}
	if n.rate > 0 && within > n.rate {
		w.WriteHeader(http.StatusTooManyRequests)
		io.WriteString(w, `{"error":"API rate limit exceeded","api-key":"10.0.0.1","count":"4","limit":"3"}`)
		return
	}
	if key := q.Get("api_key"); key != "" && key != "good" {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":"API key invalid","api-key":%q,"type":"api","status":"unknown"}`, key)
		return
	}
	switch r.URL.Path {
	case "/eutils/esearch.fcgi":
		n.esearch(w, q.Get("term"))
	case "/eutils/esummary.fcgi":
		io.WriteString(w, `{"header":{"type":"esummary","version":"0.3"},"result":{"uids":["34554658","1","20000000"],
"34554658":{"uid":"34554658","pubdate":"2021 Nov 4","epubdate":"2021 Sep 23","source":"N Engl J Med","authors":[{"name":"Inker LA","authtype":"Author","clusterid":""},{"name":"Eneanya ND"},{"name":"Coresh J"},{"name":"Tighiouart H"}],"title":"New Creatinine- and Cystatin C-Based Equations to Estimate GFR without Race.","fulljournalname":"The New England journal of medicine"},
"1":{"uid":"1","error":"cannot get document summary"},
"20000000":{"uid":"20000000","pubdate":"Spring 2009","source":"Old J","authors":[],"title":"Effects of CO&lt;sub&gt;2&lt;/sub&gt; &amp; sourdough.","fulljournalname":""}}}`)
	case "/eutils/efetch.fcgi":
		if q.Get("id") == "5" {
			io.WriteString(w, `<?xml version="1.0" ?><PubmedArticleSet></PubmedArticleSet>`)
			return
		}
		io.WriteString(w, `<?xml version="1.0" ?><!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">
<PubmedArticleSet><PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">34554658</PMID><Article><ArticleTitle>New</ArticleTitle>
<Abstract><AbstractText Label="BACKGROUND" NlmCategory="BACKGROUND">Current equations use <i>age</i> &amp; race.</AbstractText>
<AbstractText Label="RESULTS">P<sub>30</sub> was 0.9.</AbstractText><CopyrightInformation>Copyright</CopyrightInformation></Abstract></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>`)
	default:
		http.NotFound(w, r)
	}
}

func (n *ncbi) esearch(w io.Writer, term string) {
	switch term {
	case "nothing":
		io.WriteString(w,
			`{"header":{},"esearchresult":{"count":"0","retmax":"0","retstart":"0","idlist":[],"errorlist":{"phrasesnotfound":["nothing"],"fieldsnotfound":[]},"warninglist":{"outputmessages":["No items found."]}}}`)
	case "down":
		io.WriteString(w, `{"header":{},"esearchresult":{"ERROR":"Search Backend failed: Database is not supported"}}`)
	default:
		io.WriteString(w,
			`{"header":{"type":"esearch","version":"0.3"},"esearchresult":{"count":"3","retmax":"3","retstart":"0","idlist":["34554658","1","20000000","not a number"],"translationset":[],"querytranslation":"x"}}`)
	}
}

func newTools(t *testing.T, n *ncbi, o Options) map[string]tools.Tool {
	t.Helper()
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	o.Book = phrase.English()
	o.Client, o.URL = fetch.New(fetch.Options{UserAgent: "hearthd-test"}), server.URL+"/eutils/"
	all, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return toolstest.Named(t, all)
}

func TestPapersAreListedForAModelAndCited(t *testing.T) {
	n := &ncbi{}
	byName := newTools(t, n, Options{Email: "me@home.example"})
	r := toolstest.Call(t, byName["pubmed_search"], `{"query":"egfr without race"}`)
	want := "1. New Creatinine- and Cystatin C-Based Equations to Estimate GFR without Race. By Inker LA, Eneanya ND " +
		"and Coresh J. The New England journal of medicine 2021. PMID 34554658\n" +
		"2. Effects of CO2 & sourdough. Old J. PMID 20000000"
	if r.Text != want || !r.Foreign {
		t.Errorf("got %s", cmp.Diff(want, r.Text))
	}
	if len(r.Sources) != 2 || r.Sources[0].URL != "https://pubmed.ncbi.nlm.nih.gov/34554658/" {
		t.Errorf("%+v", r.Sources)
	}
	if q := n.query[0]; !strings.Contains(q, "tool=hearthd") || !strings.Contains(q, "email=me%40home.example") ||
		strings.Contains(q, "api_key") {
		t.Error(q)
	}
	toolstest.Call(t, byName["pubmed_search"], `{"query":"EGFR without race"}`)
	if len(n.query) != 2 {
		t.Errorf("asked %d times", len(n.query))
	}
	if got := toolstest.Call(t, byName["pubmed_search"], `{"query":"nothing"}`).Text; got != "I found no papers about nothing." {
		t.Error(got)
	}
}

func TestOnePaperIsForTheEar(t *testing.T) {
	byName := newTools(t, &ncbi{}, Options{Key: "good"})
	r := toolstest.Call(t, byName["pubmed_search"], `{"query":"egfr","count":1}`)
	if r.Text != "New Creatinine- and Cystatin C-Based Equations to Estimate GFR without Race. It is from The New "+
		"England journal of medicine of 2021." {
		t.Error(r.Text)
	}
}

func TestAbstractIsReadWithItsParts(t *testing.T) {
	byName := newTools(t, &ncbi{}, Options{})
	r := toolstest.Call(t, byName["pubmed_abstract"], `{"pmid":"34554658"}`)
	if r.Text != "Background: Current equations use age & race. Results: P30 was 0.9." || !r.Foreign {
		t.Error(r.Text)
	}
	if got := toolstest.Call(t, byName["pubmed_abstract"], `{"pmid":"5"}`).Text; got != "There is no abstract of that paper." {
		t.Error(got)
	}
}

func TestRefusalsAreSpokenPlainlyAndTheKeyIsNot(t *testing.T) {
	for _, c := range []struct {
		o           Options
		n           *ncbi
		query       string
		say, reason string
	}{
		{Options{Key: "hunter2"}, &ncbi{}, "x y", "The library of medicine did not take the question.",
			"status 400: API key invalid"},
		{Options{}, &ncbi{rate: 1}, "x y", "The library of medicine was asked too often. Please try again later.",
			"status 429: API rate limit exceeded"},
		{Options{}, &ncbi{}, "down", "The library of medicine gave an answer that I do not understand.",
			"Search Backend failed"},
	} {
		_, err := newTools(t, c.n, c.o)["pubmed_search"].Call(t.Context(),
			tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(fmt.Sprintf(`{"query":%q}`, c.query))}})
		var f *tools.Failure
		if !errors.As(err, &f) || f.Say != c.say || !strings.Contains(f.Error(), c.reason) ||
			strings.Contains(f.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	}
}

func TestRequestsKeepTheRateOfTheNCBI(t *testing.T) {
	for rate, every := range map[int]time.Duration{withoutKey: time.Second / withoutKey,
		withKey: time.Second / withKey} {
		synctest.Test(t, func(t *testing.T) {
			p := &pacer{every: every}
			var at []time.Time
			var mu sync.Mutex
			var wg sync.WaitGroup
			for range 20 {
				wg.Go(func() {
					if err := p.wait(t.Context()); err != nil {
						t.Error(err)
					}
					mu.Lock()
					at = append(at, time.Now())
					mu.Unlock()
				})
			}
			wg.Wait()
			for i := rate; i < len(at); i++ {
				if d := at[i].Sub(at[i-rate]); d < time.Second-time.Millisecond {
					t.Errorf("%d requests within %v", rate+1, d)
				}
			}
		})
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pacer{every: time.Hour}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.wait(ctx); err != nil {
			t.Error(err)
		}
		if err := p.wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

func TestWithoutAnAddressThereAreNoTools(t *testing.T) {
	if all, err := New(Options{}); len(all) != 0 || err != nil {
		t.Errorf("%v %v", all, err)
	}
}

func FuzzReadAbstract(f *testing.F) {
	f.Add([]byte(`<PubmedArticleSet><AbstractText Label="A">x</AbstractText></PubmedArticleSet>`))
	f.Add([]byte(`<!DOCTYPE x [<!ENTITY a "b">]><PubmedArticleSet><AbstractText Label="é">&a;</AbstractText>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if text, err := readAbstract(data); err == nil &&
			(strings.ContainsAny(text, "\n\x00") || len(text) > 4*maxAbstract+8) {
			t.Errorf("%q", text)
		}
	})
}
