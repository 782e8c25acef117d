package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
)

const (
	minDimensions = 8
	maxDimensions = 4096
	maxModel      = 200 // bytes of a model's name
)

func checkVector(v []float32) error {
	if len(v) < minDimensions || len(v) > maxDimensions || len(v)%8 != 0 {
		return fmt.Errorf("vector of %d dimensions: want a multiple of 8 from %d to %d", len(v), minDimensions, maxDimensions)
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return errors.New("vector is zero or not a number")
	}
	return nil
}

// quantised scales v to one byte per dimension. The cosine, which is all that is
// asked of a vector, does not see the scale.
func quantised(v []float32) []byte {
	var peak float32
	for _, x := range v {
		peak = max(peak, max(x, -x))
	}
	out := make([]byte, len(v))
	for i, x := range v {
		out[i] = byte(int8(math.Round(float64(x / peak * 127))))
	}
	return out
}

// load reads the codes of model, unless they are there. Only vectors as long as
// dimensions are of use.
func (s *Store) load(ctx context.Context, c corpus, model string, dimensions int) error {
	x := c.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.model == model && x.words == (dimensions+63)/64 {
		return nil
	}
	x.model, x.words, x.ids, x.codes, x.at = "", (dimensions+63)/64, nil, nil, make(map[int64]int)
	v := make([]float32, dimensions)
	_, err := rowsOf(ctx, s.db, func(r *sql.Rows, _ *struct{}) error {
		var id int64
		var value sql.RawBytes // not copied, as there may be 100,000
		if err := r.Scan(&id, &value); err != nil {
			return err
		}
		for i, b := range value {
			v[i] = float32(int8(b))
		}
		x.put(id, v)
		return nil
	}, "SELECT "+c.key+", value FROM "+c.vectors+" WHERE model = ? AND length(value) = ?", model, dimensions)
	if err != nil {
		return err
	}
	x.model = model
	x.ids, x.codes = slices.Clip(x.ids), slices.Clip(x.codes)
	return nil
}

// corpus is a kind of text that is searched: its tables, the column of the vectors
// that names a row, and the codes of the vectors.
type corpus struct {
	rows, texts, vectors, key string
	index                     *index
	person                    *string // only what is of them or of the household; nil: all
}

// of is the condition that the row with an id is of c.person, and its argument.
func (c corpus) of(id string) (condition string, args []any) {
	if c.person == nil {
		return "", nil
	}
	return " AND EXISTS (SELECT 1 FROM " + c.rows + " r WHERE r.id = " + id + " AND r.person IN ('', ?))", []any{*c.person}
}
