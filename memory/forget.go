package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Forgotten says what Forget erased.
type Forgotten struct {
	Notes, Facts, Turns, Answers, Summaries, Exchanges int
}

// Total is the number of all of it.
func (f Forgotten) Total() int {
	return f.Notes + f.Facts + f.Turns + f.Answers + f.Summaries + f.Exchanges
}

// ForgetAbout erases every note, fact, turn, kept answer, summary and exchange that has
// about in it: as part of a text, where case and spaces make no difference. The
// words are gone from the files when it returns: the rows are overwritten with
// zeroes, the log is written back and emptied, and the backups and files that were
// kept aside are deleted. The caller makes a new backup. The error matches
// ErrTooLong for an empty text.
func (s *Store) ForgetAbout(ctx context.Context, about string) (Forgotten, error) {
	words := fold(about)
	if len(words) < 2 || len(words) > maxNote {
		return Forgotten{}, fmt.Errorf("forget %.40q: %w", about, ErrTooLong)
	}
	return s.forget(ctx, func(tx *sql.Tx) ([]erasure, error) {
		all := []erasure{{"notes", "instr(fold, ?) > 0", []any{words}}}
		for _, t := range []struct{ table, key, text string }{
			{"facts", "id", "name || ' ' || text"},
			{"turns", "id", "transcript || ' ' || answer"},
			{"answers", "key", "key || ' ' || answer || ' ' || sources"},
			{"people", "name", "profile || ' ' || summary || ' ' || topics"},
			{"unmerged", "id", "user || ' ' || answer"},
		} {
			found, err := containing(ctx, tx, "SELECT "+t.key+", "+t.text+" FROM "+t.table, words)
			if err != nil {
				return nil, err
			}
			for _, key := range found {
				all = append(all, erasure{t.table, t.key + " = ?", []any{key}})
			}
		}
		return all, nil
	})
}

// Standing gives the kinds of the timers and the names of the lists that have about in
// them, each once. ForgetAbout leaves those: they are to be done, and no memory.
func (s *Store) Standing(ctx context.Context, about string) (kinds, lists []string, err error) {
	words := fold(about)
	err = s.write(ctx, "look for what stands", func(tx *sql.Tx) error {
		for query, into := range map[string]*[]string{
			"SELECT kind, label FROM timers ORDER BY kind": &kinds, "SELECT list, name FROM items ORDER BY list": &lists,
		} {
			found, err := containing(ctx, tx, query, words)
			if err != nil {
				return err
			}
			for _, f := range found {
				if name, ok := f.(string); ok && !slices.Contains(*into, name) {
					*into = append(*into, name)
				}
			}
		}
		return nil
	})
	return kinds, lists, err
}

// containing gives the keys of the rows of query whose text has words in it, as they
// are or as JSON has them. SQLite itself folds the case of ASCII only.
func containing(ctx context.Context, tx *sql.Tx, query, words string) ([]any, error) {
	quoted, err := json.Marshal(words)
	if err != nil {
		return nil, err
	}
	inJSON := string(quoted[1 : len(quoted)-1])
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	var found []any
	_, err = scan(rows, func(*struct{}) error {
		var key any
		var text string
		err := rows.Scan(&key, &text)
		if text = fold(text); strings.Contains(text, words) || strings.Contains(text, inJSON) {
			found = append(found, key)
		}
		return err
	})
	return found, err
}

// ForgetNotes erases notes by their ids, in the same way.
func (s *Store) ForgetNotes(ctx context.Context, ids ...int64) (Forgotten, error) {
	return s.forget(ctx, fixed(erasure{"notes", "id IN (" + list(ids) + ")", nil}))
}

// ForgetFact erases the fact of a person and a name; empty: the household.
func (s *Store) ForgetFact(ctx context.Context, person, name string) (Forgotten, error) {
	return s.forget(ctx, fixed(erasure{"facts", "person = ? AND name = ?", []any{person, fold(name)}}))
}

// beganSlack is how much earlier than its stages say a turn may have begun: its
// end is stamped a little after the last of them was measured.
const beganSlack = time.Second

// ForgetTurns erases turns by their ids, and the notes and facts that were stored
// since the first of them began: what was learned from them.
func (s *Store) ForgetTurns(ctx context.Context, ids ...int64) (Forgotten, error) {
	which := "id IN (" + list(ids) + ")"
	return s.forget(ctx, func(tx *sql.Tx) ([]erasure, error) {
		// at_ms is the end of a turn, and none begins before the one before it in its
		// session ended. What is told meanwhile on another machine of the box is no part of it.
		var since sql.NullInt64
		err := tx.QueryRowContext(ctx, `SELECT max(began, coalesce((SELECT max(at_ms) FROM turns
			WHERE id < first AND session = (SELECT session FROM turns WHERE id = first)), 0))
			FROM (SELECT min(id) AS first, min(at_ms - coalesce(stages ->> 'total', 0)) - ? AS began FROM turns WHERE `+which+")",
			beganSlack.Milliseconds()).Scan(&since)
		if err != nil || !since.Valid {
			return nil, err
		}
		return []erasure{
			{"notes", "created_ms >= ?", []any{since.Int64}},
			{"facts", "updated_ms >= ?", []any{since.Int64}},
			{"answers", "made_ms >= ?", []any{since.Int64}},
			{"unmerged", "at_ms >= ?", []any{since.Int64}},
			{"turns", which, nil},
		}, nil
	})
}

// ForgetEverything erases all that was learned and said. Timers, lists and
// settings stay: they are no memory of a person.
func (s *Store) ForgetEverything(ctx context.Context) (Forgotten, error) {
	return s.forget(ctx, fixed(
		erasure{"notes", "true", nil}, erasure{"facts", "true", nil}, erasure{"turns", "true", nil},
		erasure{"answers", "true", nil}, erasure{"people", "true", nil}, erasure{"unmerged", "true", nil},
	))
}

// erasure is the rows of a table that go.
type erasure struct {
	table, where string
	args         []any
}

func fixed(all ...erasure) func(*sql.Tx) ([]erasure, error) {
	return func(*sql.Tx) ([]erasure, error) { return all, nil }
}

func (s *Store) forget(ctx context.Context, find func(*sql.Tx) ([]erasure, error)) (Forgotten, error) {
	var f Forgotten
	var notes []int64
	err := s.write(ctx, "forget", func(tx *sql.Tx) error {
		f, notes = Forgotten{}, nil
		if err := keepLastTurn(ctx, tx); err != nil {
			return err
		}
		erasures, err := find(tx)
		if err != nil {
			return err
		}
		counts := map[string]*int{"facts": &f.Facts, "turns": &f.Turns, "answers": &f.Answers, "people": &f.Summaries, "unmerged": &f.Exchanges}
		for _, e := range erasures {
			if e.table == "notes" {
				if notes, err = removed(ctx, tx, "DELETE FROM notes WHERE "+e.where+" RETURNING id", e.args...); err != nil {
					return err
				}
				f.Notes = len(notes)
				continue
			}
			done, err := tx.ExecContext(ctx, "DELETE FROM "+e.table+" WHERE "+e.where, e.args...)
			if err != nil {
				return err
			}
			n, err := done.RowsAffected()
			if err != nil {
				return err
			}
			*counts[e.table] += int(n)
		}
		return nil
	})
	if err != nil {
		return Forgotten{}, err
	}
	s.index.remove(notes)
	if err := s.scrub(ctx); err != nil {
		return f, fmt.Errorf("forget: erase copies: %w", classify(err))
	}
	return f, nil
}

// keepLastTurn notes the highest id that a turn ever had: it outlives the turn,
// because no id is used twice.
func keepLastTurn(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO settings (key, value) SELECT 'last_turn', coalesce(max(id), 0) FROM turns WHERE true
		ON CONFLICT DO UPDATE SET value = max(value, excluded.value)`)
	return err
}

// scrub empties the log and deletes every copy of the database, the copies also when
// somebody reads and the log cannot be emptied.
func (s *Store) scrub(ctx context.Context) error {
	old, err := filepath.Glob(escapeGlob(s.path) + ".kept-*")
	errs := []error{s.Checkpoint(ctx), err}
	for _, name := range append(old, s.path+backupSuffix, s.path+olderSuffix, s.path+backupSuffix+partSuffix) {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// escapeGlob makes a path match itself only.
func escapeGlob(path string) string {
	var b []byte
	for i := range len(path) {
		switch path[i] {
		case '*', '?', '[', '\\':
			b = append(b, '\\')
		}
		b = append(b, path[i])
	}
	return string(b)
}
