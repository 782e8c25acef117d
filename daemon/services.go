package daemon

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"hearthd/config"
	"hearthd/daemon/recall"
	"hearthd/daemon/state"
	"hearthd/tools"
	"hearthd/tools/calendar"
	"hearthd/tools/fetch"
	"hearthd/tools/home/act"
	"hearthd/tools/medical"
	"hearthd/tools/news"
	"hearthd/tools/pubmed"
	"hearthd/tools/search"
	"hearthd/tools/stocks"
	"hearthd/tools/weather"
)

// serviceTools are the tools that ask services on the internet, as far as they are configured;
// those that calculate what papers publish; and the calendar, if there is one.
func (d *base) serviceTools(cfg *config.Config, known *recall.Recollection, house *homes) ([]tools.Tool, error) {
	c, agent := &cfg.Tools, "hearthd/"+cmp.Or(d.opt.Version, "dev")
	client, person := fetch.New(fetch.Options{UserAgent: agent}), recall.NewProfile(known)
	feeds := each(c.News.Feeds, func(f config.Feed) news.Feed { return news.Feed(f) })
	all, errs := medical.New(d.book), []error(nil)
	add := func(some []tools.Tool, err error) { all, errs = append(all, some...), append(errs, err) }
	sky := weather.Options{
		Client: client, ForecastURL: c.Weather.URL, GeocodingURL: c.Weather.Geocoding, Home: person, Book: d.book,
		Location: d.zone,
	}
	if house.agent != nil {
		sky.House = house.agent
	}
	if house.source != nil {
		sky.Outside = func() (tools.Result, bool) { return act.Outside(house.source, d.book) }
	}
	add(weather.New(sky))
	add(news.New(news.Options{
		Book: d.book, Client: client, Feeds: feeds, Log: d.log, APIURL: c.News.URL, Key: d.secrets.Get(c.News.Key),
		Country: c.News.Country,
	}))
	add(stocks.New(stocks.Options{Book: d.book, Client: client, URL: c.Stocks.URL, Key: d.secrets.Get(c.Stocks.Key),
		Watched: person}))
	add(search.New(search.Options{
		Book: d.book, Client: client, Pages: fetch.New(fetch.Options{UserAgent: agent, Outside: true}),
		SearXNG: c.Search.SearXNG, Brave: c.Search.Brave, Key: d.secrets.Get(c.Search.Key),
	}))
	add(pubmed.New(pubmed.Options{Book: d.book, Client: client, URL: c.PubMed.URL, Email: c.PubMed.Email,
		Key: d.secrets.Get(c.PubMed.Key)}))
	o := &c.Calendar
	dates := calendar.Options{
		URL: o.URL, User: o.User, Password: d.secrets.Get(o.Password), Agent: agent, Calendars: o.Calendars,
		Usual: o.AddTo,
		File:  state.Calendar(d.opt.StateDir), Location: named(d.zone, "/etc/localtime"), Book: d.book, Log: d.log,
	}
	if o.Source == "homeassistant" {
		dates.House = house.house
	}
	add(calendar.New(dates))
	return all, errors.Join(errs...)
}

// missing is the sentence for people who ask for a tool that cannot work, when nobody else can
// answer.
func (d *base) missing(tool string) string {
	switch tool {
	case "stocks_quote", "stocks_watch":
		return d.book.Say("dialogue.no_stocks")
	case "media_find":
		return d.book.Say("media.no_directory")
	case "web_search":
		return d.book.Say("dialogue.no_search")
	case "knowledge_search":
		return d.book.Say("dialogue.no_documents")
	case "home_control", "home_later", "home_read", "home_choose", "home_undo":
		return d.book.Say("dialogue.no_devices")
	}
	return ""
}

// british reports whether a person measures as the British do: one who lives there, or whose clock
// is set there, unless they want US units.
func british(zone *time.Location, known *recall.Recollection) func(ctx context.Context, person string) bool {
	return func(ctx context.Context, person string) bool {
		place, us, err := recall.NewProfile(known).Home(ctx, person)
		return err == nil && !us && (britishPlace(place) || britishClock(zone))
	}
}

func britishPlace(place string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(place),
		func(r rune) bool { return !unicode.IsLetter(r) }), func(w string) bool {
		return slices.Contains([]string{"uk", "britain", "england", "scotland", "wales", "ireland", "kingdom"}, w)
	})
}

// britishClock looks at the names of the time there, because the system's zone has no name of its
// own: GMT in winter, and British or Irish Summer Time.
func britishClock(zone *time.Location) bool {
	winter, _ := time.Date(2026, time.January, 1, 0, 0, 0, 0, zone).Zone()
	summer, _ := time.Date(2026, time.July, 1, 0, 0, 0, 0, zone).Zone()
	return winter == "GMT" && (summer == "BST" || summer == "IST")
}

// named gives the zone of this machine its IANA name, which other programs that read a calendar
// need, as far as link shows it.
func named(zone *time.Location, link string) *time.Location {
	if zone != time.Local {
		return zone
	}
	target, err := os.Readlink(link)
	_, name, ok := strings.Cut(target, "zoneinfo/")
	if err != nil || !ok {
		return zone
	}
	if loc, err := time.LoadLocation(name); err == nil {
		return loc
	}
	return zone
}
