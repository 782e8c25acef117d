package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Volume gives the volume in percent that somebody chose, and false when nobody has yet.
func (s *Store) Volume(ctx context.Context) (percent int, chosen bool, err error) {
	return s.setting(ctx, "volume")
}

// SetVolume keeps the volume, 0 to 100 percent.
func (s *Store) SetVolume(ctx context.Context, percent int) error {
	if percent < 0 || percent > 100 {
		return fmt.Errorf("set volume: %d percent is not within 0 to 100", percent)
	}
	return s.set(ctx, "volume", percent)
}

// Flag says whether something is switched on; it is off until somebody switches it on.
func (s *Store) Flag(ctx context.Context, key string) (bool, error) {
	v, _, err := s.setting(ctx, key)
	return v == 1, err
}

// SetFlag keeps whether something is switched on.
func (s *Store) SetFlag(ctx context.Context, key string, on bool) error {
	v := 0
	if on {
		v = 1
	}
	return s.set(ctx, key, v)
}

// entrancePrefix stands before the ID of a device in the key of a setting.
const entrancePrefix = "entrance:"

// Entrances are the devices, by ID, for which somebody said whether they let people into the house.
func (s *Store) Entrances(ctx context.Context) (map[string]bool, error) {
	all := map[string]bool{}
	_, err := read(ctx, s, "entrances", func(r *sql.Rows, id *string) error {
		var is int
		err := r.Scan(id, &is)
		all[*id] = is == 1
		return err
	}, "SELECT substr(key, ?), value FROM settings WHERE key LIKE ?", len(entrancePrefix)+1, entrancePrefix+"%")
	return all, err
}

// SetEntrance keeps whether a device lets people into the house; nil: nobody says so any more.
func (s *Store) SetEntrance(ctx context.Context, id string, is *bool) error {
	if is != nil {
		return s.SetFlag(ctx, entrancePrefix+id, *is)
	}
	return s.exec(ctx, "write setting", "DELETE FROM settings WHERE key = ?", entrancePrefix+id)
}

// boxPrefix stands before what a broker knows this box by in the key of a setting.
const boxPrefix = "box:"

// Boxes are the keys under which brokers may know this box.
func (s *Store) Boxes(ctx context.Context) ([]string, error) {
	return read(ctx, s, "boxes", func(r *sql.Rows, key *string) error { return r.Scan(key) },
		"SELECT substr(key, ?) FROM settings WHERE key LIKE ? ORDER BY key", len(boxPrefix)+1, boxPrefix+"%")
}

// SetBox keeps, or forgets, that brokers may know this box by the key.
func (s *Store) SetBox(ctx context.Context, key string, known bool) error {
	if known {
		return s.SetFlag(ctx, boxPrefix+key, true)
	}
	return s.exec(ctx, "write setting", "DELETE FROM settings WHERE key = ?", boxPrefix+key)
}

// WakeWord gives the wake word that somebody chose, "" when nobody did.
func (s *Store) WakeWord(ctx context.Context) (string, error) {
	var word string
	err := s.db.QueryRowContext(ctx, "SELECT word FROM wake_word").Scan(&word)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read wake word: %w", classify(err))
	}
	return word, nil
}

// SetWakeWord keeps the wake word that somebody chose.
func (s *Store) SetWakeWord(ctx context.Context, word string) error {
	return s.exec(ctx, "write wake word", `INSERT INTO wake_word (id, word) VALUES (1, ?)
			ON CONFLICT DO UPDATE SET word = excluded.word`, word)
}

func (s *Store) setting(ctx context.Context, key string) (int, bool, error) {
	var v int
	err := s.db.QueryRowContext(ctx, "SELECT value FROM settings WHERE key = ?", key).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("read setting %q: %w", key, classify(err))
	}
	return v, true, nil
}

func (s *Store) set(ctx context.Context, key string, v int) error {
	return s.exec(ctx, "write setting", `INSERT INTO settings (key, value) VALUES (?, ?)
			ON CONFLICT DO UPDATE SET value = excluded.value`, key, v)
}

// ToolPins gives the hashes of the definitions that a server of tools may offer, by the
// server's names of the tools; none for a server that was never seen.
func (s *Store) ToolPins(ctx context.Context, server string) (map[string]string, error) {
	pins := make(map[string]string)
	_, err := read(ctx, s, "pins of tools", func(r *sql.Rows, pin *[2]string) error {
		err := r.Scan(&pin[0], &pin[1])
		pins[pin[0]] = pin[1]
		return err
	}, "SELECT tool, hash FROM tool_pins WHERE server = ?", server)
	return pins, err
}

// PinTools adds pins of a server, and replaces those of the same tools.
func (s *Store) PinTools(ctx context.Context, server string, pins map[string]string) error {
	return s.write(ctx, "pin tools", func(tx *sql.Tx) error {
		for tool, hash := range pins {
			_, err := tx.ExecContext(ctx, `INSERT INTO tool_pins (server, tool, hash) VALUES (?, ?, ?)
				ON CONFLICT DO UPDATE SET hash = excluded.hash`, server, tool, hash)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// AddSpent adds what the responder cost on the local day of at.
func (s *Store) AddSpent(ctx context.Context, at time.Time, money float64) error {
	return s.exec(ctx, "add cost", `INSERT INTO spending (day, money) VALUES (?, ?)
			ON CONFLICT (day) DO UPDATE SET money = money + excluded.money`, at.Format(time.DateOnly), money)
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
