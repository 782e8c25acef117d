package template

import (
	"slices"
	"strconv"
)

// expression reads `a if b else c` and all that binds closer.
func (p *parser) expression() expr {
	defer p.deeper()()
	yes := p.operation(0)
	if !p.take("if") {
		return yes
	}
	condition, no := p.operation(0), constant(undefined{})
	if p.take("else") {
		no = p.expression()
	}
	return func(s *state) any {
		s.step()
		if truth(condition(s)) {
			return yes(s)
		}
		return no(s)
	}
}

// precedence lists the operators between two values, those that bind closest last.
// Comparisons have a row of their own.
var precedence = [][]string{{"or"}, {"and"}, nil, {"+", "-"}, {"~"}, {"*", "//", "/", "%"}, {"**"}}

var comparisons = []string{"==", "!=", "<=", ">=", "<", ">", "in"}

// operation reads values with operators between them that are of a row of precedence, or
// bind closer.
func (p *parser) operation(row int) expr {
	switch {
	case row == len(precedence):
		return p.filtered(p.signed()) // filters are for the sign in front of a value too
	case precedence[row] == nil:
		return p.comparison(row + 1)
	}
	left := p.operation(row + 1)
	for {
		o := p.peek(0).text
		if !slices.ContainsFunc(precedence[row], p.take) {
			return left
		}
		left = between(o, left, p.operation(row+1))
	}
}

func between(o string, a, b expr) expr {
	return func(s *state) any {
		s.step()
		v := a(s)
		if o != "or" && o != "and" {
			return s.apply(o, v, b(s))
		}
		if truth(v) == (o == "or") {
			return v
		}
		return b(s)
	}
}

// link is a comparison with what stands behind it.
type link struct {
	o     string
	not   bool
	right expr
}

// comparison reads comparisons, of which several hold together, as in Python: 0 < x < 10.
func (p *parser) comparison(row int) expr {
	if p.take("not") {
		defer p.deeper()()
		return negated(p.comparison(row))
	}
	left := p.operation(row)
	var links []link
	for {
		not := p.is("not") && p.peek(1) == token{word, "in"}
		if not {
			p.take("not")
		}
		o := p.peek(0).text
		if !slices.ContainsFunc(comparisons, p.take) {
			break
		}
		links = append(links, link{o, not, p.operation(row)})
	}
	if links == nil {
		return left
	}
	// Each operand is evaluated once, up to the first comparison that does not hold.
	return func(s *state) any {
		a := left(s)
		for _, l := range links {
			s.step()
			b := l.right(s)
			if truth(s.apply(l.o, a, b)) == l.not {
				return false
			}
			a = b
		}
		return true
	}
}

func negated(e expr) expr {
	return func(s *state) any {
		s.step()
		return !truth(e(s))
	}
}

func (p *parser) signed() expr {
	minus := p.is("-")
	if !p.take("-") && !p.take("+") {
		return p.postfix(p.primary())
	}
	defer p.deeper()()
	e := p.signed()
	if !minus {
		return e
	}
	return between("-", constant(int64(0)), e)
}

func (p *parser) primary() expr {
	t := p.peek(0)
	if e := p.literal(); e != nil {
		return e
	}
	switch {
	case t.kind == word:
		p.toks = p.toks[1:]
		if p.is("(") {
			return p.call(functions, "function", t.text)
		}
		return func(s *state) any {
			s.step()
			if v, ok := s.vars[t.text]; ok {
				return v
			}
			return undefined{}
		}
	case p.take("("):
		elements, comma := p.elements(")")
		if len(elements) == 1 && !comma {
			return elements[0]
		}
		return list(elements)
	case p.take("["):
		elements, _ := p.elements("]")
		return list(elements)
	case p.take("{"):
		return p.dict()
	}
	panic(p.unexpected())
}

var constants = map[string]any{"true": true, "True": true, "false": false, "False": false, "none": nil, "None": nil}

// literal reads a value that stands for itself, or nothing.
func (p *parser) literal() expr {
	t := p.peek(0)
	var v any
	var err error
	switch t.kind {
	case quoted:
		v = t.text
	case whole:
		v, err = strconv.ParseInt(t.text, 10, 64)
	case decimal:
		v, err = strconv.ParseFloat(t.text, 64)
	default:
		named := false
		if v, named = constants[t.text]; !named || t.kind != word {
			return nil
		}
	}
	if err != nil {
		panic(failed("number %.40q is too large", t.text))
	}
	p.toks = p.toks[1:]
	return constant(v)
}

func constant(v any) expr { return func(s *state) any { s.step(); return v } }

// elements reads those of a list or tuple up to stop. comma: there is one behind the last.
func (p *parser) elements(stop string) (list []expr, comma bool) {
	for !p.take(stop) {
		if len(list) > 0 && !comma {
			panic(p.unexpected())
		}
		list = append(list, p.expression())
		comma = p.take(",")
	}
	return list, comma
}

func list(elements []expr) expr {
	return func(s *state) any {
		s.items(len(elements))
		out := make([]any, len(elements))
		for i, e := range elements {
			out[i] = e(s)
		}
		return out
	}
}

func (p *parser) dict() expr {
	var keys, values []expr
	for comma := true; !p.take("}"); comma = p.take(",") {
		if !comma {
			panic(p.unexpected())
		}
		keys = append(keys, p.expression())
		p.want(":")
		values = append(values, p.expression())
	}
	return func(s *state) any {
		d := &dict{}
		for i := range keys {
			k := keys[i](s)
			s.set(d, k, values[i](s))
		}
		return d
	}
}
