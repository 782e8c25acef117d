package calendar

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-ical"
	"github.com/emersion/go-webdav"
	"github.com/emersion/go-webdav/caldav"

	"hearthd/tools/fetch"
)

const (
	maxReply     = 8 << 20 // bytes of one answer of a server
	maxReplies   = 5000    // resources in it
	maxCalendars = 32
	maxRedirects = 5
	foundFor     = time.Hour // how long the list of calendars is kept
	davTimeout   = 10 * time.Second
)

// davStore is the calendars of one person on a CalDAV server (RFC 4791).
//
// go-webdav finds the calendars. Queries and changes are done here, because it reads answers
// of any length, fails altogether on one bad event, and cannot make a change depend on the
// version that was read.
type davStore struct {
	base    *url.URL
	asker   *asker
	allowed []string // names; empty: all
	usual   string   // name of the calendar for new events
	home    *time.Location

	mu      sync.Mutex
	found   []caldav.Calendar
	foundAt time.Time
}

// look lists the allowed calendars that hold events.
func (s *davStore) look(ctx context.Context) ([]caldav.Calendar, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found != nil && time.Since(s.foundAt) < foundFor {
		return s.found, nil
	}
	dav, err := webdav.NewClient(s.asker, s.base.String())
	if err != nil {
		return nil, err
	}
	principal, err := dav.FindCurrentUserPrincipal(ctx)
	if err != nil {
		return nil, fmt.Errorf("find principal: %w", err)
	}
	client, err := caldav.NewClient(s.asker, s.base.String())
	if err != nil {
		return nil, err
	}
	set, err := client.FindCalendarHomeSet(ctx, principal)
	if err != nil {
		return nil, fmt.Errorf("find calendar home set: %w", err)
	}
	all, err := client.FindCalendars(ctx, set)
	if err != nil {
		return nil, fmt.Errorf("list calendars: %w", err)
	}
	var found []caldav.Calendar
	for _, c := range all {
		c.Name = cmp.Or(fetch.Line(c.Name, maxTitle), path.Base(c.Path))
		c.Path = (&url.URL{Path: c.Path}).EscapedPath() // go-webdav returns it unescaped
		holds := len(c.SupportedComponentSet) == 0 || slices.Contains(c.SupportedComponentSet, ical.CompEvent)
		called := func(n string) bool { return strings.EqualFold(n, c.Name) }
		allowed := len(s.allowed) == 0 || slices.ContainsFunc(s.allowed, called)
		if holds && allowed && len(found) < maxCalendars {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("list calendars: %w", errNowhere)
	}
	s.found, s.foundAt = found, time.Now()
	return found, nil
}

// forget makes look ask the server again.
func (s *davStore) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found = nil
}

func (s *davStore) calendars(ctx context.Context) ([]string, error) {
	found, err := s.look(ctx)
	names := make([]string, len(found))
	for i, c := range found {
		names[i] = c.Name
	}
	return names, err
}

const queryBody = `<?xml version="1.0" encoding="utf-8"?>
<C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/><C:calendar-data/></D:prop>
<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:time-range start="%s" end="%s"/>
</C:comp-filter></C:comp-filter></C:filter>
</C:calendar-query>`

// resource is one result of a query.
type resource struct {
	Href  string `xml:"href"`
	Props []struct {
		ETag string `xml:"prop>getetag"`
		Data string `xml:"prop>calendar-data"`
	} `xml:"propstat"`
}

// near queries each calendar.
func (s *davStore) near(ctx context.Context, from, to time.Time) (all []*entry, unread, skipped []string, err error) {
	found, err := s.look(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	var errs []error
	for _, c := range found {
		in := collection{home: s.home, from: from, to: to, calendar: c.Name}
		if err := s.query(ctx, c.Path, &in); err != nil {
			errs, unread = append(errs, fmt.Errorf("ask for calendar %q: %w", c.Name, err)), append(unread, c.Name)
			skipped = append(skipped, errs[len(errs)-1].Error())
		}
		all, skipped = append(all, in.entries...), append(skipped, in.skipped...)
	}
	if len(errs) > 0 {
		s.forget()
	}
	if len(errs) == len(found) {
		return nil, nil, nil, errors.Join(errs...)
	}
	return all, unread, skipped, nil
}

func (s *davStore) query(ctx context.Context, place string, into *collection) error {
	utc := func(t time.Time) string { return t.UTC().Format("20060102T150405Z") }
	// One more day on both sides, because servers take whole days to be in UTC.
	body := fmt.Sprintf(queryBody, utc(into.from.Add(-day)), utc(into.to.Add(day)))
	header := http.Header{"Depth": {"1"}, "Content-Type": {"application/xml; charset=utf-8"}}
	res, err := s.ask(ctx, "REPORT", place, []byte(body), header)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	dec := xml.NewDecoder(res.Body)
	for n := 0; ; {
		t, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read answer: %w", err)
		}
		begin, ok := t.(xml.StartElement)
		if !ok || begin.Name.Local != "response" {
			continue
		}
		var r resource
		if err := dec.DecodeElement(&r, &begin); err != nil {
			return fmt.Errorf("read answer: %w", err)
		}
		if n++; n > maxReplies {
			return fmt.Errorf("read answer: more than %d events", maxReplies)
		}
		href, err := s.base.Parse(strings.TrimSpace(r.Href))
		if err != nil || href.Host != s.base.Host {
			into.skip("an event", errors.New("its address is not one of this server"))
			continue
		}
		for _, p := range r.Props {
			if p.Data == "" {
				continue
			}
			if err := into.read(strings.NewReader(p.Data), href.EscapedPath(), p.ETag); err != nil {
				return err
			}
		}
	}
}

// ask sends a request and returns only successful answers.
func (s *davStore) ask(
	ctx context.Context, method, place string, body []byte, header http.Header,
) (*http.Response, error) {
	u, err := s.base.Parse(place)
	if err != nil {
		return nil, err
	}
	if u.Host != s.base.Host { // as with a path that begins with //
		return nil, fmt.Errorf("ask %s: the calendar server names a place elsewhere", u.Host)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = header
	res, err := s.asker.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode/100 == 2 {
		return res, nil
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusPreconditionFailed, http.StatusConflict:
		return nil, errChanged
	case http.StatusNotFound, http.StatusGone:
		return nil, errGone
	}
	return nil, &fetch.StatusError{Code: res.StatusCode}
}

// done is ask for requests whose answer has no content of use.
func (s *davStore) done(ctx context.Context, method, place string, body []byte, header http.Header) error {
	res, err := s.ask(ctx, method, place, body, header)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

func (s *davStore) create(ctx context.Context, name string, e *entry) (string, error) {
	found, err := s.look(ctx)
	if err != nil {
		return "", err
	}
	name = cmp.Or(name, s.usual)
	i := slices.IndexFunc(found, func(c caldav.Calendar) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 && name != "" {
		return "", errNowhere
	}
	c := found[max(i, 0)]
	place := strings.TrimSuffix(c.Path, "/") + "/" + rand.Text() + ".ics"
	return c.Name, s.done(ctx, http.MethodPut, place, resourceOf(e), header("If-None-Match", "*"))
}

func (s *davStore) change(ctx context.Context, e *entry) error {
	if e.parts == 0 {
		return errPartly
	}
	tag, err := s.condition(ctx, e)
	if err != nil {
		return err
	}
	return s.done(ctx, http.MethodPut, e.place, resourceOf(e), header("If-Match", tag))
}

func (s *davStore) remove(ctx context.Context, e *entry) error {
	tag, err := s.condition(ctx, e)
	if err != nil {
		return err
	}
	return s.done(ctx, http.MethodDelete, e.place, nil, header("If-Match", tag))
}

// condition is the tag on which a change of e is to depend. A weak tag never matches
// If-Match (RFC 9110, 13.1.1), so it is compared here, and the change depends on nothing.
func (s *davStore) condition(ctx context.Context, e *entry) (tag string, err error) {
	was, weak := strings.CutPrefix(e.tag, "W/")
	if !weak {
		return e.tag, nil
	}
	res, err := s.ask(ctx, http.MethodGet, e.place, nil, http.Header{})
	if err != nil {
		return "", err
	}
	if err := res.Body.Close(); err != nil {
		return "", err
	}
	if now := strings.TrimPrefix(res.Header.Get("ETag"), "W/"); now != was {
		return "", errChanged
	}
	return "", nil
}

// header is the header of a change; name and value make it depend on what is stored.
func header(name, value string) http.Header {
	h := http.Header{"Content-Type": {ical.MIMEType + "; charset=utf-8"}}
	if value != "" {
		h.Set(name, value)
	}
	return h
}

func resourceOf(e *entry) []byte {
	return []byte(head + string(encode(e.others...)) + string(encode(e.events...)) + foot)
}
