package gguf

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// alignment is that of tensors in a file.
const alignment = 32

// tensor is a matrix of rows, each of width columns; a vector is one row.
type tensor struct {
	name  string
	shape []uint64 // columns first
	data  []float32
}

func matrix(name string, columns, rows int) *tensor {
	return &tensor{name, []uint64{uint64(columns), uint64(rows)}, make([]float32, columns*rows)}
}

func constant(name string, n int, value float32) *tensor {
	t := &tensor{name, []uint64{uint64(n)}, make([]float32, n)}
	for i := range t.data {
		t.data[i] = value
	}
	return t
}

func (t *tensor) put(row, column int, v float64) {
	t.data[row*int(t.shape[0])+column] = float32(v)
}

func (t *tensor) add(row, column int, v float64) { t.data[row*int(t.shape[0])+column] += float32(v) }

// entry is one key of the metadata, with a value of a type that writer knows.
type entry struct {
	key   string
	value any
}

// Write writes the model that a script describes. The same script gives the same
// bytes.
func Write(w io.Writer, s Script) error {
	if err := s.check(); err != nil {
		return err
	}
	b, err := newBrain(s)
	if err != nil {
		return err
	}
	kinds := make([]int, len(s.Lines))
	for i, l := range s.Lines {
		switch {
		case l.Loop:
			kinds[i] = loopLine
		case l.Form:
			kinds[i] = formLine
		}
	}
	return writeFile(w, b.metadata(), b.tensors(kinds))
}

// metadata describes the model by the keys of llama.cpp.
func (b *brain) metadata() []entry {
	n := func(v int) uint32 { return uint32(v) }
	return append([]entry{
		{"general.architecture", "llama"},
		{"general.name", "scripted"},
		{"general.file_type", uint32(0)},
		{"general.alignment", uint32(alignment)},
		{"llama.vocab_size", n(len(b.v.tokens))},
		{"llama.context_length", n(b.context)},
		{"llama.embedding_length", n(b.width)},
		{"llama.block_count", uint32(2)},
		{"llama.feed_forward_length", uint32(feedForward)},
		{"llama.attention.head_count", n(b.heads)},
		{"llama.attention.head_count_kv", n(b.heads)},
		{"llama.attention.key_length", n(b.headWidth)},
		{"llama.attention.value_length", n(b.headWidth)},
		{"llama.attention.layer_norm_rms_epsilon", float32(1e-6)},
		{"llama.rope.dimension_count", n(b.headWidth)},
		{"llama.rope.freq_base", float32(ropeBase)},
		{"tokenizer.ggml.model", "llama"},
		{"tokenizer.ggml.pre", "default"},
		{"tokenizer.ggml.bos_token_id", n(b.v.bos)},
		{"tokenizer.ggml.eos_token_id", n(b.v.eos)},
		{"tokenizer.ggml.unknown_token_id", uint32(0)},
		{"tokenizer.ggml.add_bos_token", true},
		{"tokenizer.ggml.add_eos_token", false},
		{"tokenizer.ggml.add_space_prefix", false},
	}, vocabulary(b.v.tokens)...)
}

func vocabulary(tokens []token) []entry {
	texts, scores, kinds := make([]string, len(tokens)), make([]float32, len(tokens)), make([]int32, len(tokens))
	for i, t := range tokens {
		texts[i], scores[i], kinds[i] = t.text, t.score, t.kind
	}
	return []entry{{"tokenizer.ggml.tokens", texts}, {"tokenizer.ggml.scores", scores},
		{"tokenizer.ggml.token_type", kinds}}
}

// writeFile writes a file of GGUF version 3, as ggml's docs/gguf.md describes it.
func writeFile(to io.Writer, keys []entry, tensors []*tensor) error {
	w := &writer{w: bufio.NewWriterSize(to, 1<<20)}
	w.bytes("GGUF")
	w.number(uint32(3))
	w.number(uint64(len(tensors)))
	w.number(uint64(len(keys)))
	for _, e := range keys {
		w.string(e.key)
		w.value(e.value)
	}
	var offset uint64
	for _, t := range tensors {
		w.string(t.name)
		w.number(uint32(len(t.shape)))
		w.number(t.shape)
		w.number(uint32(0)) // 32-bit floats
		w.number(offset)
		offset += uint64(roundUp(len(t.data)*4, alignment))
	}
	w.pad()
	for _, t := range tensors {
		w.number(t.data)
		w.pad()
	}
	if w.err == nil {
		w.err = w.w.Flush()
	}
	if w.err != nil {
		return fmt.Errorf("write gguf: %w", w.err)
	}
	return nil
}

// writer keeps the first error and counts.
type writer struct {
	w   *bufio.Writer
	n   int
	err error
}

func (w *writer) bytes(s string) {
	if w.err == nil {
		var n int
		n, w.err = w.w.WriteString(s)
		w.n += n
	}
}

// number writes a number, or numbers, of fixed size.
func (w *writer) number(v any) {
	if w.err == nil {
		w.err = binary.Write(w.w, binary.LittleEndian, v)
		w.n += binary.Size(v)
	}
}

func (w *writer) string(s string) {
	w.number(uint64(len(s)))
	w.bytes(s)
}

func (w *writer) pad() { w.bytes(strings.Repeat("\x00", roundUp(w.n, alignment)-w.n)) }

// The types of metadata.
const (
	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeBool    = 7
	typeString  = 8
	typeArray   = 9
)

func (w *writer) value(v any) {
	array := func(of uint32, n int) {
		w.number(uint32(typeArray))
		w.number(of)
		w.number(uint64(n))
	}
	switch v := v.(type) {
	case uint32:
		w.number(uint32(typeUint32))
		w.number(v)
	case float32:
		w.number(uint32(typeFloat32))
		w.number(v)
	case bool:
		w.number(uint32(typeBool))
		w.number(v)
	case string:
		w.number(uint32(typeString))
		w.string(v)
	case []string:
		array(typeString, len(v))
		for _, s := range v {
			w.string(s)
		}
	case []float32:
		array(typeFloat32, len(v))
		w.number(v)
	case []int32:
		array(typeInt32, len(v))
		w.number(v)
	}
}
