package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

const (
	maxNote   = 2 << 10 // bytes: a paragraph
	maxPerson = 100     // bytes of a name
	maxSource = 32
	// defaultKeepNotes lasts a talkative household for decades, and takes about 300 MB with
	// vectors.
	defaultKeepNotes = 1_000_000
)

// Note is something worth remembering, in a sentence or two. Times are kept to
// the millisecond.
type Note struct {
	ID      int64
	Person  string // whom it is about; empty: the household
	Text    string
	Source  string // who wrote it, such as "reflection" or "import", or SetAside
	Created time.Time
	Used    time.Time // when it was last given to a model; zero: never
	Uses    int
}

// setAside is the source of notes that only their owner is shown: Search without Query.All and
// NewestNotes leave them out. Whoever adds the same words again vouches for them.
const setAside = "set aside"

// AddNotes stores notes in one transaction and returns their ids; ID, Used and Uses are ignored. A
// note with the same words is not stored twice: the old one becomes as new as this one, and its id
// is returned. Errors match ErrTooLong for a text that is empty or over 2 KiB; then none is stored.
// The oldest notes beyond Options.KeepNotes and Options.MaxBytes are forgotten.
func (s *Store) AddNotes(ctx context.Context, notes ...Note) ([]int64, error) {
	for _, n := range notes {
		if fold(n.Text) == "" || len(n.Text) > maxNote || len(n.Person) > maxPerson || len(n.Source) > maxSource {
			return nil, fmt.Errorf("add note of %d bytes: %w", len(n.Text), ErrTooLong)
		}
	}
	ids := make([]int64, len(notes))
	var pruned []int64
	err := s.write(ctx, "add notes", func(tx *sql.Tx) error {
		insert, err := tx.PrepareContext(ctx, `INSERT INTO notes (person, text, fold, source, created_ms)
			VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET created_ms = max(created_ms, excluded.created_ms),
				source = CASE source WHEN '`+setAside+`' THEN excluded.source ELSE source END RETURNING id`)
		if err != nil {
			return err
		}
		defer insert.Close()
		now := time.Now()
		for i, n := range notes {
			if n.Created.IsZero() {
				n.Created = now
			}
			err := insert.QueryRowContext(ctx, n.Person, cut(n.Text, maxNote), fold(n.Text), n.Source,
				n.Created.UnixMilli()).
				Scan(&ids[i])
			if err != nil {
				return err
			}
		}
		pruned, err = removed(ctx, tx,
			"DELETE FROM notes WHERE id <= (SELECT id FROM notes ORDER BY id DESC LIMIT 1 OFFSET ?) RETURNING id",
			s.keepNotes)
		if err != nil {
			return err
		}
		unfit, err := s.fit(ctx, tx)
		pruned = append(pruned, unfit...)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.index.remove(pruned)
	return ids, nil
}

const noteColumns = "id, person, text, source, created_ms, used_ms, uses"

// scanNote reads a row of noteColumns.
func scanNote(r *sql.Rows, n *Note) error {
	return r.Scan(&n.ID, &n.Person, &n.Text, &n.Source, (*millis)(&n.Created), (*millis)(&n.Used), &n.Uses)
}

// Notes gives notes in the order of their ids, beginning after the id after, at
// most limit of them: the way to walk through all.
func (s *Store) Notes(ctx context.Context, after int64, limit int) ([]Note, error) {
	return s.notes(ctx, "WHERE id > ? ORDER BY id LIMIT ?", after, max(limit, 0))
}

// NewestNotes gives the notes of a person and of the household, the newest first, at
// most limit of them.
func (s *Store) NewestNotes(ctx context.Context, person string, limit int) ([]Note, error) {
	return s.notes(ctx, "WHERE person IN ('', ?) AND source != ? ORDER BY id DESC LIMIT ?", person, setAside,
		max(limit, 0))
}

// NewestOfAll gives the notes of everybody, as NewestNotes does.
func (s *Store) NewestOfAll(ctx context.Context, limit int) ([]Note, error) {
	return s.notes(ctx, "ORDER BY id DESC LIMIT ?", max(limit, 0))
}

func (s *Store) notes(ctx context.Context, which string, args ...any) ([]Note, error) {
	return read(ctx, s, "notes", scanNote, "SELECT "+noteColumns+" FROM notes "+which, args...)
}

// UseNotes counts that notes were given to a model. It takes one transaction for all, so that a
// turn costs the memory card one write.
func (s *Store) UseNotes(ctx context.Context, at time.Time, ids ...int64) error {
	return s.write(ctx, "use notes", func(tx *sql.Tx) error {
		for _, id := range ids {
			if _, err := tx.ExecContext(ctx, "UPDATE notes SET used_ms = ?, uses = uses + 1 WHERE id = ?",
				at.UnixMilli(),
				id); err != nil {
				return err
			}
		}
		return nil
	})
}

// Unvectored gives notes that have no vector of model yet, the newest first, at
// most limit of them.
func (s *Store) Unvectored(ctx context.Context, model string, limit int) ([]Note, error) {
	return s.notes(ctx, "WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE note = notes.id AND model = ?) ORDER BY id "+
		"DESC LIMIT ?", model, max(limit, 0))
}

// SetVectors stores what an embedding model made of notes, by their ids, in one
// transaction. It replaces the vectors of another model; notes that are gone are
// passed over. A vector has 8 to 4096 dimensions, a multiple of 8, and is not zero.
func (s *Store) SetVectors(ctx context.Context, model string, vectors map[int64][]float32) error {
	return s.setVectors(ctx, s.noteCorpus(), model, vectors)
}

func (s *Store) setVectors(ctx context.Context, c corpus, model string, vectors map[int64][]float32) error {
	if model == "" || len(model) > maxModel {
		return errors.New("set vectors: want the name of a model")
	}
	for id, v := range vectors {
		if err := checkVector(v); err != nil {
			return fmt.Errorf("set vector of row %d: %w", id, err)
		}
	}
	stored := make(map[int64][]float32, len(vectors))
	var pruned []int64
	err := s.write(ctx, "set vectors", func(tx *sql.Tx) error {
		clear(stored)
		for id, v := range vectors {
			done, err := tx.ExecContext(ctx, `INSERT INTO `+c.vectors+` (`+c.key+`, model, value)
				SELECT id, ?, ? FROM `+c.rows+` WHERE id = ?
				ON CONFLICT DO UPDATE SET model = excluded.model, value = excluded.value`, model, quantised(v), id)
			if err != nil {
				return err
			}
			if n, err := done.RowsAffected(); err != nil {
				return err
			} else if n == 1 {
				stored[id] = v
			}
		}
		var err error
		pruned, err = s.fit(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	c.index.add(model, stored)
	s.index.remove(pruned)
	return nil
}

func (s *Store) noteCorpus() corpus {
	return corpus{rows: "notes", texts: "notes_text", vectors: "vectors", key: "note", index: &s.index}
}
