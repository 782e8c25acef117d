package neural

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

// A file of weights, little-endian, written by train/export.py:
//
//	"hvad", version, inputs, hidden, layers as uint16, CRC-32 (IEEE) of the rest
//	dense    hidden rows of inputs, hidden biases
//	layers   3·hidden rows of hidden on x (r, z, n), 3·hidden on h, then biases:
//	         2·hidden of r and z, hidden of n on x, hidden of n on h
//	output   a row of hidden, a bias
//
// A row is its scale as float32 and an int8 for each column, a bias a float32.
const (
	magic   = "hvad"
	version = 1
	header  = 16
	length  = header + hidden*(4+inputs) + 4*hidden + 2*(6*hidden*(4+hidden)+4*4*hidden) + 4 + hidden + 4
)

// load builds the network from a file of weights; its error says what was expected.
func load(file string) (network, error) {
	var n network
	if len(file) < header || file[:4] != magic {
		return n, fmt.Errorf("read weights: want a file that begins with %q, got %.4q of %d bytes", magic, file,
			len(file))
	}
	b := []byte(file)
	field := func(i int) int { return int(binary.LittleEndian.Uint16(b[4+2*i:])) }
	if got, want := [4]int{field(0), field(1), field(2), field(3)},
		[4]int{version, inputs, hidden, len(n.layers)}; got != want {
		return n, fmt.Errorf("read weights: version, inputs, hidden, layers are %v, want %v", got, want)
	}
	if len(b) != length {
		return n, fmt.Errorf("read weights: %d bytes, want %d", len(b), length)
	}
	if got, want := crc32.ChecksumIEEE(b[header:]), binary.LittleEndian.Uint32(b[12:]); got != want {
		return n, fmt.Errorf("read weights: checksum %08x, want %08x", got, want)
	}
	r := reader{b[header:]}
	n.dense = pack(r.rows(hidden, inputs), r.floats(hidden))
	for i := range n.layers {
		n.layers[i] = r.layer()
	}
	copy(n.out[:], r.rows(1, hidden)[0])
	n.bias = r.floats(1)[0]
	return n, nil
}

// reader takes a file of the right length apart.
type reader struct{ rest []byte }

func (r *reader) floats(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32(r.rest[4*i:]))
	}
	r.rest = r.rest[4*n:]
	return list
}

func (r *reader) rows(n, columns int) [][]float32 {
	list := make([][]float32, n)
	for i := range list {
		scale := r.floats(1)[0]
		list[i] = make([]float32, columns)
		for k, v := range r.rest[:columns] {
			list[i][k] = scale * float32(int8(v))
		}
		r.rest = r.rest[columns:]
	}
	return list
}

func (r *reader) layer() layer {
	x, h := r.rows(3*hidden, hidden), r.rows(3*hidden, hidden)
	for i := range 2 * hidden {
		x[i] = append(x[i], h[i]...)
	}
	return layer{
		gates: pack(x[:2*hidden], r.floats(2*hidden)),
		fresh: pack(x[2*hidden:], r.floats(hidden)),
		kept:  pack(h[2*hidden:], r.floats(hidden)),
	}
}

// pack interleaves rows of equal length by lanes.
func pack(rows [][]float32, bias []float32) matrix {
	m := matrix{bias: bias, columns: len(rows[0])}
	for at := 0; at < len(rows); at += lanes {
		for c := range m.columns {
			for _, row := range rows[at : at+lanes] {
				m.weights = append(m.weights, row[c])
			}
		}
	}
	return m
}
