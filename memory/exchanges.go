package memory

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

const (
	// keepExchanges bounds those of a person that wait for a summary: of more, the
	// oldest go.
	keepExchanges = 50
	maxExchange   = 4 << 10 // bytes of a request, and of an answer
)

// Exchange is what was said in a turn. Unlike a Turn it has the words whatever the log
// may show, and is kept only until the summary of the person holds it.
type Exchange struct {
	ID           int64 // given by KeepExchanges
	Time         time.Time
	Person       string // empty: the household
	User, Answer string
}

// KeepExchanges stores exchanges in one transaction. Texts are cut at 4 KiB.
func (s *Store) KeepExchanges(ctx context.Context, all ...Exchange) error {
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
				(SELECT id FROM unmerged WHERE person = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`, e.Person, keepExchanges)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Exchanges gives those that no summary holds yet, the oldest first.
func (s *Store) Exchanges(ctx context.Context) ([]Exchange, error) {
	return read(ctx, s, "exchanges", func(r *sql.Rows, e *Exchange) error {
		var at int64
		err := r.Scan(&e.ID, &at, &e.Person, &e.User, &e.Answer)
		e.Time = time.UnixMilli(at)
		return err
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
