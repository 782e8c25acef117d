package calendar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

// Options says where the calendar is: in the House, on the server at URL, or else in File.
type Options struct {
	House          assistant // nil: not there
	URL            string    // of a CalDAV server, or of a principal or calendar there
	User, Password string
	Agent          string   // names the program to the server
	Calendars      []string // names of the calendars that are used; empty: all
	Usual          string   // name of the calendar for new events; empty: the first

	File     string // .ics
	Location *time.Location
	Book     *phrase.Book // what is said
	Log      *slog.Logger
	now      func() time.Time // nil: time.Now
}

type calendar struct {
	store store
	loc   *time.Location
	book  *phrase.Book
	log   *slog.Logger
	now   func() time.Time

	mu    sync.Mutex
	named map[string]bool // skipped entries that have been logged
}

// callLimit bounds a call, which may ask a server for several calendars.
const callLimit = 20 * time.Second

// New makes the tools. It opens nothing.
func New(o Options) ([]tools.Tool, error) {
	if o.Location == nil || o.Book == nil || o.Log == nil || o.House == nil && o.URL == "" && o.File == "" {
		return nil, errors.New(
			"make calendar tools: a house, a server or a file, a time zone, a book and a logger are needed")
	}
	c := &calendar{loc: o.Location, book: o.Book, log: o.Log, now: o.now, named: make(map[string]bool)}
	if c.now == nil {
		c.now = time.Now
	}
	var err error
	if c.store, err = o.store(); err != nil {
		return nil, fmt.Errorf("make calendar tools: %w", err)
	}
	slow := func(t tools.Tool) tools.Tool { return tools.WithLimits(t, tools.Limits{Timeout: callLimit}) }
	return []tools.Tool{
		slow(tools.Query("calendar_list", "Tells the appointments of a day, a week or a month.", c.list)),
		slow(tools.Query("calendar_next", "Tells the next appointment, or when one of a given name comes next.", c.next)),
		slow(tools.Action("calendar_add", "Adds an appointment to the calendar.", c.add)),
		slow(tools.Action("calendar_move", "Moves an appointment to another day or time, or renames it.", c.move)),
		tools.WithLimits(tools.Action("calendar_delete", "Deletes an appointment, after asking.", c.remove),
			tools.Limits{Timeout: callLimit, ConfirmFunc: c.mayDelete}),
	}, nil
}

// store is where the calendars are kept.
func (o *Options) store() (store, error) {
	switch {
	case o.House != nil:
		return &houseStore{there: o.House, allowed: o.Calendars, usual: o.Usual, home: o.Location}, nil
	case o.URL == "":
		return &fileStore{path: o.File, name: "Home", home: o.Location, log: o.Log}, nil
	}
	base, err := url.Parse(o.URL)
	if err != nil || base.Host == "" {
		return nil, errors.New("the address of the server is not valid") // err would show a password
	}
	return &davStore{
		base: base, asker: newAsker(o.User, o.Password, o.Agent), allowed: o.Calendars, usual: o.Usual, home: o.Location,
	}, nil
}

// ErrLocked says that a server does not accept the user or the password.
var ErrLocked = errors.New("the server does not accept the password")

// Look names the calendars that the tools made of o would use. The error may be ErrLocked.
func Look(ctx context.Context, o Options) ([]string, error) {
	kept, err := o.store()
	if err != nil {
		return nil, fmt.Errorf("look for calendars: %w", err)
	}
	names, err := kept.calendars(ctx)
	if locked(err) {
		err = ErrLocked
	}
	if err != nil {
		return nil, fmt.Errorf("look for calendars: %w", err)
	}
	return names, nil
}

// events lists the events between two instants, of one calendar if it is named. but is a sentence about calendars that
// could not be read, which belongs behind the answer.
func (c *calendar) events(ctx context.Context, from, to time.Time, name string) (
	list []appointment, but string, err error,
) {
	if name != "" {
		if name, err = c.called(ctx, name); err != nil {
			return nil, "", err
		}
	}
	all, unread, skipped, err := events(ctx, c.store, from, to, c.loc)
	if err != nil {
		return nil, "", c.failure(err)
	}
	c.logSkipped(skipped)
	if len(unread) > 0 {
		but = c.book.Say("calendar.unread", phrase.Args{"calendars": unread})
	}
	switch {
	case name == "":
		return all, but, nil
	case slices.Contains(unread, name):
		return nil, "", &tools.Failure{Say: but, Cause: fmt.Errorf("read calendar %q: it is among those skipped", name)}
	}
	return slices.DeleteFunc(all, func(e appointment) bool { return e.Calendar != name }), "", nil
}

// called finds the calendar that somebody calls by name.
func (c *calendar) called(ctx context.Context, name string) (string, error) {
	all, err := c.store.calendars(ctx)
	if err != nil {
		return "", c.failure(err)
	}
	said := strings.Join(slices.DeleteFunc(strings.Fields(plain(name)), func(w string) bool {
		return slices.Contains(words["calendar"], w)
	}), " ")
	for _, n := range all {
		if plain(n) == said || plain(n) == plain(name) {
			return n, nil
		}
	}
	return "", &tools.Failure{
		Say:   c.book.Say("calendar.no_calendar", phrase.Args{"name": fetch.Line(name, maxTitle)}),
		Told:  "The calendars are " + strings.Join(all, ", ") + ".",
		Cause: fmt.Errorf("find calendar: %w", errNowhere),
	}
}

// maxNamed bounds the skipped entries that are remembered.
const maxNamed = 200

// logSkipped logs skipped entries, each once.
func (c *calendar) logSkipped(skipped []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range skipped {
		if !c.named[s] && len(c.named) < maxNamed {
			c.named[s] = true
			c.log.Warn("calendar entry skipped", "component", "tools", "tool", "calendar_list", "error", s)
		}
	}
}

// failure tells the person why the calendar cannot be used.
func (c *calendar) failure(err error) error {
	if _, ok := errors.AsType[*tools.Failure](err); ok {
		return err
	}
	key := "unreachable"
	switch {
	case errors.Is(err, errGone):
		key = "gone"
	case errors.Is(err, errChanged):
		key = "raced"
	case errors.Is(err, errNowhere):
		key = "nowhere"
	case errors.Is(err, errPartly):
		key = "partly"
	case locked(err):
		key = "locked"
	}
	return &tools.Failure{Say: c.book.Say("calendar.failed_" + key), Cause: err}
}

// locked reports whether a server refused the user or the password.
func locked(err error) bool {
	status, ok := errors.AsType[*fetch.StatusError](err)
	return ok && (status.Code == http.StatusUnauthorized || status.Code == http.StatusForbidden)
}

// wall is what a clock in the home shows now.
func (c *calendar) wall() time.Time { return when.Float(c.now(), c.loc) }

// behind adds a sentence to an answer, if there is one.
func behind(r tools.Result, but string) tools.Result {
	if but != "" {
		r.Text += " " + but
	}
	return r
}

// result is an answer about events, whose words others may have written.
func result(text string, list []appointment) tools.Result {
	r := tools.Result{Text: text, Data: append([]appointment{}, list...), Foreign: len(list) > 0}
	seen := make(map[string]bool)
	for _, e := range list {
		if !seen[e.Calendar] {
			seen[e.Calendar] = true
			r.Sources = append(r.Sources, llm.Source{Title: "the calendar " + cmp.Or(e.Calendar, "of the house")})
		}
	}
	return r
}
