package memory

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// AddSpent adds what the responder cost on the local day of at.
func (s *Store) AddSpent(ctx context.Context, at time.Time, money float64) error {
	return s.write(ctx, "add cost", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO spending (day, money) VALUES (?, ?)
			ON CONFLICT (day) DO UPDATE SET money = money + excluded.money`, at.Format(time.DateOnly), money)
		return err
	})
}

// Spent is what the responder cost on the local day of at, and since the first of
// its month.
func (s *Store) Spent(ctx context.Context, at time.Time) (day, month float64, err error) {
	today := at.Format(time.DateOnly)
	err = s.db.QueryRowContext(ctx, `SELECT coalesce(sum(money) FILTER (WHERE day = ?), 0), coalesce(sum(money), 0)
		FROM spending WHERE day BETWEEN ? AND ?`, today, at.Format("2006-01-")+"01", today).Scan(&day, &month)
	if err != nil {
		return 0, 0, fmt.Errorf("read cost: %w", classify(err))
	}
	return day, month, nil
}
