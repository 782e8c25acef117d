package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
)

// code is the signs of v, one bit per dimension. The number of bits in which two
// codes differ grows with the angle between their vectors (Charikar 2002).
func code(dst []uint64, v []float32) []uint64 {
	for i := 0; i < len(v); i += 64 {
		var w uint64
		for j, x := range v[i:min(i+64, len(v))] {
			if x > 0 {
				w |= 1 << j
			}
		}
		dst = append(dst, w)
	}
	return dst
}

// index holds the codes of all vectors of one model in memory: 96 bytes for a
// note of 768 dimensions. To look at all of them takes half a millisecond for
// 100,000 notes, where sqlite-vec's own table took 50 (measured 2026-11 on the
// development machine); the few nearest are then compared exactly.
type index struct {
	mu    sync.Mutex
	model string
	words int // per code
	ids   []int64
	codes []uint64
	at    map[int64]int // id to place
}

// add puts codes in, if the index holds those of model.
func (x *index) add(model string, vectors map[int64][]float32) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.model != model {
		return
	}
	for id, v := range vectors {
		x.put(id, v)
	}
}

// put replaces or appends one code. The first code sets the length of all.
func (x *index) put(id int64, v []float32) {
	words := (len(v) + 63) / 64
	if x.words == 0 {
		x.words = words
	}
	if words != x.words {
		return // another model under the same name: not comparable
	}
	if i, ok := x.at[id]; ok {
		code(x.codes[i*words:i*words], v)
		return
	}
	x.at[id] = len(x.ids)
	x.ids = append(x.ids, id)
	x.codes = code(x.codes, v)
}

// remove takes codes out: the last one fills the gap.
func (x *index) remove(ids []int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		i, ok := x.at[id]
		if !ok {
			continue
		}
		last := len(x.ids) - 1
		x.ids[i] = x.ids[last]
		copy(x.codes[i*x.words:(i+1)*x.words], x.codes[last*x.words:])
		x.at[x.ids[i]] = i
		delete(x.at, id)
		x.ids, x.codes = x.ids[:last], x.codes[:last*x.words]
	}
}

// nearest gives the ids of the n codes that differ least from that of v.
func (x *index) nearest(v []float32, n int) []int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.words == 0 || (len(v)+63)/64 != x.words {
		return nil
	}
	q := code(make([]uint64, 0, x.words), v)
	distance := make([]uint16, len(x.ids))
	count := make([]int, 64*x.words+1) // ids by distance
	for i := range x.ids {
		d := 0
		for j, w := range x.codes[i*x.words : (i+1)*x.words] {
			d += bits.OnesCount64(w ^ q[j])
		}
		distance[i] = uint16(d)
		count[d]++
	}
	limit, room := 0, n
	for limit < len(count)-1 && room > count[limit] {
		room -= count[limit]
		limit++
	}
	found := make([]int64, 0, n)
	for i, d := range distance {
		switch {
		case int(d) > limit:
			continue
		case int(d) == limit:
			if room == 0 {
				continue
			}
			room--
		}
		found = append(found, x.ids[i])
	}
	return found
}

const (
	minDimensions = 8
	maxDimensions = 4096
	maxModel      = 200 // bytes of a model's name
)

func checkVector(v []float32) error {
	if len(v) < minDimensions || len(v) > maxDimensions || len(v)%8 != 0 {
		return fmt.Errorf("vector of %d dimensions: want a multiple of 8 from %d to %d", len(v), minDimensions,
			maxDimensions)
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

// corpus is a kind of text that is searched: its tables, the column of the vectors that identifies
// a row, and the codes of the vectors.
type corpus struct {
	rows, texts, vectors, key string
	index                     *index
	person                    *string // only rows of this person or of the household; nil: all
}

// of is the condition that the row with an id belongs to c.person, and its argument.
func (c corpus) of(id string) (condition string, args []any) {
	if c.person == nil {
		return "", nil
	}
	return " AND EXISTS (SELECT 1 FROM " + c.rows + " r WHERE r.id = " + id + " AND r.person IN ('', ?))",
		[]any{*c.person}
}
