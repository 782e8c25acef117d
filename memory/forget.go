package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Forgotten says what Forget erased.
type Forgotten struct {
	Notes, Facts, Turns, Answers, Summaries, Exchanges, Prints int
	Upgrade                                                    bool // the backup that an upgrade had kept, too
}

// Total is the sum of them.
func (f Forgotten) Total() int {
	return f.Notes + f.Facts + f.Turns + f.Answers + f.Summaries + f.Exchanges + f.Prints
}

// ForgetAbout erases every note, fact, turn, kept answer, summary and exchange that has
// about in it, as whole words, in the singular or with the s of a plural, where case and
// spaces make no difference, or that is of a person of that name, whose voice is forgotten too. The
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
		said, err := containing(ctx, tx, "SELECT id, fold FROM notes WHERE instr(fold, ?) > 0", words, words)
		if err != nil {
			return nil, err
		}
		of, err := containing(ctx, tx, "SELECT DISTINCT person, person FROM notes", words)
		if err != nil {
			return nil, err
		}
		ids, err1 := json.Marshal(said)
		people, err2 := json.Marshal(of)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		all := []erasure{{"notes", "id IN (SELECT value FROM json_each(?)) OR person IN (SELECT value FROM " +
			"json_each(?))",
			[]any{string(ids), string(people)}}}
		for _, t := range []struct{ table, key, text string }{
			{"facts", "id", "person || ' ' || name || ' ' || text"},
			{"turns", "id", "transcript || ' ' || answer"},
			{"answers", "key", "key || ' ' || answer || ' ' || sources"},
			{"people", "name", "name || ' ' || profile || ' ' || summary || ' ' || topics"},
			{"unmerged", "id", "person || ' ' || user || ' ' || answer"},
			{"voice_prints", "id", "person"},
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

// Standing gives the kinds of the timers and the names of the lists that have about in them, each
// once. ForgetAbout leaves them alone: they are things to do, not memories.
func (s *Store) Standing(ctx context.Context, about string) (kinds, lists []string, err error) {
	words := fold(about)
	err = s.write(ctx, "look for what stands", func(tx *sql.Tx) error {
		for query, into := range map[string]*[]string{
			"SELECT kind, label FROM timers ORDER BY kind": &kinds,
			"SELECT list, name FROM items ORDER BY list":   &lists,
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

// containing gives the keys of the rows of query whose text mentions words, as they
// are or as JSON has them. SQLite itself folds the case of ASCII only.
func containing(ctx context.Context, tx *sql.Tx, query, words string, args ...any) ([]any, error) {
	plain := strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, " ", `\t`, " ", `\u0026`, "&", `\u003c`, "<", `\u003e`,
		">")
	var found []any
	_, err := rowsOf(ctx, tx, func(r *sql.Rows, _ *struct{}) error {
		var key any
		var text string
		err := r.Scan(&key, &text)
		if text = fold(text); mentions(text, words) || mentions(plain.Replace(text), words) {
			found = append(found, key)
		}
		return err
	}, query, args...)
	return found, err
}

// mentions reports whether the words occur in text as whole words, or with the s of a plural.
func mentions(text, words string) bool {
	for {
		before, after, found := strings.Cut(text, words)
		if !found {
			return false
		}
		if parted(before, words) && (parted(words, after) ||
			parted("s", strings.TrimPrefix(after, "s")) || parted("s", strings.TrimPrefix(after, "es"))) {
			return true
		}
		_, n := utf8.DecodeRuneInString(words)
		text = text[len(before)+n:]
	}
}

// parted reports whether a word ends between a and b. Languages that separate words are below
// U+0E00; in the others every letter counts as a word.
func parted(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	inside := func(r rune) bool { return r < 0x0E00 && (unicode.IsLetter(r) || unicode.IsNumber(r)) }
	return !inside(last) || !inside(first)
}

// ForgetNotes erases notes by their ids, in the same way.
func (s *Store) ForgetNotes(ctx context.Context, ids ...int64) (Forgotten, error) {
	return s.forget(ctx, fixed(erasure{"notes", "id IN (" + list(ids) + ")", nil}))
}

// ForgetFact erases the fact of a person and a name; empty: the household.
func (s *Store) ForgetFact(ctx context.Context, person, name string) (Forgotten, error) {
	return s.forget(ctx, fixed(erasure{"facts", "person = ? AND name = ?", []any{person, fold(name)}}))
}

const (
	// beganSlack is how much earlier than its stages say a turn may have begun: its
	// end is stamped a little after the last of them was measured.
	beganSlack = time.Second
	// behind is how much earlier than the turn before it a turn of another session may have begun
	// before we assume that the clock was wrong, as on a box without a clock of its own; then what
	// was learned within learnedWithin counts.
	behind, learnedWithin = 10 * time.Minute, time.Hour
)

// ForgetTurns erases turns by their ids, and the notes and facts that were stored
// since the first of them began: what was learned from them.
func (s *Store) ForgetTurns(ctx context.Context, ids ...int64) (Forgotten, error) {
	which := "id IN (" + list(ids) + ")"
	return s.forget(ctx, func(tx *sql.Tx) ([]erasure, error) {
		// at_ms is the end of a turn, and none begins before the end of the one before it in its
		// session. What is said meanwhile through another of the box's microphones is no part of
		// it.
		var began, ended sql.NullInt64
		var before, newest int64 // the ends of the turns before it: in its session, and in any
		err := tx.QueryRowContext(ctx, `SELECT began, ended, coalesce((SELECT max(at_ms) FROM turns
			WHERE id < first AND session = (SELECT session FROM turns WHERE id = first)), 0),
			coalesce((SELECT max(at_ms) FROM turns WHERE id < first), 0)
			FROM (SELECT min(id) AS first, min(at_ms - coalesce(stages ->> 'total', 0)) - ? AS began,
			max(at_ms) AS ended
			FROM turns WHERE `+which+")",
			beganSlack.Milliseconds()).Scan(&began, &ended, &before, &newest)
		if err != nil || !began.Valid {
			return nil, err
		}
		span := []any{max(began.Int64, before), int64(math.MaxInt64)}
		if newest-began.Int64 > behind.Milliseconds() {
			span = []any{began.Int64, ended.Int64 + learnedWithin.Milliseconds()}
		}
		return []erasure{
			{"notes", "created_ms BETWEEN ? AND ?", span},
			{"facts", "updated_ms BETWEEN ? AND ?", span},
			{"answers", "made_ms BETWEEN ? AND ?", span},
			{"unmerged", "at_ms BETWEEN ? AND ?", span},
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
		erasure{"voice_prints", "true", nil},
	))
}

// erasure names the rows of a table that are erased.
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
		counts := map[string]*int{"facts": &f.Facts, "turns": &f.Turns, "answers": &f.Answers, "people": &f.Summaries,
			"unmerged": &f.Exchanges, "voice_prints": &f.Prints}
		for _, e := range erasures {
			if e.table == "notes" {
				if notes, err = removed(ctx, tx, "DELETE FROM notes WHERE "+e.where+" RETURNING id",
					e.args...); err != nil {
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
	if f.Upgrade, err = s.scrub(ctx); err != nil {
		return f, fmt.Errorf("forget: erase copies: %w", classify(err))
	}
	return f, nil
}

// scrub empties the log and deletes every copy of the database, the copies also when
// somebody reads and the log cannot be emptied, and says whether an upgrade had kept one of them.
func (s *Store) scrub(ctx context.Context) (upgrade bool, err error) {
	s.copying.Lock()
	defer s.copying.Unlock()
	dir, base := filepath.Split(s.path)
	entries, err := os.ReadDir(filepath.Clean(dir))
	errs := []error{s.Checkpoint(ctx), err}
	old := []string{base + backupSuffix + partSuffix, base + backupSuffix, base + olderSuffix}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), base+".kept-") {
			old = append(old, e.Name())
			upgrade = upgrade || strings.HasSuffix(e.Name(), backupSuffix)
		}
	}
	for _, name := range old {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return upgrade, errors.Join(errs...)
}
