package memory

import (
	"context"
	"database/sql"
	"fmt"
)

const (
	maxItems    = 1000 // over all lists
	maxItemName = 200  // bytes, of an item or a list
)

// Items gives the items of a list in the order in which they were added. A
// list exists while something is on it.
func (s *Store) Items(ctx context.Context, list string) ([]string, error) {
	return read(ctx, s, "items", func(r *sql.Rows, name *string) error { return r.Scan(name) },
		"SELECT name FROM items WHERE list = ? ORDER BY id", list)
}

// Lists gives all lists that something is on, by name, each with its items in the
// order in which they were added.
func (s *Store) Lists(ctx context.Context) (map[string][]string, error) {
	lists := make(map[string][]string)
	_, err := read(ctx, s, "lists", func(r *sql.Rows, item *[2]string) error {
		err := r.Scan(&item[0], &item[1])
		lists[item[0]] = append(lists[item[0]], item[1])
		return err
	}, "SELECT list, name FROM items ORDER BY id")
	return lists, err
}

// AddItems puts names on a list and gives those that were not on it; case and
// spaces make no difference. All or none are stored: the error matches
// ErrTooMany when there would be over 1000 items, and ErrTooLong for a name
// that is empty or over 200 bytes.
func (s *Store) AddItems(ctx context.Context, list string, names []string) ([]string, error) {
	for _, name := range append([]string{list}, names...) {
		if len(name) > maxItemName || fold(name) == "" {
			return nil, fmt.Errorf("add items: name of %d bytes: %w", len(name), ErrTooLong)
		}
	}
	return s.eachName(ctx, "add items", names, func(tx *sql.Tx, name string) (sql.Result, error) {
		return tx.ExecContext(ctx, "INSERT INTO items (list, name, fold) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
			list, name, fold(name))
	}, func(tx *sql.Tx) error { return room(ctx, tx, "SELECT count(*) FROM items", maxItems+1) })
}

// RemoveItems takes names off a list and gives those that were on it.
func (s *Store) RemoveItems(ctx context.Context, list string, names []string) ([]string, error) {
	return s.eachName(ctx, "remove items", names, func(tx *sql.Tx, name string) (sql.Result, error) {
		return tx.ExecContext(ctx, "DELETE FROM items WHERE list = ? AND fold = ?", list, fold(name))
	}, func(*sql.Tx) error { return nil })
}

// eachName changes a row for each name, then checks the whole, and gives the names that changed
// something.
func (s *Store) eachName(ctx context.Context, what string, names []string,
	change func(*sql.Tx, string) (sql.Result, error), check func(*sql.Tx) error,
) (changed []string, err error) {
	err = s.write(ctx, what, func(tx *sql.Tx) error {
		changed = nil
		for _, name := range names {
			done, err := change(tx, name)
			if err != nil {
				return err
			}
			if n, err := done.RowsAffected(); err != nil {
				return err
			} else if n == 1 {
				changed = append(changed, name)
			}
		}
		return check(tx)
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// ClearList takes everything off a list and says how much that was.
func (s *Store) ClearList(ctx context.Context, list string) (int, error) {
	var n int64
	err := s.write(ctx, "clear list", func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, "DELETE FROM items WHERE list = ?", list)
		if err != nil {
			return err
		}
		n, err = done.RowsAffected()
		return err
	})
	return int(n), err
}
