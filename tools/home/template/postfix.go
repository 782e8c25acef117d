package template

import (
	"fmt"
)

// postfix reads .name, [index], [from:to] and .method(…) behind an expression.
func (p *parser) postfix(e expr) (expr, error) {
	for {
		switch {
		case p.takeOp("."):
			if p.at(whole) {
				e = index(e, constant(p.toks[p.i].text))
				p.i++
				continue
			}
			n, err := p.want(name)
			if err != nil {
				return nil, err
			}
			if p.isOp("(") {
				if e, err = p.method(e, n.text); err != nil {
					return nil, err
				}
				continue
			}
			e = index(e, constant(n.text))
		case p.takeOp("["):
			var err error
			if e, err = p.subscript(e); err != nil {
				return nil, err
			}
		default:
			return e, nil
		}
	}
}

func index(e, key expr) expr {
	return func(s *state) (any, error) {
		if err := s.step(); err != nil {
			return nil, err
		}
		v, err := e(s)
		if err != nil {
			return nil, err
		}
		k, err := key(s)
		if err != nil {
			return nil, err
		}
		return s.item(v, k)
	}
}

func (p *parser) subscript(e expr) (expr, error) {
	bound := func() (expr, error) {
		if p.isOp(":") || p.isOp("]") {
			return constant(nil), nil
		}
		return p.expression()
	}
	from, err := bound()
	if err != nil {
		return nil, err
	}
	if p.takeOp("]") {
		return index(e, from), nil
	}
	if err := p.wantOp(":"); err != nil {
		return nil, err
	}
	to, err := bound()
	if err != nil {
		return nil, err
	}
	if err := p.wantOp("]"); err != nil {
		return nil, err
	}
	return func(s *state) (any, error) {
		if err := s.step(); err != nil {
			return nil, err
		}
		var v [3]any
		for i, e := range []expr{e, from, to} {
			var err error
			if v[i], err = e(s); err != nil {
				return nil, err
			}
		}
		return s.slice(v[0], v[1], v[2])
	}, nil
}

// filtered reads the filters and tests behind an expression.
func (p *parser) filtered(e expr) (expr, error) {
	for {
		switch {
		case p.takeOp("|"):
			n, err := p.want(name)
			if err != nil {
				return nil, err
			}
			f, ok := filters[n.text]
			if !ok {
				return nil, fmt.Errorf("the filter %.40q is not known", n.text)
			}
			var args []expr
			if p.takeOp("(") {
				if args, err = p.arguments(); err != nil {
					return nil, err
				}
			}
			e = call(f, append([]expr{e}, args...), n.text)
		case p.takeName("is"):
			not := p.takeName("not")
			n, err := p.want(name)
			if err != nil {
				return nil, err
			}
			f, ok := tests[n.text]
			if !ok {
				return nil, fmt.Errorf("the test %.40q is not known", n.text)
			}
			args := []expr{e}
			if p.takeOp("(") {
				more, err := p.arguments()
				if err != nil {
					return nil, err
				}
				args = append(args, more...)
			} else if p.at(quoted) || p.at(whole) || p.at(decimal) { // is eq 3
				more, err := p.literal()
				if err != nil {
					return nil, err
				}
				args = append(args, more)
			}
			if e = call(f, args, n.text); not {
				e = negated(e)
			}
		default:
			return e, nil
		}
	}
}

// arguments reads up to the closing bracket. The names of named ones are not
// looked at: the functions here have few, and they come in order.
func (p *parser) arguments() ([]expr, error) {
	var args []expr
	for !p.takeOp(")") {
		if len(args) > 0 {
			if err := p.wantOp(","); err != nil {
				return nil, err
			}
		}
		var named string
		if p.at(name) && p.i+1 < len(p.toks) && p.toks[p.i+1] == (token{op, "="}) {
			named = p.toks[p.i].text
			p.i += 2
		}
		e, err := p.expression()
		if err != nil {
			return nil, err
		}
		if named != "" {
			e = nameArgument(named, e)
		}
		args = append(args, e)
	}
	return args, nil
}

func (p *parser) function(n string) (expr, error) {
	f, ok := functions[n]
	if !ok {
		return nil, fmt.Errorf("the function %.40q is not known", n)
	}
	p.i++
	args, err := p.arguments()
	return call(f, args, n), err
}

func (p *parser) method(e expr, n string) (expr, error) {
	f, ok := methods[n]
	if !ok {
		return nil, fmt.Errorf("the method %.40q is not known", n)
	}
	p.i++
	args, err := p.arguments()
	return call(f, append([]expr{e}, args...), n), err
}
