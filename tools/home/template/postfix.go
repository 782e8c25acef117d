package template

// postfix reads .name, [index], [from:to] and .method(…) behind an expression.
func (p *parser) postfix(e expr) expr {
	for {
		switch {
		case p.take("."):
			t := p.peek(0)
			if t.kind != whole && t.kind != word {
				panic(p.unexpected())
			}
			p.toks = p.toks[1:]
			if t.kind == word && p.is("(") {
				e = p.call(methods, "method", t.text, argument{value: e})
			} else {
				e = index(e, constant(t.text))
			}
		case p.take("["):
			e = p.subscript(e)
		default:
			return e
		}
	}
}

func index(e, key expr) expr {
	return func(s *state) any {
		s.step()
		v := e(s)
		return s.item(v, key(s))
	}
}

func (p *parser) subscript(e expr) expr {
	bound := func() expr {
		if p.is(":") || p.is("]") {
			return constant(nil)
		}
		return p.expression()
	}
	from := bound()
	if p.take("]") {
		return index(e, from)
	}
	p.want(":")
	to := bound()
	p.want("]")
	return func(s *state) any {
		s.step()
		v, a := e(s), from(s)
		return s.slice(v, a, to(s))
	}
}

// filtered reads the filters and tests behind an expression.
func (p *parser) filtered(e expr) expr {
	for {
		switch {
		case p.take("|"):
			e = p.call(filters, "filter", p.name(), argument{value: e})
		case p.take("is"):
			not := p.take("not")
			e = p.call(tests, "test", p.name(), argument{value: e})
			if not {
				e = negated(e)
			}
		default:
			return e
		}
	}
}

// argument is one of a call; name is that by which it was given, if it was.
type argument struct {
	name  string
	value expr
}

// call reads the arguments of one of known, of which value are the first. A test takes one
// without brackets: is eq 3.
func (p *parser) call(known map[string]fn, what, name string, value ...argument) expr {
	f, ok := known[name]
	if !ok {
		panic(failed("the %s %.40q is not known", what, name))
	}
	args := value
	if p.take("(") {
		args = append(args, p.arguments()...)
	} else if e := p.peek(0).kind; what == "test" && (e == quoted || e == whole || e == decimal) {
		args = append(args, argument{value: p.literal()})
	}
	return func(s *state) any {
		s.step()
		c := call{state: s}
		for _, a := range args {
			c.take(a.name, a.value(s))
		}
		s.items(len(args))
		s.in = name
		v := f(c)
		s.in = ""
		return v
	}
}

// arguments reads up to the closing bracket. Names that a function does not have are not
// looked at.
func (p *parser) arguments() (args []argument) {
	for !p.take(")") {
		if len(args) > 0 {
			p.want(",")
		}
		var a argument
		if p.peek(0).kind == word && p.peek(1) == (token{mark, "="}) {
			a.name = p.name()
			p.take("=")
		}
		a.value = p.expression()
		args = append(args, a)
	}
	return args
}
