package gguf

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"
)

// model is a file as a reader sees it that knows nothing of the writer.
type model struct {
	keys    map[string]any
	tensors map[string][]float32
	shapes  map[string][]uint64
}

// read reads a GGUF file by the description of the format, and fails on whatever
// does not agree with it.
func read(t *testing.T, b []byte) model {
	t.Helper()
	r := bytes.NewReader(b)
	m := model{map[string]any{}, map[string][]float32{}, map[string][]uint64{}}
	if number[uint32](t, r) != 0x46554747 { // "GGUF"
		t.Fatal("not a GGUF file")
	}
	if v := number[uint32](t, r); v != 3 {
		t.Fatalf("version %d", v)
	}
	tensors, keys := number[uint64](t, r), number[uint64](t, r)
	for range keys {
		key := text(t, r)
		if _, ok := m.keys[key]; ok {
			t.Fatalf("key %q occurs twice", key)
		}
		m.keys[key] = value(t, r, number[uint32](t, r))
	}
	type info struct {
		name   string
		n      uint64
		offset uint64
	}
	var infos []info
	for range tensors {
		i := info{name: text(t, r), n: 1}
		for range number[uint32](t, r) {
			d := number[uint64](t, r)
			m.shapes[i.name] = append(m.shapes[i.name], d)
			i.n *= d
		}
		if kind := number[uint32](t, r); kind != 0 {
			t.Fatalf("tensor %q has type %d", i.name, kind)
		}
		i.offset = number[uint64](t, r)
		infos = append(infos, i)
	}
	align := uint64(m.keys["general.alignment"].(uint32))
	start := (uint64(len(b)-r.Len()) + align - 1) / align * align
	end := start
	for _, i := range infos {
		if i.offset%align != 0 {
			t.Fatalf("tensor %q lies at %d", i.name, i.offset)
		}
		data := make([]float32, i.n)
		if err := binary.Read(io.NewSectionReader(bytes.NewReader(b), int64(start+i.offset), int64(4*i.n)), binary.LittleEndian, data); err != nil {
			t.Fatalf("tensor %q: %v", i.name, err)
		}
		m.tensors[i.name] = data
		end = start + i.offset + 4*i.n
	}
	if rest := uint64(len(b)) - end; rest >= align {
		t.Fatalf("%d bytes after the last tensor", rest)
	}
	return m
}

func number[T any](t *testing.T, r io.Reader) T {
	t.Helper()
	var v T
	if err := binary.Read(r, binary.LittleEndian, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func text(t *testing.T, r io.Reader) string {
	t.Helper()
	b := make([]byte, number[uint64](t, r))
	if _, err := io.ReadFull(r, b); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func value(t *testing.T, r io.Reader, kind uint32) any {
	t.Helper()
	switch kind {
	case 4:
		return number[uint32](t, r)
	case 5:
		return number[int32](t, r)
	case 6:
		return number[float32](t, r)
	case 7:
		return number[uint8](t, r) == 1
	case 8:
		return text(t, r)
	case 9:
		of, n := number[uint32](t, r), number[uint64](t, r)
		var all []any
		for range n {
			all = append(all, value(t, r, of))
		}
		return all
	}
	t.Fatalf("metadata of type %d", kind)
	return nil
}
