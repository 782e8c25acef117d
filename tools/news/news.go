package news

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"hearthd/language"
	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
)

const (
	usual = 3 // headlines; nobody remembers more
	most  = 10
	// keep is how long people can ask about the headlines that they heard.
	keep = time.Hour
)

// Feed is one source of headlines.
type Feed struct {
	Name  string // as it is said
	URL   string
	Topic string // such as world or sport; empty: the news of the day
}

// Options says where the news come from.
type Options struct {
	Book   *phrase.Book // what is said
	Client *fetch.Client
	Feeds  []Feed
	Log    *slog.Logger
	// Key is for NewsAPI, which is then asked before the feeds.
	APIURL, Key string
	Country     string // of NewsAPI's headlines, as two letters; empty: us
}

type news struct {
	Options
	feeds *fetch.Cache[string, *feedState]

	mu     sync.Mutex
	told   []item
	toldAt time.Time
}

// New makes the tools; none if there is neither a feed nor a key.
func New(o Options) ([]tools.Tool, error) {
	if len(o.Feeds) == 0 && (o.Key == "" || o.APIURL == "") {
		return nil, nil
	}
	if o.Book == nil || o.Client == nil || o.Log == nil {
		return nil, errors.New("make news tools: a book, a client and a logger are needed")
	}
	n := &news{Options: o, feeds: fetch.NewCache[string, *feedState](maxFeeds, fresh)}
	return []tools.Tool{
		tools.WithLimits(tools.Query("news_headlines", "Tells headlines, by topic if one is given.", n.headlines),
			tools.Limits{Timeout: 20 * time.Second}),
		tools.Query("news_story", "Tells more about one of the headlines that were told last.", n.story),
	}, nil
}

// item is one headline.
type item struct {
	Title   string    `json:"title"`
	Summary string    `json:"summary,omitempty"`
	Link    string    `json:"link,omitempty"`
	Source  string    `json:"source"`
	At      time.Time `json:"at,omitzero"`
}

// answer is the structured result. Skipped says why feeds were left out, by their names.
type answer struct {
	Headlines []item            `json:"headlines"`
	Skipped   map[string]string `json:"skipped,omitempty"`
}

func (n *news) headlines(ctx context.Context, a struct {
	Topic string `json:"topic" max:"60" about:"such as world, business, technology, science, health, sport, entertainment, or any word; the news of the day when it is not given"`
	Count int    `json:"count" min:"1" max:"10" about:"3 when it is not given"`
}) (tools.Result, error) {
	topic := canonical(a.Topic)
	count := cmp.Or(a.Count, usual)
	items, skipped, err := n.find(ctx, topic)
	if err != nil {
		return tools.Result{}, err
	}
	if len(items) == 0 {
		text := n.Book.Say("news.none")
		if topic != "" {
			text = n.Book.Say("news.none_about", phrase.Args{"topic": fetch.Line(topic, 60)})
		}
		return tools.Result{Text: text, Data: answer{[]item{}, skipped}}, nil
	}
	items = items[:min(len(items), count, most)]
	n.mu.Lock()
	n.told, n.toldAt = items, time.Now()
	n.mu.Unlock()
	return tools.Result{Text: n.say(items), Data: answer{items, skipped}, Sources: sources(items), Foreign: true}, nil
}

// find finds the items of a topic: with NewsAPI, if there is a key and it answers, or else in
// the feeds.
func (n *news) find(ctx context.Context, topic string) ([]item, map[string]string, error) {
	var apiErr error
	if n.Key != "" && n.APIURL != "" {
		items, err := n.api(ctx, topic)
		if err == nil && len(items) > 0 || len(n.Feeds) == 0 {
			if err != nil {
				err = fetch.Failure(n.Book, n.Book.Part("news.service"), err)
			}
			return items, nil, err
		}
		apiErr = err
	}
	items, skipped, err := n.fromFeeds(ctx, topic)
	if apiErr != nil {
		n.Log.WarnContext(ctx, "news service left out", "component", "tools", "tool", "news_headlines", "error", apiErr)
		if skipped == nil {
			skipped = make(map[string]string)
		}
		skipped["NewsAPI"] = apiErr.Error()
	}
	return items, skipped, err
}

func (n *news) story(_ context.Context, a struct {
	Number int `json:"number" need:"yes" min:"-1" max:"10" about:"which of the headlines that were told last; -1 is the last one"`
}) (tools.Result, error) {
	n.mu.Lock()
	told := n.told
	if time.Since(n.toldAt) > keep {
		told = nil
	}
	n.mu.Unlock()
	switch {
	case len(told) == 0:
		return tools.Result{Text: n.Book.Say("news.none_lately")}, nil
	case a.Number < 1:
		a.Number = len(told)
	case a.Number > len(told):
		return tools.Result{Text: n.Book.Say("news.only", phrase.Args{"n": len(told)})}, nil
	}
	it := told[a.Number-1]
	text := sentence(it.Summary)
	if text == "" {
		text = n.Book.Say("news.no_more", phrase.Args{"text": sentence(it.Title)})
	}
	return tools.Result{Text: text, Data: it, Sources: sources([]item{it}), Foreign: true}, nil
}

// say is the headlines as they are spoken, with each source named once.
func (n *news) say(items []item) string {
	var said []string
	for i, it := range items {
		text := sentence(it.Title)
		if i == 0 || it.Source != items[i-1].Source {
			text = n.Book.Part("news.from", phrase.Args{"source": it.Source, "text": text})
		}
		said = append(said, text)
	}
	return strings.Join(said, " ")
}

// sentence is text with a full stop, unless it ends like a sentence.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasSuffix(text, "…") || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}

func sources(items []item) []llm.Source {
	var list []llm.Source
	for _, it := range items {
		list = append(list, llm.Source{Title: it.Source + ": " + it.Title, URL: it.Link})
	}
	return list
}

// topics are the usual name of a topic by its other names; that of the news of the day is empty.
var topics = func() map[string]string {
	all := map[string]string{}
	for topic, words := range language.Words("topics.txt") {
		if topic == "day" {
			topic = ""
		}
		for _, w := range words {
			all[w] = topic
		}
	}
	return all
}()

// canonical is the usual name of a topic.
func canonical(topic string) string {
	topic = strings.ToLower(fetch.Line(topic, 60))
	if same, ok := topics[topic]; ok {
		return same
	}
	return topic
}
