package template

import (
	"errors"
	"fmt"
	"maps"
)

// assignment reads what follows {% set: a variable, or one of a namespace.
func (p *parser) assignment() (stmt, error) {
	to, err := p.want(name)
	if err != nil {
		return nil, err
	}
	var field token
	if p.takeOp(".") {
		if field, err = p.want(name); err != nil {
			return nil, err
		}
	}
	if err := p.wantOp("="); err != nil {
		return nil, err
	}
	e, err := p.expression()
	if err != nil {
		return nil, err
	}
	if _, err := p.want(end); err != nil {
		return nil, err
	}
	return func(s *state) error {
		v, err := e(s)
		if err != nil {
			return err
		}
		if field.text == "" {
			s.vars[to.text] = v
			return nil
		}
		in, ok := s.vars[to.text].(*space)
		if !ok {
			return fmt.Errorf("%.40q is no namespace", to.text)
		}
		in.values[field.text] = v
		return nil
	}, nil
}

func namespace(s *state, a arguments) (any, error) {
	if err := s.items(4 * len(a.named)); err != nil {
		return nil, err
	}
	n := &space{map[string]any{}}
	maps.Copy(n.values, a.named)
	return n, nil
}

// What leaves the body of a loop.
var (
	errContinue = errors.New("continue outside of a loop")
	errBreak    = errors.New("break outside of a loop")
)

// leave reads {% continue %} or {% break %}.
func (p *parser) leave(word string) (stmt, error) {
	_, err := p.want(end)
	leave := map[string]error{"continue": errContinue, "break": errBreak}[word]
	return func(*state) error { return leave }, err
}

// cycle is {% for each in list if only %}body{% else %}none{% endfor %}.
type cycle struct {
	each       []string
	list, only expr
	body, none []stmt
}

// loop reads what follows {% for.
func (p *parser) loop() (stmt, error) {
	var c cycle
	for len(c.each) == 0 || p.takeOp(",") {
		n, err := p.want(name)
		if err != nil {
			return nil, err
		}
		c.each = append(c.each, n.text)
	}
	if !p.takeName("in") {
		return nil, p.unexpected()
	}
	var err error
	if c.list, err = p.or(); err != nil { // an if behind it chooses elements
		return nil, err
	}
	if p.takeName("if") {
		if c.only, err = p.expression(); err != nil {
			return nil, err
		}
	}
	if _, err = p.want(end); err != nil {
		return nil, err
	}
	if c.body, err = p.statements(); err != nil {
		return nil, err
	}
	if p.peekStatement() == "else" {
		p.i += 2
		if _, err = p.want(end); err != nil {
			return nil, err
		}
		if c.none, err = p.statements(); err != nil {
			return nil, err
		}
	}
	return c.run, p.closing("endfor")
}

// run goes through the list. What the body sets is forgotten with each round, as
// Jinja has it.
func (c cycle) run(s *state) error {
	v, err := c.list(s)
	if err != nil {
		return err
	}
	list, err := s.list(v)
	if err != nil {
		return err
	}
	outer := s.vars
	defer func() { s.vars = outer }()
	if list, err = c.chosen(s, list, outer); err != nil {
		return err
	}
	if len(list) == 0 {
		s.vars = outer
		return s.all(c.none)
	}
	for i, v := range list {
		if err := c.enter(s, outer, v); err != nil {
			return err
		}
		s.vars["loop"] = &space{map[string]any{
			"index": int64(i + 1), "index0": int64(i), "first": i == 0, "last": i == len(list)-1, "length": int64(len(list)), "revindex": int64(len(list) - i),
		}}
		err := s.all(c.body)
		if errors.Is(err, errBreak) {
			return nil
		}
		if err != nil && !errors.Is(err, errContinue) {
			return err
		}
	}
	return nil
}

// chosen are the elements that the condition of the loop takes.
func (c cycle) chosen(s *state, list []any, outer map[string]any) ([]any, error) {
	if c.only == nil {
		return list, nil
	}
	var out []any
	for _, v := range list {
		if err := c.enter(s, outer, v); err != nil {
			return nil, err
		}
		ok, err := c.only(s)
		if err != nil {
			return nil, err
		}
		if truth(ok) {
			if err := s.items(1); err != nil {
				return nil, err
			}
			out = append(out, v)
		}
	}
	return out, nil
}

// enter begins a round with element v.
func (c cycle) enter(s *state, outer map[string]any, v any) error {
	if err := s.items(4*len(outer) + 20); err != nil { // and what the loop knows of itself
		return err
	}
	s.vars = maps.Clone(outer)
	if len(c.each) == 1 {
		s.vars[c.each[0]] = v
		return nil
	}
	parts, ok := v.([]any)
	if !ok || len(parts) != len(c.each) {
		return fmt.Errorf("%s cannot be taken apart into %d", kindOf(v), len(c.each))
	}
	for i, n := range c.each {
		s.vars[n] = parts[i]
	}
	return nil
}
