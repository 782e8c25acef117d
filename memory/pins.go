package memory

import (
	"context"
	"database/sql"
)

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
