package tflite

import (
	"errors"
	"fmt"
	"slices"
)

// varHandle binds the output to the variable of its name (VAR_HANDLE: 0
// container, 1 shared_name).
func (c *compiler) varHandle(o *operator) (step, error) {
	if o.out[0].typ != typeResource {
		return nil, errors.New("the handle is no resource")
	}
	name := o.options.string(1, maxName)
	v := c.variables[name]
	if v == nil {
		v = &variable{name: name}
		c.variables[name] = v
	}
	o.out[0].variable = v
	return nil, nil
}

// initialise gives a variable the value that it has when a stream begins.
func initialise(o *operator) error {
	v, t := o.in[0].variable, o.in[1]
	switch {
	case v == nil:
		return errors.New("no VAR_HANDLE before")
	case t.typ != typeInt8 || !t.constant:
		return fmt.Errorf("variable %q begins with %q: want an int8 constant", v.name, t.name)
	case v.data != nil:
		return fmt.Errorf("variable %q is set twice", v.name)
	}
	v.initial, v.data = t.data, slices.Clone(t.data)
	v.rows = len(t.data) / t.channels()
	return nil
}

// move copies bytes: READ_VARIABLE, ASSIGN_VARIABLE.
type move struct{ dst, src []int8 }

func (m *move) run() { copy(m.dst, m.src) }

func newRead(o *operator) (step, error) {
	data, err := o.in[0].held(o.out[0])
	return &move{dst: o.out[0].data, src: data}, err
}

func newAssign(o *operator) (step, error) {
	data, err := o.in[0].held(o.in[1])
	return &move{dst: data, src: o.in[1].data}, err
}

// held returns the bytes of the variable that t is a handle of, if they fit x.
func (t *tensor) held(x *tensor) ([]int8, error) {
	switch v := t.variable; {
	case v == nil:
		return nil, errors.New("no VAR_HANDLE before")
	case v.data == nil:
		return nil, fmt.Errorf("variable %q has no first value", v.name)
	case x.typ != typeInt8 || len(x.data) != len(v.data):
		return nil, fmt.Errorf("variable %q of %d bytes meets %q of %d", v.name, len(v.data), x.name, len(x.data))
	default:
		return v.data, nil
	}
}
