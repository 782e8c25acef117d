package memory

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Bounds of what is stored, beyond what any household speaks.
const (
	maxTimers = 5000
	maxLabel  = 640 // bytes
)

// Timer is something that will ring, or that should have while nobody could ring:
// a timer, an alarm or a reminder. Times and lengths are kept to the millisecond.
type Timer struct {
	ID     int64
	Kind   string
	Label  string        // may be empty
	Length time.Duration // from when it was set to Ends; 0: it was set for a time of day
	Ends   time.Time     // wall clock
	Left   time.Duration // of one that is paused; 0: it runs
	Repeat string        // RRULE of RFC 5545; empty: it comes once
	Starts time.Time     // floating: the time of day of the first of those that repeat
}

const timerColumns = "kind, label, length_ms, ends_ms, left_ms, repeats, starts_ms"

func (t *Timer) values() []any {
	return []any{t.Kind, t.Label, t.Length.Milliseconds(), t.Ends.UnixMilli(), t.Left.Milliseconds(), t.Repeat, t.Starts.UnixMilli()}
}

// Timers gives all timers, the next one to end first.
func (s *Store) Timers(ctx context.Context) ([]Timer, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT id, "+timerColumns+" FROM timers ORDER BY ends_ms, id")
	if err != nil {
		return nil, fmt.Errorf("read timers: %w", classify(err))
	}
	defer rows.Close()
	var all []Timer
	for rows.Next() {
		var t Timer
		var length, ends, left, starts int64
		if err := rows.Scan(&t.ID, &t.Kind, &t.Label, &length, &ends, &left, &t.Repeat, &starts); err != nil {
			return nil, fmt.Errorf("read timers: %w", classify(err))
		}
		t.Length, t.Left = time.Duration(length)*time.Millisecond, time.Duration(left)*time.Millisecond
		t.Ends, t.Starts = time.UnixMilli(ends), time.UnixMilli(starts).UTC()
		all = append(all, t)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read timers: %w", classify(err))
	}
	return all, nil
}

// AddTimers stores timers under new ids, which it returns; their own are ignored.
// All or none are stored: the errors match ErrTooMany beyond 5000 timers and
// ErrTooLong for a label over 640 bytes.
func (s *Store) AddTimers(ctx context.Context, timers ...Timer) ([]int64, error) {
	for _, t := range timers {
		if len(t.Label) > maxLabel || len(t.Repeat) > maxLabel || len(t.Kind) > maxLabel {
			return nil, fmt.Errorf("add timer: label of %d bytes: %w", len(t.Label), ErrTooLong)
		}
	}
	ids := make([]int64, len(timers))
	err := s.write(ctx, "add timer", func(tx *sql.Tx) error {
		if err := room(ctx, tx, "SELECT count(*) FROM timers", maxTimers+1-len(timers)); err != nil {
			return err
		}
		for i := range timers {
			row := tx.QueryRowContext(ctx, "INSERT INTO timers ("+timerColumns+") VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id", timers[i].values()...)
			if err := row.Scan(&ids[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

// ChangeTimers stores what changed of timers and forgets those with the ids in
// gone, all or nothing. Timers that are not there are passed over.
func (s *Store) ChangeTimers(ctx context.Context, changed []Timer, gone []int64) error {
	return s.write(ctx, "change timers", func(tx *sql.Tx) error {
		for i := range changed {
			_, err := tx.ExecContext(ctx, "UPDATE timers SET ("+timerColumns+") = (?, ?, ?, ?, ?, ?, ?) WHERE id = ?",
				append(changed[i].values(), changed[i].ID)...)
			if err != nil {
				return err
			}
		}
		for _, id := range gone {
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
