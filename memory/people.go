package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hearthd/llm"
	"slices"
	"time"
)

const (
	maxProfile = 4 << 10 // bytes of JSON
	maxSummary = 4 << 10
	maxPeople  = 50
	maxTopics  = 10
	maxTopic   = 60 // bytes
)

// Profile is what a person told about themselves, or the household about itself.
type Profile struct {
	Called  string   `json:"called,omitempty"`  // how to address them
	Place   string   `json:"place,omitempty"`   // for weather and time
	Units   string   `json:"units,omitempty"`   // metric or imperial
	Tickers []string `json:"tickers,omitempty"` // watched stocks
}

// Person is the context of a person.
type Person struct {
	Name       string // as the configuration names them; empty: the household
	Profile    Profile
	Summary    string   // of all conversations so far
	Topics     []string // the newest first
	LastActive time.Time
	Sessions   int
}

// Person gives the context of a person, empty for one who is not known yet.
func (s *Store) Person(ctx context.Context, name string) (Person, error) {
	p, err := person(ctx, s.db, name)
	if err != nil {
		return p, fmt.Errorf("read person: %w", classify(err))
	}
	return p, nil
}

// People gives the contexts of everybody, the household first: 50 at most.
func (s *Store) People(ctx context.Context) ([]Person, error) {
	names, err := read(ctx, s, "people", func(r *sql.Rows, name *string) error { return r.Scan(name) },
		"SELECT name FROM people ORDER BY name")
	if err != nil {
		return nil, err
	}
	var all []Person
	for _, name := range names {
		p, err := s.Person(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func person(ctx context.Context, q querier, name string) (Person, error) {
	p := Person{Name: name}
	var profile, topics string
	row := q.QueryRowContext(ctx,
		"SELECT profile, summary, topics, last_active_ms, sessions FROM people WHERE name = ?", name)
	err := row.Scan(&profile, &p.Summary, &topics, (*millis)(&p.LastActive), &p.Sessions)
	if errors.Is(err, sql.ErrNoRows) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	return p, errors.Join(json.Unmarshal([]byte(profile), &p.Profile), json.Unmarshal([]byte(topics), &p.Topics))
}

// ChangePerson reads the context of a person, lets change alter it and stores it,
// in one transaction. Topics beyond the newest ten are dropped. Errors match
// ErrTooLong and ErrTooMany (50 people).
func (s *Store) ChangePerson(ctx context.Context, name string, change func(*Person)) error {
	return s.write(ctx, "change person", func(tx *sql.Tx) error { return changePerson(ctx, tx, name, change) })
}

func changePerson(ctx context.Context, tx *sql.Tx, name string, change func(*Person)) error {
	if len(name) > maxPerson {
		return fmt.Errorf("name of %d bytes: %w", len(name), ErrTooLong)
	}
	p, err := person(ctx, tx, name)
	if err != nil {
		return err
	}
	change(&p)
	p.Topics = slices.Clone(p.Topics[:min(len(p.Topics), maxTopics)])
	for i, t := range p.Topics {
		p.Topics[i] = cut(t, maxTopic)
	}
	profile, err1 := json.Marshal(p.Profile)
	topics, err2 := json.Marshal(p.Topics)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if len(profile) > maxProfile || len(p.Summary) > maxSummary {
		return fmt.Errorf("profile of %d and summary of %d bytes: %w", len(profile), len(p.Summary), ErrTooLong)
	}
	if err := room(ctx, tx, "SELECT count(*) FROM people WHERE name <> ?", maxPeople, name); err != nil {
		return err
	}
	active := int64(0)
	if !p.LastActive.IsZero() {
		active = p.LastActive.UnixMilli()
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO people (name, profile, summary, topics, last_active_ms, sessions)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET profile = excluded.profile, summary = excluded.summary,
		topics = excluded.topics, last_active_ms = excluded.last_active_ms, sessions = excluded.sessions`,
		name, string(profile), p.Summary, string(topics), active, p.Sessions)
	return err
}

const (
	// keepExchanges bounds those of a person that wait for a summary: of more, the
	// oldest go.
	keepExchanges = 50
	maxExchange   = 4 << 10 // bytes of a request, and of an answer
)

// KeepExchanges stores exchanges in one transaction. Texts are cut at 4 KiB. Unlike a turn, an
// exchange has the words even where the log must not show them; it is kept only until the person's
// summary covers it.
func (s *Store) KeepExchanges(ctx context.Context, all ...llm.Exchange) error {
	return s.write(ctx, "keep exchanges", func(tx *sql.Tx) error {
		for _, e := range all {
			if len(e.Person) > maxPerson {
				return fmt.Errorf("name of %d bytes: %w", len(e.Person), ErrTooLong)
			}
			_, err := tx.ExecContext(ctx, "INSERT INTO unmerged (at_ms, person, user, answer) VALUES (?, ?, ?, ?)",
				e.Time.UnixMilli(), e.Person, cut(e.User, maxExchange), cut(e.Answer, maxExchange))
			if err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, `DELETE FROM unmerged WHERE person = ?1 AND id <=
				(SELECT id FROM unmerged WHERE person = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
				e.Person, keepExchanges)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Exchanges gives those that no summary holds yet, the oldest first.
func (s *Store) Exchanges(ctx context.Context) ([]llm.Exchange, error) {
	return read(ctx, s, "exchanges", func(r *sql.Rows, e *llm.Exchange) error {
		return r.Scan(&e.ID, (*millis)(&e.Time), &e.Person, &e.User, &e.Answer)
	}, "SELECT id, at_ms, person, user, answer FROM unmerged ORDER BY id")
}

// Summarise replaces the summary of a person and drops the exchanges that it holds now,
// those with ids up to last, in one transaction. Its errors are those of ChangePerson.
func (s *Store) Summarise(ctx context.Context, person, summary string, last int64) error {
	return s.write(ctx, "summarise", func(tx *sql.Tx) error {
		if err := changePerson(ctx, tx, person, func(p *Person) { p.Summary = summary }); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM unmerged WHERE person = ? AND id <= ?", person, last)
		return err
	})
}
