package memory

import (
	"context"
	"database/sql"
	"fmt"
)

// ToolPins gives the hashes of the definitions that a server of tools may offer, by the
// server's names of the tools; none for a server that was never seen.
func (s *Store) ToolPins(ctx context.Context, server string) (map[string]string, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT tool, hash FROM tool_pins WHERE server = ?", server)
	if err != nil {
		return nil, fmt.Errorf("read pins of tools: %w", classify(err))
	}
	type pin struct{ tool, hash string }
	all, err := scan(rows, func(p *pin) error { return rows.Scan(&p.tool, &p.hash) })
	if err != nil {
		return nil, fmt.Errorf("read pins of tools: %w", classify(err))
	}
	pins := make(map[string]string, len(all))
	for _, p := range all {
		pins[p.tool] = p.hash
	}
	return pins, nil
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
