package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Category is a kind of fact.
type Category string

// The categories.
const (
	Personal   Category = "personal"   // names, birthdays, family
	Preference Category = "preference" // likes, habits
	Knowledge  Category = "knowledge"  // how things are in this house
	General    Category = "general"
)

const (
	maxFacts    = 2000 // over all people
	maxFactName = 100  // bytes
	maxFact     = 500  // bytes
)

// ErrImmutable is matched by the error of SetFact when the fact may not change.
var ErrImmutable = errors.New("fact may not be changed")

// Fact is something that holds until somebody says otherwise: one text per person and name.
type Fact struct {
	ID       int64
	Person   string // empty: the household
	Category Category
	Name     string // what it is about, such as "birthday"; case does not matter
	Text     string
	Mutable  bool
	Updated  time.Time
}

// SetFact stores f, or changes the fact of its person and name. The error matches
// ErrImmutable when that one is immutable and says something else, ErrTooLong for
// a name or text that is empty or too long, ErrTooMany beyond 2000 facts.
func (s *Store) SetFact(ctx context.Context, f Fact) error {
	name := fold(f.Name)
	switch {
	case name == "" || len(name) > maxFactName || strings.TrimSpace(f.Text) == "" || len(f.Text) > maxFact ||
		len(f.Person) > maxPerson:
		return fmt.Errorf("set fact %.40q: %w", name, ErrTooLong)
	case !slices.Contains([]Category{Personal, Preference, Knowledge, General}, f.Category):
		return fmt.Errorf("set fact %q: unknown category %.40q", name, f.Category)
	}
	if f.Updated.IsZero() {
		f.Updated = time.Now()
	}
	return s.write(ctx, "set fact", func(tx *sql.Tx) error {
		var text string
		var mutable bool
		err := tx.QueryRowContext(ctx, "SELECT text, mutable FROM facts WHERE person = ? AND name = ?", f.Person, name).
			Scan(&text, &mutable)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			if err := room(ctx, tx, "SELECT count(*) FROM facts", maxFacts); err != nil {
				return err
			}
		case err != nil:
			return err
		case !mutable && fold(text) != fold(f.Text):
			return fmt.Errorf("%q is %q: %w", name, text, ErrImmutable)
		case !mutable:
			return nil
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO facts (person, category, name, text, mutable, updated_ms)
			VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET category = excluded.category, text = excluded.text,
			mutable = excluded.mutable, updated_ms = excluded.updated_ms`,
			f.Person, f.Category, name, strings.TrimSpace(f.Text), f.Mutable, f.Updated.UnixMilli())
		return err
	})
}

// Facts gives the facts of a person and of the household, the newest first, at
// most limit of them.
func (s *Store) Facts(ctx context.Context, person string, limit int) ([]Fact, error) {
	return s.facts(ctx, "WHERE person IN ('', ?) ORDER BY updated_ms DESC, id DESC LIMIT ?", person, max(limit, 0))
}

// AllFacts gives the facts of everybody, the newest first: 2000 at most.
func (s *Store) AllFacts(ctx context.Context) ([]Fact, error) {
	return s.facts(ctx, "ORDER BY updated_ms DESC, id DESC")
}

func (s *Store) facts(ctx context.Context, which string, args ...any) ([]Fact, error) {
	return read(ctx, s, "facts", func(r *sql.Rows, f *Fact) error {
		return r.Scan(&f.ID, &f.Person, &f.Category, &f.Name, &f.Text, &f.Mutable, (*millis)(&f.Updated))
	}, "SELECT id, person, category, name, text, mutable, updated_ms FROM facts "+which, args...)
}
