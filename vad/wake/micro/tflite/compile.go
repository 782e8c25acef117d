package tflite

import (
	"errors"
	"fmt"
)

// multiplies is a step whose cost is not bounded by the number of elements that it reads.
type multiplies interface{ products() int64 }

// compiler turns subgraphs into steps.
type compiler struct {
	graphs    []subgraph
	variables map[string]*variable
	steps     []step
	elements  int   // that the operators so far take
	products  int64 // that an Invoke of them computes
}

// run compiles the operators of subgraph k in their order, which is that of
// execution. In the subgraph that runs once, initial is true: it is evaluated
// here, and may only set variables to constants.
func (c *compiler) run(k int, initial bool) error {
	for i := range c.graphs[k].ops {
		o := &c.graphs[k].ops[i]
		s, err := c.operator(o, initial)
		if err = errors.Join(o.options.f.err, err); err != nil {
			return fmt.Errorf("operator %d, %s: %w", i, o.code, err)
		}
		if s != nil {
			c.steps = append(c.steps, s)
		}
		if m, ok := s.(multiplies); ok {
			c.products += m.products()
		}
		if c.products > maxProducts {
			return fmt.Errorf("operator %d, %s: more than %d products in all", i, o.code, maxProducts)
		}
	}
	return nil
}

func (c *compiler) operator(o *operator, initial bool) (step, error) {
	kind := kinds[o.code]
	if kind.build == nil && o.code != opCallOnce {
		return nil, errors.New("is not one of the operators of microWakeWord")
	}
	if err := o.arity(kind.in, kind.out); err != nil {
		return nil, err
	}
	for _, t := range o.in {
		if t != nil {
			c.elements += t.size()
		}
	}
	if c.elements > maxElements {
		return nil, fmt.Errorf("the operators take more than %d elements", maxElements)
	}
	switch {
	case !initial && o.code == opCallOnce:
		return c.callOnce(o)
	case !initial:
		return kind.build(c, o)
	case o.code == opVarHandle:
		return c.varHandle(o)
	case o.code == opAssignVariable:
		return nil, initialise(o)
	}
	return nil, errors.New("only variables may be set in the subgraph that runs once")
}

// callOnce evaluates a subgraph (options: 0 its index).
func (c *compiler) callOnce(o *operator) (step, error) {
	k := o.options.int32(0, 0)
	if k < 1 || int(k) >= len(c.graphs) {
		return nil, fmt.Errorf("subgraph %d of %d is called", k, len(c.graphs))
	}
	return nil, c.run(int(k), true)
}

// arity checks that the tensors that the builder will look at are there.
func (o *operator) arity(in, out int) error {
	if len(o.in) < in || out >= 0 && len(o.out) != out {
		return fmt.Errorf("%d inputs and %d outputs: want %d and %d", len(o.in), len(o.out), in, out)
	}
	for i, t := range o.in {
		if t == nil && i < in {
			return fmt.Errorf("input %d was left out", i)
		}
	}
	for _, t := range o.out {
		if t == nil || t.constant {
			return errors.New("an output is missing or constant")
		}
	}
	return nil
}
