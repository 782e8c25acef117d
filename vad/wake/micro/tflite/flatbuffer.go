package tflite

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// flat reads a FlatBuffer that is not trusted. Whatever lies outside the bytes
// reads as zero and sets err, the first of which is kept, so that a parser looks
// at err once it is done and never indexes by hand.
//
// The format: a table begins with a signed distance back to its vtable, which
// lists its own size, the size of the table, and per field a distance from the
// table, 0 for a field that has its default (flatbuffers.dev, "Internals").
type flat struct {
	b   []byte
	err error
}

var errOutside = errors.New("an offset leads out of the file")

func (f *flat) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// span returns n bytes from pos on, or nil.
func (f *flat) span(pos, n int) []byte {
	if pos < 0 || n < 0 || pos > len(f.b) || n > len(f.b)-pos {
		f.fail(errOutside)
		return nil
	}
	return f.b[pos : pos+n]
}

func (f *flat) byte(pos int) byte {
	if b := f.span(pos, 1); b != nil {
		return b[0]
	}
	return 0
}

func (f *flat) uint16(pos int) int {
	if b := f.span(pos, 2); b != nil {
		return int(binary.LittleEndian.Uint16(b))
	}
	return 0
}

func (f *flat) uint32(pos int) uint32 {
	if b := f.span(pos, 4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// follow returns the position that the unsigned offset at pos points to.
func (f *flat) follow(pos int) int {
	off := f.uint32(pos)
	if off > uint32(len(f.b)-min(pos, len(f.b))) {
		f.fail(errOutside)
		return 0
	}
	return pos + int(off)
}

// table is one table of a FlatBuffer, of which the zero value has no field.
type table struct {
	f      *flat
	pos    int
	vtable int
	fields int // of 2 bytes, in the vtable
}

func (f *flat) table(pos int) table {
	back := int64(int32(f.uint32(pos)))
	vtable := int64(pos) - back
	if vtable < 0 || vtable > int64(len(f.b)) {
		f.fail(errOutside)
		return table{f: f}
	}
	size := f.uint16(int(vtable))
	if size < 4 || f.span(int(vtable), size) == nil {
		f.fail(errOutside)
		return table{f: f}
	}
	return table{f: f, pos: pos, vtable: int(vtable), fields: (size - 4) / 2}
}

// at returns the position of field i, 0 if it has its default.
func (t table) at(i int) int {
	if i >= t.fields {
		return 0
	}
	off := t.f.uint16(t.vtable + 4 + 2*i)
	if off == 0 {
		return 0
	}
	return t.pos + off
}

func (t table) byte(i int) byte {
	if p := t.at(i); p != 0 {
		return t.f.byte(p)
	}
	return 0
}

func (t table) int32(i int, or int32) int32 {
	if p := t.at(i); p != 0 {
		return int32(t.f.uint32(p))
	}
	return or
}

func (t table) sub(i int) table {
	if p := t.at(i); p != 0 {
		return t.f.table(t.f.follow(p))
	}
	return table{f: t.f}
}

// vector returns the bytes of the vector in field i and its length in elements
// of size bytes, of which there may be most.
func (t table) vector(i, size, most int) ([]byte, int) {
	p := t.at(i)
	if p == 0 {
		return nil, 0
	}
	p = t.f.follow(p)
	n := t.f.uint32(p)
	if n > uint32(most) {
		t.f.fail(fmt.Errorf("a list of %d entries: want at most %d", n, most))
		return nil, 0
	}
	b := t.f.span(p+4, int(n)*size)
	if b == nil {
		return nil, 0
	}
	return b, int(n)
}

func (t table) string(i, most int) string {
	b, _ := t.vector(i, 1, most)
	return string(b)
}

func (t table) int32s(i, most int) []int32 {
	b, n := t.vector(i, 4, most)
	out := make([]int32, n)
	for k := range out {
		out[k] = int32(binary.LittleEndian.Uint32(b[4*k:]))
	}
	return out
}

// tables returns the tables that the vector in field i refers to.
func (t table) tables(i, most int) []table {
	_, n := t.vector(i, 4, most)
	if n == 0 {
		return nil
	}
	out := make([]table, n)
	first := t.f.follow(t.at(i)) + 4
	for k := range out {
		out[k] = t.f.table(t.f.follow(first + 4*k))
	}
	return out
}
