package template

import (
	"fmt"
	"strconv"
	"strings"
)

// parser reads the tokens by recursive descent, in the order of precedence of
// Jinja's own parser.
type parser struct {
	toks  []token
	i     int
	depth int
}

func (p *parser) at(k kind) bool { return p.i < len(p.toks) && p.toks[p.i].kind == k }

func (p *parser) isOp(s string) bool { return p.i < len(p.toks) && p.toks[p.i] == token{op, s} }

func (p *parser) isName(s string) bool { return p.i < len(p.toks) && p.toks[p.i] == token{name, s} }

// takeOp takes the operator s if it is next, and takeName the word s.
func (p *parser) takeOp(s string) bool   { return p.take(p.isOp(s)) }
func (p *parser) takeName(s string) bool { return p.take(p.isName(s)) }

func (p *parser) take(ok bool) bool {
	if ok {
		p.i++
	}
	return ok
}

func (p *parser) unexpected() error {
	if p.i >= len(p.toks) {
		return fmt.Errorf("unexpected end")
	}
	t := p.toks[p.i]
	if t.text == "" {
		return fmt.Errorf("unexpected end of expression")
	}
	return fmt.Errorf("unexpected %.40q", t.text)
}

func (p *parser) want(k kind) (token, error) {
	if !p.at(k) {
		return token{}, p.unexpected()
	}
	p.i++
	return p.toks[p.i-1], nil
}

func (p *parser) wantOp(s string) error {
	if !p.takeOp(s) {
		return fmt.Errorf("%w instead of %q", p.unexpected(), s)
	}
	return nil
}

// deeper bounds the recursion; the caller calls the result when it returns.
func (p *parser) deeper() (func(), error) {
	if p.depth++; p.depth > maxDepth {
		return func() {}, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	return func() { p.depth-- }, nil
}

// peekStatement is the name of the statement that is next.
func (p *parser) peekStatement() string {
	if p.at(begin) && p.i+1 < len(p.toks) && p.toks[p.i+1].kind == name {
		return p.toks[p.i+1].text
	}
	return ""
}

// statements reads up to the end or to a statement that only ends another.
func (p *parser) statements() ([]stmt, error) {
	up, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer up()
	var body []stmt
	for p.i < len(p.toks) {
		switch word := p.peekStatement(); {
		case p.at(text):
			t := p.toks[p.i].text
			p.i++
			body = append(body, func(s *state) error { return s.write(t) })
		case p.at(open):
			st, err := p.output()
			if err != nil {
				return nil, err
			}
			body = append(body, st)
		case word == "else" || word == "elif" || strings.HasPrefix(word, "end"):
			return body, nil
		default:
			st, err := p.statement(word)
			if err != nil {
				return nil, err
			}
			body = append(body, st)
		}
	}
	return body, nil
}

func (p *parser) output() (stmt, error) {
	p.i++
	e, err := p.expression()
	if err != nil {
		return nil, err
	}
	if _, err := p.want(closed); err != nil {
		return nil, err
	}
	return func(s *state) error {
		v, err := e(s)
		if err != nil {
			return err
		}
		t, err := s.str(v)
		if err != nil {
			return err
		}
		return s.write(t)
	}, nil
}

func (p *parser) statement(word string) (stmt, error) {
	p.i += 2
	switch word {
	case "if":
		return p.conditional()
	case "set":
		return p.assignment()
	case "for":
		return p.loop()
	case "continue", "break":
		return p.leave(word)
	case "":
		p.i--
		return nil, p.unexpected()
	}
	return nil, fmt.Errorf("the statement %.40q is not allowed", word)
}

// conditional reads what follows {% if or {% elif.
func (p *parser) conditional() (stmt, error) {
	cond, err := p.expression()
	if err != nil {
		return nil, err
	}
	if _, err := p.want(end); err != nil {
		return nil, err
	}
	yes, err := p.statements()
	if err != nil {
		return nil, err
	}
	var no []stmt
	switch word := p.peekStatement(); word {
	case "elif":
		p.i += 2
		st, err := p.conditional()
		if err != nil {
			return nil, err
		}
		no = []stmt{st}
	case "else":
		p.i += 2
		if _, err := p.want(end); err != nil {
			return nil, err
		}
		if no, err = p.statements(); err != nil {
			return nil, err
		}
		fallthrough
	default:
		if err := p.closing("endif"); err != nil {
			return nil, err
		}
	}
	return func(s *state) error {
		v, err := cond(s)
		if err != nil {
			return err
		}
		if truth(v) {
			return s.all(yes)
		}
		return s.all(no)
	}, nil
}

func (p *parser) closing(word string) error {
	if p.peekStatement() != word {
		return fmt.Errorf("%s is missing", word)
	}
	p.i += 2
	_, err := p.want(end)
	return err
}

// literal reads a value that stands for itself, or nil.
func (p *parser) literal() (expr, error) {
	t := p.toks[p.i]
	var v any
	switch t.kind {
	case quoted:
		v = t.text
	case whole:
		n, err := strconv.ParseInt(t.text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("number %.40q is too large", t.text)
		}
		v = n
	case decimal:
		f, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			return nil, fmt.Errorf("number %.40q is too large", t.text)
		}
		v = f
	case name:
		var ok bool
		if v, ok = map[string]any{"true": true, "True": true, "false": false, "False": false, "none": nil, "None": nil}[t.text]; !ok {
			return nil, nil
		}
	default:
		return nil, nil
	}
	p.i++
	return constant(v), nil
}
