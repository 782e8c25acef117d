package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // the driver

	"hearthd/config/letters"
)

// busyTimeout is how long a statement waits for another process, such as the
// sqlite3 shell of a curious person, to let go of the file.
const busyTimeout = 5 * time.Second

// Store is an open database. Close it.
type Store struct {
	db        *sql.DB
	keepTurns int
	keepNotes int
	maxBytes  int64
	path      string
	index     index        // of notes
	passages  index        // of documents
	written   atomic.Int64 // transactions since it was opened
	backedUp  atomic.Int64 // those that the last backup has
	copying   sync.Mutex   // held while a backup is made, and while copies are deleted
	replaced  *Replaced
}

// dsn repeats the pragmas for each new connection that the pool may make.
func dsn(path string) string {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"trusted_schema(OFF)", // first: functions that a foreign file brings along must have no side effects
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()),
		"journal_mode(WAL)",
		"synchronous(FULL)",
		"cache_size(-8000)", // KiB: the notes and vectors of a search; 2000 took a fifth longer
		"secure_delete(ON)", // what is forgotten is overwritten
	}}
	return (&url.URL{Scheme: "file", Path: path, OmitHost: true, RawQuery: q.Encode()}).String()
}

// Replaced describes the file that Open kept aside, and is nil when the database that was found is
// in use.
func (s *Store) Replaced() *Replaced { return s.replaced }

// Close writes the log back into the database and closes it.
func (s *Store) Close() error {
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}

// write runs fn in a transaction and commits it. The error says what was being
// done; after an error nothing has changed.
func (s *Store) write(ctx context.Context, what string, fn func(*sql.Tx) error) error {
	err := func() error {
		tx, err := s.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			if back := tx.Rollback(); back != nil && !errors.Is(back, sql.ErrTxDone) {
				return errors.Join(err, back)
			}
			return err
		}
		return tx.Commit()
	}()
	if err != nil {
		return fmt.Errorf("%s: %w", what, classify(err))
	}
	s.written.Add(1)
	return nil
}

// exec is write of one statement.
func (s *Store) exec(ctx context.Context, what, statement string, args ...any) error {
	return s.write(ctx, what, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statement, args...)
		return err
	})
}

// removed runs a DELETE that returns ids.
func removed(ctx context.Context, tx *sql.Tx, query string, args ...any) ([]int64, error) {
	return rowsOf(ctx, tx, func(r *sql.Rows, id *int64) error { return r.Scan(id) }, query, args...)
}

// read gives the rows of a query, each as one makes it. The error says what was being read.
func read[T any](ctx context.Context, s *Store, what string, one func(*sql.Rows, *T) error, query string,
	args ...any,
) ([]T, error) {
	all, err := rowsOf(ctx, s.db, one, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, classify(err))
	}
	return all, nil
}

// millis reads a time from milliseconds; 0: the zero time.
type millis time.Time

func (m *millis) Scan(value any) error {
	n, ok := value.(int64)
	if !ok {
		return fmt.Errorf("a time is %T, want milliseconds", value)
	}
	if *m = (millis{}); n != 0 {
		*m = millis(time.UnixMilli(n))
	}
	return nil
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func rowsOf[T any](ctx context.Context, q querier, one func(*sql.Rows, *T) error, query string, args ...any,
) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		var v T
		if err := one(rows, &v); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

// Replaced says that the file at Path could not be used and where it is now.
type Replaced struct {
	Path  string // where a new database was begun
	Kept  string // the unusable file, with its -wal and -shm beside it; empty: there was none
	Cause error  // errDamaged, errAltered, errForeign or ErrNewer, with the detail
	// Restored is the time of the backup that took the place of a damaged or altered database;
	// zero: no backup was intact, and a new database was begun.
	Restored time.Time
}

// fold is a name in the form in which it is compared: lower case, with single spaces.
func fold(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// list writes ids for an IN clause.
func list(ids []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ","), "[]")
}

// cut shortens text to at most limit bytes of valid UTF-8.
func cut(text string, limit int) string {
	return letters.Cut(strings.ToValidUTF8(text, "�"), limit)
}
