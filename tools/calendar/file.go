package calendar

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-ical"

	"hearthd/config/files"
)

// maxFile bounds an .ics file, in bytes: 100,000 events have some 30 MB.
const maxFile = 64 << 20

// fileStore is an .ics file. Whatever it does not understand in the file stays there byte by
// byte.
type fileStore struct {
	path, name string
	home       *time.Location
	log        *slog.Logger
	mu         sync.Mutex
}

func (s *fileStore) calendars(context.Context) ([]string, error) { return []string{s.name}, nil }

// open opens the file; nil: there is none. A file that is no calendar is renamed, and logged.
func (s *fileStore) open() (*os.File, error) {
	f, err := os.Open(s.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxFile) {
		err = fmt.Errorf("open calendar: want a file of at most %d MB", maxFile>>20)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	start := make([]byte, 64)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.Join(err, f.Close())
	}
	begin := strings.TrimLeft(string(start[:n]), "\uFEFF \t\r\n")
	if n == 0 || strings.HasPrefix(strings.ToUpper(begin), "BEGIN:VCALENDAR") {
		_, err = f.Seek(0, io.SeekStart)
		return f, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	kept := s.aside()
	s.log.Error("damaged calendar kept aside", "component", "tools", "path", s.path, "kept", kept)
	return nil, os.Rename(s.path, kept)
}

func (s *fileStore) aside() string {
	return s.path + ".kept-" + time.Now().UTC().Format("20060102T150405.000Z")
}

func (s *fileStore) near(_ context.Context, from, to time.Time) (all []*entry, unread, skipped []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, skipped, err = s.read(from, to)
	return all, nil, skipped, err
}

func (s *fileStore) read(from, to time.Time) ([]*entry, []string, error) {
	f, err := s.open()
	if f == nil {
		return nil, nil, err
	}
	defer f.Close()
	c := collection{home: s.home, from: from, to: to, calendar: s.name}
	if err := c.read(f, "", ""); err != nil {
		return nil, nil, fmt.Errorf("read calendar: %w", err)
	}
	for _, e := range c.entries {
		e.tag, e.from, e.to = fingerprint(e), from, to
	}
	return c.entries, c.skipped, nil
}

// fingerprint changes when the entry does.
func fingerprint(e *entry) string {
	sum := sha256.Sum256(encode(e.events...))
	return string(sum[:])
}

// unchanged returns errChanged or errGone if an entry is not as near returned it.
func (s *fileStore) unchanged(e *entry) error {
	now, _, err := s.read(e.from, e.to)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(now, func(o *entry) bool { return o.uid == e.uid })
	switch {
	case i < 0:
		return errGone
	case now[i].tag != e.tag:
		return errChanged
	}
	return nil
}

func (s *fileStore) create(_ context.Context, _ string, e *entry) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.name, s.edit("", 0, e.events)
}

func (s *fileStore) change(_ context.Context, e *entry) error { return s.replace(e, e.events) }

func (s *fileStore) remove(_ context.Context, e *entry) error { return s.replace(e, nil) }

// replace writes events in place of those of e. With no events it removes everything that has its UID.
func (s *fileStore) replace(e *entry, events []*ical.Component) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.unchanged(e); err != nil {
		return err
	}
	parts := 0
	if len(events) > 0 {
		parts = e.parts
	}
	return s.edit(e.uid, parts, events)
}

// edit removes the events of a UID, adds others, and replaces the file in one step. If parts
// is not 0, there must be so many to remove. The rest of the file is copied byte by byte.
func (s *fileStore) edit(uid string, parts int, events []*ical.Component) error {
	f, err := s.open()
	if err != nil {
		return fmt.Errorf("edit calendar: %w", err)
	}
	var old io.ReaderAt = bytes.NewReader([]byte(head + foot))
	size := int64(len(head + foot))
	if f != nil {
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if info.Size() > 0 {
			old, size = f, info.Size()
		}
	}
	p, err := find(io.NewSectionReader(old, 0, size), uid)
	if err != nil {
		return fmt.Errorf("edit calendar: %w", err)
	}
	if uid != "" && len(p.drop) == 0 {
		return errGone
	}
	if parts != 0 && parts != p.own {
		return errPartly
	}
	if p.broken {
		// Its end is missing, so a copy is kept for whoever can read more of it.
		if err := os.Link(s.path, s.aside()); err != nil {
			return fmt.Errorf("keep damaged calendar aside: %w", err)
		}
	}
	return files.Replace(s.path, 0o600, func(w io.Writer) error {
		at := int64(0)
		for _, gap := range append(p.drop, [2]int64{p.last, p.last}) {
			if _, err := io.Copy(w, io.NewSectionReader(old, at, gap[0]-at)); err != nil {
				return err
			}
			at = gap[1]
		}
		if p.last == size { // the last line may lack its end
			if _, err := io.WriteString(w, "\r\n"); err != nil {
				return err
			}
		}
		if _, err := w.Write(encode(events...)); err != nil {
			return err
		}
		if p.broken {
			_, err := io.WriteString(w, foot)
			return err
		}
		_, err := io.Copy(w, io.NewSectionReader(old, p.last, size-p.last))
		return err
	})
}

// places are the positions of the parts of a calendar file, in bytes.
type places struct {
	drop   [][2]int64 // the events of a UID, and components without an end
	own    int        // how many of them are events of the UID
	last   int64      // where new events go
	broken bool       // a component, or the calendar, has no end
}

func find(r io.Reader, uid string) (p places, err error) {
	in := newReader(r)
	for {
		c, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return p, err
		}
		open := errors.Is(c.err, errOpen)
		mine := uid != "" && c.Name == ical.CompEvent && text(c.Component, ical.PropUID) == uid
		if open || mine {
			p.drop = append(p.drop, [2]int64{c.start, c.end})
		}
		if mine && !open {
			p.own++
		}
		p.broken = p.broken || open
	}
	if p.last = in.last; in.last < 0 {
		p.last, p.broken = in.at, true
		return p, nil
	}
	for len(p.drop) > 0 && p.drop[len(p.drop)-1][0] >= in.last {
		p.drop = p.drop[:len(p.drop)-1] // behind the calendar
	}
	return p, nil
}
