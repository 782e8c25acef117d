package memory

import (
	"context"
	"database/sql"
	"math"
)

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
		var note, turn int64 // when the oldest are from
		err = tx.QueryRowContext(ctx, `SELECT coalesce((SELECT created_ms FROM notes ORDER BY id LIMIT 1), ?1),
			coalesce((SELECT at_ms FROM turns ORDER BY id LIMIT 1), ?1)`, int64(math.MaxInt64)).Scan(&note, &turn)
		switch {
		case err != nil:
			return notes, err
		case note == int64(math.MaxInt64) && turn == math.MaxInt64:
			return notes, nil
		case turn <= note:
			if err = keepLastTurn(ctx, tx); err == nil {
				_, err = tx.ExecContext(ctx, "DELETE FROM turns WHERE id IN (SELECT id FROM turns WHERE at_ms <= ? ORDER BY id LIMIT ?)", note, pruneBatch)
			}
		default:
			var gone []int64
			gone, err = removed(ctx, tx, "DELETE FROM notes WHERE id IN (SELECT id FROM notes WHERE created_ms < ? ORDER BY id LIMIT ?) RETURNING id", turn, pruneBatch)
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
	_, err := tx.ExecContext(ctx, `INSERT INTO settings (key, value) SELECT 'last_turn', coalesce(max(id), 0) FROM turns WHERE true
		ON CONFLICT DO UPDATE SET value = max(value, excluded.value)`)
	return err
}
