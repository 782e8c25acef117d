package memory

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Bounds of what is stored, beyond what any household speaks.
const (
	maxTimers = 100
	maxLabel  = 200 // bytes
)

// Timer is a timer that has not ended, or that ended while nobody could ring.
// Length and Ends are kept to the millisecond.
type Timer struct {
	ID     int64
	Label  string // may be empty
	Length time.Duration
	Ends   time.Time // wall clock
}

// Timers gives all timers, the next one to end first.
func (s *Store) Timers(ctx context.Context) ([]Timer, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT id, label, length_ms, ends_ms FROM timers ORDER BY ends_ms, id")
	if err != nil {
		return nil, fmt.Errorf("read timers: %w", classify(err))
	}
	defer rows.Close()
	var all []Timer
	for rows.Next() {
		var t Timer
		var length, ends int64
		if err := rows.Scan(&t.ID, &t.Label, &length, &ends); err != nil {
			return nil, fmt.Errorf("read timers: %w", classify(err))
		}
		t.Length, t.Ends = time.Duration(length)*time.Millisecond, time.UnixMilli(ends)
		all = append(all, t)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read timers: %w", classify(err))
	}
	return all, nil
}

// AddTimer stores t under a new id, which it returns; t.ID is ignored. Errors
// match ErrTooMany at 100 timers and ErrTooLong for a label over 200 bytes.
func (s *Store) AddTimer(ctx context.Context, t Timer) (int64, error) {
	if len(t.Label) > maxLabel {
		return 0, fmt.Errorf("add timer: label of %d bytes: %w", len(t.Label), ErrTooLong)
	}
	var id int64
	err := s.write(ctx, "add timer", func(tx *sql.Tx) error {
		if err := room(ctx, tx, "SELECT count(*) FROM timers", maxTimers); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "INSERT INTO timers (label, length_ms, ends_ms) VALUES (?, ?, ?) RETURNING id",
			t.Label, t.Length.Milliseconds(), t.Ends.UnixMilli()).Scan(&id)
	})
	return id, err
}

// MoveTimer changes the wall-clock end of a timer, because the clock was set.
// The error matches ErrNotFound when there is no such timer.
func (s *Store) MoveTimer(ctx context.Context, id int64, ends time.Time) error {
	return s.write(ctx, "move timer", func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, "UPDATE timers SET ends_ms = ? WHERE id = ?", ends.UnixMilli(), id)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 1 {
			return err
		}
		return fmt.Errorf("timer %d: %w", id, ErrNotFound)
	})
}

// RemoveTimers forgets the timers with these ids, all or none. Ids that are not
// there are passed over.
func (s *Store) RemoveTimers(ctx context.Context, ids ...int64) error {
	return s.write(ctx, "remove timers", func(tx *sql.Tx) error {
		for _, id := range ids {
			if _, err := tx.ExecContext(ctx, "DELETE FROM timers WHERE id = ?", id); err != nil {
				return err
			}
		}
		return nil
	})
}

// room refuses when the count that query gives has reached limit.
func room(ctx context.Context, tx *sql.Tx, query string, limit int) error {
	var n int
	if err := tx.QueryRowContext(ctx, query).Scan(&n); err != nil {
		return err
	}
	if n >= limit {
		return fmt.Errorf("%d stored: %w", n, ErrTooMany)
	}
	return nil
}
