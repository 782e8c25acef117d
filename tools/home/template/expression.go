package template

import (
	"errors"
	"slices"
)

// expression reads `a if b else c` and all that binds closer.
func (p *parser) expression() (expr, error) {
	up, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer up()
	yes, err := p.or()
	if err != nil || !p.takeName("if") {
		return yes, err
	}
	cond, err := p.or()
	if err != nil {
		return nil, err
	}
	no := func(*state) (any, error) { return undefined{}, nil }
	if p.takeName("else") {
		if no, err = p.expression(); err != nil {
			return nil, err
		}
	}
	return func(s *state) (any, error) {
		if err := s.step(); err != nil {
			return nil, err
		}
		v, err := cond(s)
		if err != nil {
			return nil, err
		}
		if truth(v) {
			return yes(s)
		}
		return no(s)
	}, nil
}

func (p *parser) or() (expr, error) {
	return p.lazy(p.and, "or", func(v any) bool { return truth(v) })
}

func (p *parser) and() (expr, error) {
	return p.lazy(p.not, "and", func(v any) bool { return !truth(v) })
}

// lazy reads operands that are evaluated until done likes one.
func (p *parser) lazy(operand func() (expr, error), word string, done func(any) bool) (expr, error) {
	left, err := operand()
	for err == nil && p.takeName(word) {
		a := left
		var b expr
		if b, err = operand(); err != nil {
			break
		}
		left = func(s *state) (any, error) {
			v, err := a(s)
			if err == nil {
				err = s.step()
			}
			if err != nil || done(v) {
				return v, err
			}
			return b(s)
		}
	}
	return left, err
}

func (p *parser) not() (expr, error) {
	if !p.takeName("not") {
		return p.comparison()
	}
	up, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer up()
	e, err := p.not()
	return negated(e), err
}

func negated(e expr) expr {
	return func(s *state) (any, error) {
		if err := s.step(); err != nil {
			return nil, err
		}
		v, err := e(s)
		return !truth(v), err
	}
}

var comparisons = []string{"==", "!=", "<=", ">=", "<", ">"}

// link is a comparison with what stands behind it.
type link struct {
	o     string
	not   bool
	right expr
}

// comparison reads comparisons, of which several hold together, as in Python: 0 < x < 10.
func (p *parser) comparison() (expr, error) {
	left, err := p.sum()
	var links []link
	for err == nil {
		not := false
		var o string
		switch {
		case p.at(op) && slices.Contains(comparisons, p.toks[p.i].text):
			o = p.toks[p.i].text
		case p.isName("in"):
			o = "in"
		case p.isName("not") && p.i+1 < len(p.toks) && p.toks[p.i+1] == token{name, "in"}:
			o, not = "in", true
			p.i++
		case len(links) == 0:
			return left, nil
		default:
			return linked(left, links), nil
		}
		p.i++
		var right expr
		if right, err = p.sum(); err == nil {
			links = append(links, link{o, not, right})
		}
	}
	return nil, err
}

// linked evaluates each operand once, up to the first comparison that does not hold.
func linked(left expr, links []link) expr {
	return func(s *state) (any, error) {
		a, err := left(s)
		if err != nil {
			return nil, err
		}
		holds := true
		for _, l := range links {
			b, err := l.right(s)
			if err != nil {
				return nil, err
			}
			v, err := s.binary(l.o, a, b)
			if err = errors.Join(err, s.step()); err != nil {
				return nil, err
			}
			if holds = truth(v) != l.not; !holds {
				break
			}
			a = b
		}
		return holds, nil
	}
}

func (p *parser) sum() (expr, error)     { return p.operators(p.concat, "+", "-") }
func (p *parser) concat() (expr, error)  { return p.operators(p.product, "~") }
func (p *parser) product() (expr, error) { return p.operators(p.power, "*", "//", "/", "%") }
func (p *parser) power() (expr, error)   { return p.operators(p.unary, "**") }

// operators reads operands with any of ops between them, from the left.
func (p *parser) operators(operand func() (expr, error), ops ...string) (expr, error) {
	left, err := operand()
	for err == nil && p.at(op) && slices.Contains(ops, p.toks[p.i].text) {
		o := p.toks[p.i].text
		p.i++
		var right expr
		if right, err = operand(); err == nil {
			left = operation(left, right, o)
		}
	}
	return left, err
}

func operation(left, right expr, o string) expr {
	return func(s *state) (any, error) {
		if err := s.step(); err != nil {
			return nil, err
		}
		a, err := left(s)
		if err != nil {
			return nil, err
		}
		b, err := right(s)
		if err != nil {
			return nil, err
		}
		return s.binary(o, a, b)
	}
}

// unary reads a value with its filters, which are for the sign in front of it too.
func (p *parser) unary() (expr, error) {
	e, err := p.signed()
	if err != nil {
		return nil, err
	}
	return p.filtered(e)
}

func (p *parser) signed() (expr, error) {
	minus := p.isOp("-")
	if !minus && !p.isOp("+") {
		e, err := p.primary()
		if err != nil {
			return nil, err
		}
		return p.postfix(e)
	}
	up, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer up()
	p.i++
	e, err := p.signed()
	if err != nil || !minus {
		return e, err
	}
	return operation(constant(int64(0)), e, "-"), nil
}

func (p *parser) primary() (expr, error) {
	if p.i >= len(p.toks) {
		return nil, p.unexpected()
	}
	if e, err := p.literal(); e != nil || err != nil {
		return e, err
	}
	switch {
	case p.at(name):
		n := p.toks[p.i].text
		p.i++
		if p.isOp("(") {
			return p.function(n)
		}
		return variable(n), nil
	case p.takeOp("("):
		e, single, err := p.group(")")
		if err != nil || single != nil {
			return single, err
		}
		return e, nil
	case p.takeOp("["):
		e, _, err := p.group("]")
		return e, err
	case p.takeOp("{"):
		return p.dict()
	}
	return nil, p.unexpected()
}

func variable(n string) expr {
	return func(s *state) (any, error) {
		if err := s.step(); err != nil {
			return nil, err
		}
		if v, ok := s.vars[n]; ok {
			return v, nil
		}
		return undefined{}, nil
	}
}

// group reads the elements of a list or tuple up to stop. single is the element
// of brackets that only hold one expression.
func (p *parser) group(stop string) (list, single expr, err error) {
	var items []expr
	comma := false
	for !p.takeOp(stop) {
		if len(items) > 0 && !comma {
			return nil, nil, p.unexpected()
		}
		e, err := p.expression()
		if err != nil {
			return nil, nil, err
		}
		items = append(items, e)
		comma = p.takeOp(",")
	}
	if len(items) == 1 && !comma {
		single = items[0]
	}
	return func(s *state) (any, error) {
		if err := s.items(len(items)); err != nil {
			return nil, err
		}
		out := make([]any, len(items))
		for i, e := range items {
			v, err := e(s)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	}, single, nil
}

func (p *parser) dict() (expr, error) {
	var keys, values []expr
	for !p.takeOp("}") {
		if len(keys) > 0 {
			if err := p.wantOp(","); err != nil {
				return nil, err
			}
			if p.takeOp("}") {
				break
			}
		}
		k, err := p.expression()
		if err != nil {
			return nil, err
		}
		if err := p.wantOp(":"); err != nil {
			return nil, err
		}
		v, err := p.expression()
		if err != nil {
			return nil, err
		}
		keys, values = append(keys, k), append(values, v)
	}
	return func(s *state) (any, error) {
		var d dict
		for i := range keys {
			k, err := keys[i](s)
			if err != nil {
				return nil, err
			}
			v, err := values[i](s)
			if err != nil {
				return nil, err
			}
			if err := s.set(&d, k, v); err != nil {
				return nil, err
			}
		}
		return d, nil
	}, nil
}

func constant(v any) expr { return func(s *state) (any, error) { return v, s.step() } }
