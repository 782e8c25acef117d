package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// Bounds of a stored turn, in bytes. Longer text is cut, since a shortened turn is better than
// none; the answer may be a long story.
const (
	maxTranscript = 4 << 10
	maxAnswer     = 16 << 10
	maxStages     = 4 << 10
	maxRoute      = 64
)

// Turn is a finished turn. Time is kept to the millisecond.
type Turn struct {
	ID         uint64 // from 1, never used twice
	Session    uint64
	Time       time.Time
	Route      string
	Transcript string
	Answer     string          // what was heard
	Stages     json.RawMessage // an object: milliseconds per stage
}

// AddTurn stores t, cuts its transcript at 4 KiB and its answer at 16 KiB, and
// forgets the oldest turns beyond the bound. Stages must be valid JSON of at
// most 4 KiB, or empty.
func (s *Store) AddTurn(ctx context.Context, t Turn) error {
	if len(t.Stages) == 0 {
		t.Stages = json.RawMessage("{}")
	}
	if len(t.Stages) > maxStages || !json.Valid(t.Stages) {
		return fmt.Errorf("add turn %d: stages are not valid JSON within %d bytes", t.ID, maxStages)
	}
	var pruned []int64
	err := s.write(ctx, "add turn", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO turns (id, session, at_ms, route, transcript, answer, stages)
			VALUES (?, ?, ?, ?, ?, ?, ?)`, int64(t.ID), int64(t.Session), t.Time.UnixMilli(), cut(t.Route, maxRoute),
			cut(t.Transcript, maxTranscript), cut(t.Answer, maxAnswer), string(t.Stages))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx,
			"DELETE FROM turns WHERE id <= (SELECT id FROM turns ORDER BY id DESC LIMIT 1 OFFSET ?)", s.keepTurns)
		if err != nil {
			return err
		}
		pruned, err = s.fit(ctx, tx)
		return err
	})
	s.index.remove(pruned)
	return err
}

// Turns gives the newest turns, at most limit of them, the newest first.
func (s *Store) Turns(ctx context.Context, limit int) ([]Turn, error) {
	return read(ctx, s, "turns", func(r *sql.Rows, t *Turn) error {
		return r.Scan(&t.ID, &t.Session, (*millis)(&t.Time), &t.Route, &t.Transcript, &t.Answer, (*[]byte)(&t.Stages))
	}, `SELECT id, session, at_ms, route, transcript, answer, stages FROM turns ORDER BY id DESC LIMIT ?`,
		max(limit, 0))
}

// LastTurn gives the highest id that a turn ever had, 0 when there was none: the
// next process counts on from there.
func (s *Store) LastTurn(ctx context.Context) (uint64, error) {
	var id uint64
	if err := s.db.QueryRowContext(ctx, `SELECT max((SELECT coalesce(max(id), 0) FROM turns),
		coalesce((SELECT value FROM settings WHERE key = 'last_turn'), 0))`).Scan(&id); err != nil {
		return 0, fmt.Errorf("read last turn: %w", classify(err))
	}
	return id, nil
}

const (
	// defaultMaxBytes holds 250,000 notes with vectors of 768 dimensions.
	defaultMaxBytes = 300 << 20
	minMaxBytes     = 1 << 20
	// pruneBatch is how many rows go at a time: about 100 KB.
	pruneBatch = 100
)

// fit forgets notes and turns, the oldest first, until the database is not larger
// than the bound. It gives the ids of the notes. The file keeps its length: its free
// pages are used first.
func (s *Store) fit(ctx context.Context, tx *sql.Tx) (notes []int64, err error) {
	for {
		var used int64
		err := tx.QueryRowContext(ctx, `SELECT (p.page_count - f.freelist_count) * s.page_size
			FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s`).Scan(&used)
		if err != nil || used <= s.maxBytes {
			return notes, err
		}
		var note, turn int64 // the times of the oldest ones
		err = tx.QueryRowContext(ctx, `SELECT coalesce((SELECT created_ms FROM notes ORDER BY id LIMIT 1), ?1),
			coalesce((SELECT at_ms FROM turns ORDER BY id LIMIT 1), ?1)`, int64(math.MaxInt64)).Scan(&note, &turn)
		switch {
		case err != nil:
			return notes, err
		case note == int64(math.MaxInt64) && turn == math.MaxInt64:
			return notes, nil
		case turn <= note:
			if err = keepLastTurn(ctx, tx); err == nil {
				_, err = tx.ExecContext(ctx,
					"DELETE FROM turns WHERE id IN (SELECT id FROM turns WHERE at_ms <= ? ORDER BY id LIMIT ?)",
					note, pruneBatch)
			}
		default:
			var gone []int64
			gone, err = removed(ctx, tx,
				"DELETE FROM notes WHERE id IN (SELECT id FROM notes WHERE created_ms < ? ORDER BY id LIMIT ?) "+
					"RETURNING id", turn,
				pruneBatch)
			notes = append(notes, gone...)
		}
		if err != nil {
			return notes, err
		}
	}
}

// keepLastTurn notes the highest id that a turn ever had: it outlives the turn,
// because no id is used twice.
func keepLastTurn(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO settings (key, value)
		SELECT 'last_turn', coalesce(max(id), 0) FROM turns WHERE true
		ON CONFLICT DO UPDATE SET value = max(value, excluded.value)`)
	return err
}
