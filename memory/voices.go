package memory

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

const (
	maxPrints = 20   // of one person
	maxPrint  = 4096 // numbers
)

// VoicePrint is how a person sounds to a model.
type VoicePrint struct {
	Person, Model string
	Print         []float32
}

// VoicePrints gives those of everybody, by person.
func (s *Store) VoicePrints(ctx context.Context) ([]VoicePrint, error) {
	return read(ctx, s, "voice prints", func(r *sql.Rows, p *VoicePrint) error {
		var value []byte
		err := r.Scan(&p.Person, &p.Model, &value)
		for ; len(value) >= 4; value = value[4:] {
			p.Print = append(p.Print, math.Float32frombits(binary.LittleEndian.Uint32(value)))
		}
		return err
	}, "SELECT person, model, value FROM voice_prints ORDER BY person, id")
}

// SetVoicePrints stores prints of a person in place of those of before. Errors match ErrTooLong and ErrTooMany (20
// prints, of 50 people).
func (s *Store) SetVoicePrints(ctx context.Context, person, model string, prints ...[]float32) error {
	if person == "" || len(person) > maxPerson || len(model) > maxModel {
		return fmt.Errorf("set voice prints of %.40q: %w", person, ErrTooLong)
	}
	if len(prints) > maxPrints {
		return fmt.Errorf("set %d voice prints: %w", len(prints), ErrTooMany)
	}
	return s.write(ctx, "set voice prints", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM voice_prints WHERE person = ?", person); err != nil {
			return err
		}
		if err := room(ctx, tx, "SELECT count(DISTINCT person) FROM voice_prints", maxPeople); err != nil {
			return err
		}
		for _, p := range prints {
			if len(p) == 0 || len(p) > maxPrint {
				return errors.New("a print has 1 to 4096 numbers")
			}
			var value []byte
			for _, v := range p {
				value = binary.LittleEndian.AppendUint32(value, math.Float32bits(v))
			}
			_, err := tx.ExecContext(ctx, "INSERT INTO voice_prints (person, model, value) VALUES (?, ?, ?)", person, model,
				value)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// ForgetVoice erases the prints of a person, as ForgetAbout does.
func (s *Store) ForgetVoice(ctx context.Context, person string) (Forgotten, error) {
	return s.forget(ctx, fixed(erasure{"voice_prints", "person = ?", []any{person}}))
}
