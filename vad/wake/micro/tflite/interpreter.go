package tflite

import (
	"errors"
	"fmt"
	"slices"
)

// Interpreter runs one network with one stream's memory.
type Interpreter struct {
	in, out   *tensor
	steps     []step
	variables []*variable
}

// Load compiles the network in a .tflite file, of which it keeps nothing. The
// network has one int8 input and one int8, uint8 or float32 output. The error says
// what was expected.
func Load(file []byte) (*Interpreter, error) {
	graphs, err := parse(file)
	if err != nil {
		return nil, fmt.Errorf("read network: %w", err)
	}
	if len(graphs) == 0 || len(graphs[0].in) != 1 || len(graphs[0].out) != 1 || graphs[0].in[0] == nil ||
		graphs[0].out[0] == nil {
		return nil, errors.New("read network: want one input and one output")
	}
	c := &compiler{graphs: graphs, variables: make(map[string]*variable)}
	if err := c.run(0, false); err != nil {
		return nil, fmt.Errorf("compile network: %w", err)
	}
	n := &Interpreter{in: graphs[0].in[0], out: graphs[0].out[0], steps: c.steps}
	if n.in.typ != typeInt8 || n.out.typ != typeInt8 && n.out.typ != typeUint8 && n.out.typ != typeFloat32 {
		return nil, fmt.Errorf("read network: types %d and %d: want an int8 input and an int8, uint8 or float32 output",
			n.in.typ, n.out.typ)
	}
	for _, v := range c.variables {
		n.variables = append(n.variables, v)
	}
	return n, nil
}

// InputShape returns the shape of the input.
func (n *Interpreter) InputShape() []int { return slices.Clone(n.in.shape) }

// OutputShape returns the shape of the output.
func (n *Interpreter) OutputShape() []int { return slices.Clone(n.out.shape) }

// Unsigned says whether the bytes of the output are uint8.
func (n *Interpreter) Unsigned() bool { return n.out.typ == typeUint8 }

// Input returns the buffer that Invoke reads, to be filled by the caller.
func (n *Interpreter) Input() []int8 { return n.in.data }

// Output returns the buffer that Invoke writes. Where Unsigned, each byte holds
// the bits of a uint8. It is nil where the output is float32.
func (n *Interpreter) Output() []int8 { return n.out.data }

// Floats returns the buffer that Invoke writes where the output is float32, else
// nil.
func (n *Interpreter) Floats() []float32 { return n.out.floats }

// Invoke runs the network once. It allocates nothing.
func (n *Interpreter) Invoke() {
	for _, s := range n.steps {
		s.run()
	}
}

// Reach is how many times Invoke runs until nothing is left of the memory's first
// value, at most: a streaming network shifts every variable by a row or more.
func (n *Interpreter) Reach() int {
	reach := 1
	for _, v := range n.variables {
		reach += v.rows
	}
	return reach
}

// Reset gives the memory of the stream its first value.
func (n *Interpreter) Reset() {
	for _, v := range n.variables {
		copy(v.data, v.initial)
	}
}
