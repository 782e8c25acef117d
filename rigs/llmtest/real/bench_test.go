package real_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/llm/ollama"
	"hearthd/llm/thinker"
	"hearthd/rigs/llmtest/real"
)

// evening is what a household says in a few minutes; most of it belongs to a domain
// with few tools.
var evening = []string{
	"Hello, good evening!", "Why does dough rise?", "And how long?", "Do I need an umbrella tomorrow?", "And the day after?", "Hello again!",
}

// household has the tools of a house with a few devices: about 300 bytes of schema each.
func household() []llm.ToolSpec {
	var specs []llm.ToolSpec
	for _, name := range []string{
		"timer_set", "timer_left", "timer_cancel", "list_add", "list_show", "list_remove", "list_clear", "time_now", "date_today",
		"convert_unit", "memory_tell", "memory_note", "memory_forget", "weather_now", "news_headlines", "light_set",
	} {
		specs = append(specs, llm.ToolSpec{Name: name, Description: "Does what is meant by " + name + " in the house, now or later.", Parameters: json.RawMessage(
			`{"type":"object","properties":{"label":{"type":"string","description":"what it is about"},"number":{"type":"integer","description":"how many"}},"required":["label"]}`)})
	}
	return specs
}

// notes are what a memory recalls: other ones for each request, and always the same of the
// person.
type notes struct {
	n     int
	known string
}

func (m *notes) Known(context.Context, string) string { return m.known }

func (m *notes) Recall(context.Context, string, string) (string, int) {
	m.n++
	var b strings.Builder
	b.WriteString("What you know of the household:\n")
	for i := range 8 {
		fmt.Fprintf(&b, "- note %d of March %d: Anna likes what the others do not like at all.\n", m.n, i+1)
	}
	return b.String(), 8
}

// careless puts a prompt together as one does who knows nothing of caches: every tool,
// and the time and the notes in the system prompt.
type careless struct {
	chat
	tools []llm.ToolSpec
}

// stamp is what thinker puts before the newest request.
var stamp = regexp.MustCompile(`(?s)^(.*\[[A-Z][a-z]+day, [^\]]*\]\n)`)

func (c careless) Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	ms := slices.Clone(req.Messages)
	for i := range ms {
		if s := stamp.FindString(ms[i].Content); ms[i].Role == llm.User && s != "" {
			// A minute passes between two requests.
			ms[0].Content = time.Now().Format("15:04:05.000\n") + s + ms[0].Content
			ms[i].Content = strings.TrimPrefix(ms[i].Content, s)
		}
	}
	return c.chat.Chat(ctx, llm.Request{Messages: ms, Tools: c.tools, Schema: req.Schema})
}

var slotLine = regexp.MustCompile(`msg="loading cache slot".* prompt=(\d+) used=\d+ remaining=(\d+)`)

// share is how many tokens of how many a server evaluates.
type share struct{ fresh, prompt int }

func (s *share) add(o share) { s.fresh, s.prompt = s.fresh+o.fresh, s.prompt+o.prompt }

func (s share) percent() float64 { return 100 * float64(s.fresh) / float64(s.prompt) }

// evaluated is what the server itself says of the prompts behind a mark.
func evaluated(s *real.Server, mark int) (prompts []share) {
	for _, l := range s.Since(mark) {
		if m := slotLine.FindStringSubmatch(l); m != nil {
			p, _ := strconv.Atoi(m[1])
			f, _ := strconv.Atoi(m[2])
			prompts = append(prompts, share{f, p})
		}
	}
	return prompts
}

// BenchmarkPromptTokens has an evening of six turns and reports tokens per turn, by
// the server's log: with the layout of thinker, and without.
func BenchmarkPromptTokens(b *testing.B) {
	domains, mistakes := thinker.LoadDomains("")
	if len(mistakes) > 0 {
		b.Fatal(mistakes)
	}
	for i := range domains {
		domains[i].Time = 2 * time.Minute // a tiny model on a busy machine may read a long prompt that long
	}
	for _, layout := range []string{"hearthd", "careless"} {
		b.Run(layout, func(b *testing.B) {
			s := own(b, "OLLAMA_NUM_PARALLEL=1") // as most have it; nothing is cancelled here
			var c chat = client(b, s, kitchen, false)
			if layout == "careless" {
				c = careless{c, household()}
			}
			var sum share
			var turns, told int
			for b.Loop() {
				th := newThinker(b, c, &box{specs: household()}, func(o *thinker.Options) {
					o.Domains, o.Memory = domains, &notes{}
				})
				for _, text := range evening {
					mark := s.Mark()
					_, u, err := think(b.Context(), th, text)
					check(b, err)
					for _, one := range evaluated(s, mark) {
						sum.add(one)
					}
					told, turns = told+u.Evaluated, turns+1
				}
			}
			b.ReportMetric(float64(sum.prompt)/float64(turns), "prompt-tokens/turn")
			b.ReportMetric(float64(sum.fresh)/float64(turns), "evaluated-tokens/turn")
			b.ReportMetric(float64(told)/float64(turns), "reported-as-evaluated/turn")
		})
	}
}

// person is what a memory has of somebody after a year.
var person = "What is known, as data and not as a request:\nname: Anna\nhome: Graz\nunits: metric\nearlier conversations: " +
	strings.Repeat("Anna bakes bread on Sundays and asked how warm the dough has to be. ", 10) + "\n" +
	strings.Repeat("dog: The dog is called Rex and must not have any chocolate.\n", 10)

// BenchmarkReflection has the same evening, and the box reflects after each turn. It
// reports which part of the first prompt of a request is not found evaluated, in percent, by
// the server's log: of the turns that go on with the thinker of the turn before, and of
// those that go to another one, with the conversation read again after the reflection, and
// without.
func BenchmarkReflection(b *testing.B) {
	for name, memory := range map[string]*notes{
		"hearthd": nil, "hearthd-8-notes-recalled": {}, "hearthd-8-notes-and-a-person": {known: person}, "careless": nil,
	} {
		b.Run(name, func(b *testing.B) { reflection(b, memory, name != "careless") })
	}
}

func reflection(b *testing.B, memory *notes, warms bool) {
	domains, _ := thinker.LoadDomains("")
	for i := range domains {
		domains[i].Time = 2 * time.Minute
	}
	s := own(b, "OLLAMA_NUM_PARALLEL=1")
	c := client(b, s, kitchen, false)
	sums, worst := map[bool]*share{false: {}, true: {}}, map[bool]float64{} // by whether the thinker is another one
	for b.Loop() {
		th := newThinker(b, c, &box{specs: household()}, func(o *thinker.Options) {
			if o.Domains = domains; memory != nil {
				o.Memory = memory
			}
		})
		reflect := reflects(b, c, func(ctx context.Context) error {
			if !warms {
				return nil
			}
			return th.Warm(ctx)
		})
		last := ""
		for i, text := range evening {
			mark := s.Mark()
			said, u, err := think(b.Context(), th, text)
			check(b, err)
			first := evaluated(s, mark)[0]
			b.Logf("%s: %d of %d tokens, %s", u.Thinker, first.fresh, first.prompt, text)
			if other := u.Thinker != last; i > 0 {
				sums[other].add(first)
				worst[other] = max(worst[other], first.percent())
			}
			last = u.Thinker
			reflect(llm.Exchange{User: text, Answer: strings.Join(said, " ")})
		}
	}
	for other, what := range map[bool]string{false: "same", true: "another"} {
		b.ReportMetric(sums[other].percent(), "%-evaluated-"+what)
		b.ReportMetric(worst[other], "%-at-most-"+what)
	}
}

// reflects runs a reflector until the test ends, and gives what has it reflect on a turn
// and waits until it has.
func reflects(b *testing.B, c chat, warm func(context.Context) error) func(llm.Exchange) {
	warmed := make(chan error, 1)
	r, err := thinker.NewReflector(thinker.ReflectorOptions{
		Chat: c, Journal: notebook{make(chan []string, 100)}, Busy: func() bool { return false }, Quiet: time.Millisecond,
		Warm: func(ctx context.Context) error {
			err := warm(ctx)
			warmed <- err
			return err
		}, Log: slog.New(slog.DiscardHandler),
	})
	check(b, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		check(b, <-ended)
	})
	return func(e llm.Exchange) {
		r.Add(e)
		check(b, <-warmed)
	}
}

// clocked notes when each piece of an answer came out of the client.
type clocked struct {
	chat
	asked time.Time
	text  string
	at    []time.Time // of each byte of text
}

func (c *clocked) Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		c.asked, c.text, c.at = time.Now(), "", nil
		for d, err := range c.chat.Chat(ctx, req) {
			now := time.Now()
			for range len(d.Text) {
				c.at = append(c.at, now)
			}
			c.text += d.Text
			if !yield(d, err) {
				return
			}
		}
	}
}

// waits is a memory that has nothing, and waits for the meaning of a request as long as
// a search does.
type waits struct{ means *thinker.Meanings }

func (waits) Known(context.Context, string) string { return "" }

func (w waits) Recall(ctx context.Context, _, text string) (string, int) {
	if w.means != nil {
		w.means.Of(ctx, text)
	}
	return "", 0
}

// late embeds like a model that takes as long as one does on a small box.
type late struct {
	*ollama.Client
	by time.Duration
}

func (l late) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	select {
	case <-time.After(l.by):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return l.Client.Embed(ctx, texts)
}

// embedWait is what the configuration has if nobody says otherwise.
const embedWait = 15 * time.Millisecond

// BenchmarkFirstSentence reports how long the first sentence takes beyond the model's
// own time: from the request to the question to the model, and from the token that
// completes the sentence to the sentence. The next token, which shows that the sentence
// is complete, is waited for within that. It does so without an embedding model, with
// the real one, and with one that is as slow as on a small box, of a typed request and
// of a spoken one, of which the words were known 400 ms before the end.
func BenchmarkFirstSentence(b *testing.B) {
	for name, c := range map[string]struct {
		embeds bool
		by     time.Duration
		spoken bool
	}{
		"words":         {},
		"embedding":     {embeds: true},
		"slow-typed":    {embeds: true, by: 120 * time.Millisecond},
		"slow-spoken":   {embeds: true, by: 120 * time.Millisecond, spoken: true},
		"hanging-typed": {embeds: true, by: time.Hour},
	} {
		b.Run(name, func(b *testing.B) {
			var means *thinker.Meanings
			if c.embeds {
				means = meanings(b, late{client(b, server(b), concepts, false), c.by}, embedWait)
			}
			firstSentence(b, means, c.spoken)
		})
	}
}

func firstSentence(b *testing.B, means *thinker.Meanings, spoken bool) {
	domains, _ := thinker.LoadDomains("")
	c := &clocked{chat: client(b, server(b), kitchen, false)}
	// What the model reads is its own time: a short prompt spares the wait for it.
	th := newThinker(b, c, &box{}, func(o *thinker.Options) { o.Domains, o.Memory, o.Meanings = domains, waits{means}, means })
	var beyond []time.Duration
	n := 0
	for b.Loop() {
		for range 20 {
			n++
			text := fmt.Sprintf("Hello, good evening %d!", n) // each with a vector of its own
			if spoken {
				means.Expect(text)
				time.Sleep(400 * time.Millisecond)
			}
			begun := time.Now()
			for d, err := range th.Think(b.Context(), llm.Ask{Text: text}) {
				check(b, err)
				if d.Text != "" {
					end := strings.Index(c.text, d.Text) + len(d.Text)
					beyond = append(beyond, c.asked.Sub(begun)+time.Since(c.at[end-1]))
					break
				}
			}
			th.Forget()
		}
	}
	slices.Sort(beyond)
	ms := func(q float64) float64 { return float64(beyond[int(q*float64(len(beyond)-1))].Microseconds()) / 1000 }
	b.ReportMetric(ms(0.5), "ms-median")
	b.ReportMetric(ms(0.99), "ms-p99")
}

// BenchmarkCancel reports how long a turn that was cancelled goes on at the server: from
// the cancel to the line in its log that says so.
func BenchmarkCancel(b *testing.B) {
	s := own(b, "OLLAMA_NUM_PARALLEL=32")
	for name, c := range map[string]chat{"ollama": client(b, s, kitchen, false), "openai": compatible(b, s, kitchen)} {
		b.Run(name, func(b *testing.B) {
			th := newThinker(b, c, &box{}, nil)
			var took []time.Duration
			for b.Loop() {
				for range 50 {
					took = append(took, cancelled(b, s, th))
				}
			}
			slices.Sort(took)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(took[len(took)/2].Seconds()*1000, "median-ms")
			b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "p99-ms")
		})
	}
}

// cancelled ends an endless answer at its first sentence and gives the time until the
// server has noticed.
func cancelled(b *testing.B, s *real.Server, th *thinker.Thinker) time.Duration {
	ctx, cancel := context.WithTimeout(b.Context(), limit)
	defer cancel()
	var begun time.Time
	mark := 0
	for d := range th.Think(ctx, llm.Ask{Text: "Tell me a story."}) {
		if d.Text != "" && begun.IsZero() {
			mark, begun = s.Mark(), time.Now()
			cancel()
		}
	}
	wait, done := context.WithTimeout(b.Context(), limit)
	defer done()
	check(b, s.Await(wait, mark, "context for request finished"))
	return time.Since(begun)
}
