package template

import (
	"errors"
	"maps"
	"strings"
)

// stmt is a parsed statement, and expr a parsed expression. The error of a statement is
// errBreak or errContinue; whatever fails panics with a failure.
type (
	stmt func(*state) error
	expr func(*state) any
)

// What leaves the body of a loop.
var (
	errContinue = errors.New("continue outside of a loop")
	errBreak    = errors.New("break outside of a loop")
)

func (s *state) all(body []stmt) error {
	for _, st := range body {
		s.step()
		if err := st(s); err != nil {
			return err
		}
	}
	return nil
}

// parser reads the tokens that are left by recursive descent, in the order of precedence
// of Jinja's own parser. What is not understood panics with a failure.
type parser struct {
	toks  []token
	depth int
}

// peek is the token n places on.
func (p *parser) peek(n int) token {
	if n < len(p.toks) {
		return p.toks[n]
	}
	return token{}
}

// is reports whether the operator, bracket or word s is next.
func (p *parser) is(s string) bool { return p.peek(0) == token{mark, s} || p.peek(0) == token{word, s} }

// take passes over s if it is next.
func (p *parser) take(s string) bool {
	if !p.is(s) {
		return false
	}
	p.toks = p.toks[1:]
	return true
}

func (p *parser) want(s string) {
	if !p.take(s) {
		panic(failed("%w instead of %q", p.unexpected().error, s))
	}
}

// name reads a name.
func (p *parser) name() string {
	t := p.peek(0)
	if t.kind != word {
		panic(p.unexpected())
	}
	p.toks = p.toks[1:]
	return t.text
}

func (p *parser) unexpected() failure {
	switch t := p.peek(0); {
	case t.kind == eof:
		return failed("unexpected end")
	case t.text == "}}" || t.text == "%}":
		return failed("unexpected end of expression")
	default:
		return failed("unexpected %.40q", t.text)
	}
}

// deeper bounds the recursion; the caller calls the result when it returns.
func (p *parser) deeper() func() {
	if p.depth++; p.depth > maxDepth {
		panic(failed("nested deeper than %d", maxDepth))
	}
	return func() { p.depth-- }
}

// peekStatement is the name of the statement that is next.
func (p *parser) peekStatement() string {
	if p.is("{%") && p.peek(1).kind == word {
		return p.peek(1).text
	}
	return ""
}

// takeStatement passes over {% name %} if it is next.
func (p *parser) takeStatement(name string) bool {
	if p.peekStatement() != name {
		return false
	}
	p.toks = p.toks[2:]
	p.want("%}")
	return true
}

// statements reads up to the end or to a statement that only ends another.
func (p *parser) statements() (body []stmt) {
	defer p.deeper()()
	for len(p.toks) > 0 {
		next := p.peekStatement()
		switch t := p.peek(0); {
		case t.kind == text:
			p.toks = p.toks[1:]
			body = append(body, func(s *state) error { s.write(t.text); return nil })
		case p.take("{{"):
			e := p.expression()
			p.want("}}")
			body = append(body, func(s *state) error { s.write(s.str(e(s))); return nil })
		case next == "else" || next == "elif" || strings.HasPrefix(next, "end"):
			return body
		default:
			p.want("{%")
			body = append(body, p.statement(p.name()))
		}
	}
	return body
}

func (p *parser) statement(name string) stmt {
	switch name {
	case "if":
		return p.conditional()
	case "set":
		return p.assignment()
	case "for":
		return p.loop()
	case "continue", "break":
		p.want("%}")
		leave := map[string]error{"continue": errContinue, "break": errBreak}[name]
		return func(*state) error { return leave }
	}
	panic(failed("the statement %.40q is not allowed", name))
}

// closing passes over the statement that ends another.
func (p *parser) closing(name string) {
	if !p.takeStatement(name) {
		panic(failed("%s is missing", name))
	}
}

// conditional reads what follows {% if or {% elif.
func (p *parser) conditional() stmt {
	condition := p.expression()
	p.want("%}")
	yes := p.statements()
	var no []stmt
	if p.peekStatement() == "elif" {
		p.toks = p.toks[2:]
		no = []stmt{p.conditional()}
	} else {
		if p.takeStatement("else") {
			no = p.statements()
		}
		p.closing("endif")
	}
	return func(s *state) error {
		if truth(condition(s)) {
			return s.all(yes)
		}
		return s.all(no)
	}
}

// assignment reads what follows {% set: a variable, or one of a namespace.
func (p *parser) assignment() stmt {
	to, field := p.name(), ""
	if p.take(".") {
		field = p.name()
	}
	p.want("=")
	e := p.expression()
	p.want("%}")
	return func(s *state) error {
		v := e(s)
		if field == "" {
			s.vars[to] = v
			return nil
		}
		in, ok := s.vars[to].(*dict)
		if !ok {
			panic(failed("%.40q is no namespace", to))
		}
		s.set(in, field, v)
		return nil
	}
}

// cycle is {% for each in list if only %}body{% else %}none{% endfor %}.
type cycle struct {
	each       []string
	list, only expr
	body, none []stmt
}

// loop reads what follows {% for.
func (p *parser) loop() stmt {
	var c cycle
	for len(c.each) == 0 || p.take(",") {
		c.each = append(c.each, p.name())
	}
	p.want("in")
	c.list = p.operation(0) // an if behind it chooses elements
	if p.take("if") {
		c.only = p.expression()
	}
	p.want("%}")
	c.body = p.statements()
	if p.takeStatement("else") {
		c.none = p.statements()
	}
	p.closing("endfor")
	return c.run
}

// run goes through the list. What the body sets is forgotten with each round, as
// Jinja has it.
func (c cycle) run(s *state) error {
	list := s.list(c.list(s))
	outer := s.vars
	defer func() { s.vars = outer }()
	if c.only != nil {
		list = c.chosen(s, list)
	}
	if len(list) == 0 {
		return s.all(c.none)
	}
	n := len(list)
	for i, v := range list {
		c.enter(s, outer, v)
		s.vars["loop"] = &dict{values: map[any]any{
			"index": int64(i + 1), "index0": int64(i), "first": i == 0, "last": i == n-1,
			"length": int64(n), "revindex": int64(n - i),
		}}
		if errors.Is(s.all(c.body), errBreak) {
			return nil
		}
	}
	return nil
}

// chosen are the elements that the condition of the loop takes.
func (c cycle) chosen(s *state, list []any) (out []any) {
	outer := s.vars
	defer func() { s.vars = outer }()
	for _, v := range list {
		c.enter(s, outer, v)
		if truth(c.only(s)) {
			s.items(1)
			out = append(out, v)
		}
	}
	return out
}

// enter begins a round with element v.
func (c cycle) enter(s *state, outer map[string]any, v any) {
	s.items(4*len(outer) + 20) // and what the loop knows of itself
	s.vars = maps.Clone(outer)
	if len(c.each) == 1 {
		s.vars[c.each[0]] = v
		return
	}
	parts, ok := v.([]any)
	if !ok || len(parts) != len(c.each) {
		panic(failed("%s cannot be taken apart into %d", kindOf(v), len(c.each)))
	}
	for i, n := range c.each {
		s.vars[n] = parts[i]
	}
}
