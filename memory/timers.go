package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// Bounds of what is stored, beyond what any household speaks.
const (
	maxTimers = 5000
	maxLabel  = 640 // bytes of each text
)

// Timer is something that rings, will ring, or should have while nobody could ring: a
// timer, an alarm or a reminder; or an order, which is carried out. Times and lengths are
// kept to the millisecond, and Due to the microsecond.
type Timer struct {
	ID     int64
	Kind   string
	Label  string        // may be empty
	Person string        // whom a reminder is for; empty: the household
	Do     string        // of an order: the call that does it; of an alarm: its station
	Length time.Duration // from when it was set to Ends; 0: it was set for a time of day
	Ends   time.Time     // wall clock
	Left   time.Duration // of one that is paused; 0: it runs
	Repeat string        // RRULE of RFC 5545; empty: it comes once
	Starts time.Time     // the local time, without a zone, of the first occurrence
	Rang   time.Time     // the end for which it rings now; zero: it does not ring
	Boot   int64         // which boot of the box Due is of; 0: Due is not known
	Due    time.Duration // since that boot, when it ends

	Unheard time.Time // the end for which it rang until it gave up, of which nobody was told yet; zero: none
	Mute    bool      // the speaker was not there then
}

const timerColumns = "kind, label, length_ms, ends_ms, left_ms, repeats, starts_ms, rang_ms, boot, due_us, does, " +
	"person, unheard_ms, mute"

func (t *Timer) values() []any {
	return []any{t.Kind, t.Label, t.Length.Milliseconds(), t.Ends.UnixMilli(), t.Left.Milliseconds(), t.Repeat,
		t.Starts.UnixMilli(), unixMilli(t.Rang), t.Boot, t.Due.Microseconds(), t.Do, t.Person, unixMilli(t.Unheard), t.Mute}
}

// unixMilli is 0 for the zero time.
func unixMilli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Timers gives all timers, the next one to end first.
func (s *Store) Timers(ctx context.Context) ([]Timer, error) {
	return read(ctx, s, "timers", func(r *sql.Rows, t *Timer) error {
		var length, ends, left, starts, due int64
		err := r.Scan(&t.ID, &t.Kind, &t.Label, &length, &ends, &left, &t.Repeat, &starts, (*millis)(&t.Rang),
			&t.Boot, &due,
			&t.Do, &t.Person, (*millis)(&t.Unheard), &t.Mute)
		t.Length, t.Left = time.Duration(length)*time.Millisecond, time.Duration(left)*time.Millisecond
		t.Due = time.Duration(due) * time.Microsecond
		t.Ends, t.Starts = time.UnixMilli(ends), time.UnixMilli(starts).UTC()
		return err
	}, "SELECT id, "+timerColumns+" FROM timers ORDER BY ends_ms, id")
}

// AddTimers stores timers under new ids, which it returns; their own are ignored.
// All or none are stored: the errors match ErrTooMany beyond 5000 timers and
// ErrTooLong for a text over 640 bytes.
func (s *Store) AddTimers(ctx context.Context, timers ...Timer) ([]int64, error) {
	for _, t := range timers {
		if n := max(len(t.Kind), len(t.Label), len(t.Do), len(t.Repeat), len(t.Person)); n > maxLabel {
			return nil, fmt.Errorf("add timer: text of %d bytes: %w", n, ErrTooLong)
		}
	}
	ids := make([]int64, len(timers))
	err := s.write(ctx, "add timer", func(tx *sql.Tx) error {
		if err := room(ctx, tx, "SELECT count(*) FROM timers", maxTimers+1-len(timers)); err != nil {
			return err
		}
		for i := range timers {
			row := tx.QueryRowContext(ctx,
				"INSERT INTO timers ("+timerColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
				timers[i].values()...)
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

// ChangeTimers stores what may change of timers (Length, Ends, Left, Starts, Rang, Boot, Due, Unheard and Mute)
// and forgets those with the ids in gone, all or nothing. Timers that do not exist are passed over.
// It takes one statement for all changes and one for all that are gone, since a thousand may ring
// at one moment.
func (s *Store) ChangeTimers(ctx context.Context, changed []Timer, gone []int64) error {
	rows := make([][10]int64, len(changed))
	for i := range changed {
		t := &changed[i]
		rows[i] = [...]int64{t.ID, t.Length.Milliseconds(), t.Ends.UnixMilli(), t.Left.Milliseconds(), unixMilli(t.Rang),
			t.Boot, t.Due.Microseconds(), t.Starts.UnixMilli(), unixMilli(t.Unheard), 0}
		if t.Mute {
			rows[i][9] = 1
		}
	}
	change, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	forget, err := json.Marshal(gone)
	if err != nil {
		return err
	}
	return s.write(ctx, "change timers", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE timers SET length_ms = n.value->>1, ends_ms = n.value->>2,
			left_ms = n.value->>3, rang_ms = n.value->>4, boot = n.value->>5, due_us = n.value->>6,
			starts_ms = n.value->>7, unheard_ms = n.value->>8, mute = n.value->>9
			FROM json_each(?) n WHERE timers.id = n.value->>0`, string(change))
		if err == nil && len(gone) > 0 {
			_, err = tx.ExecContext(ctx, "DELETE FROM timers WHERE id IN (SELECT value FROM json_each(?))",
				string(forget))
		}
		return err
	})
}

// room refuses when the count returned by query has reached limit.
func room(ctx context.Context, tx *sql.Tx, query string, limit int, args ...any) error {
	var n int
	if err := tx.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return err
	}
	if n >= limit {
		return fmt.Errorf("%d stored: %w", n, ErrTooMany)
	}
	return nil
}
