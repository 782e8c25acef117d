package calc

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// Bounds of an expression.
const (
	maxText   = 200 // bytes
	maxDepth  = 32  // of nested brackets, signs and roots
	maxDigits = 40  // of one number
)

// value is an exact number, or one that was rounded on the way.
type value struct {
	rat     *big.Rat
	rounded bool
	percent bool // "20%"; after a plus or minus it is a share of what is before
}

// sayable is an error with a sentence for people: the key calc.cannot_ followed by its text.
type sayable string

func (s sayable) Error() string { return "cannot " + string(s) }

var errEmpty = errors.New("it has no numbers")

// parser evaluates while it reads: sums of products of powers. "15 % of 80" and "20 % off 50"
// are products, and "80 + 20 %" adds a fifth of 80, as on a pocket calculator.
type parser struct {
	toks  []string
	i     int
	depth int
}

// evaluate gives the value of text.
func evaluate(text string) (value, error) {
	toks, err := lex(text)
	if err != nil {
		return value{}, err
	}
	if len(toks) == 0 {
		return value{}, errEmpty
	}
	p := &parser{toks: toks}
	v, err := p.sum()
	if err == nil && p.i < len(toks) {
		err = fmt.Errorf("there is %q behind the end", toks[p.i])
	}
	if err != nil {
		return value{}, err
	}
	return plain(v), nil
}

// signs replaces other ways to write an operator.
func signs() *strings.Replacer {
	return strings.NewReplacer("×", "*", "÷", "/", "−", "-", "√", "sqrt ", "**", "^")
}

// withComma is a number with one, and grouped one whose commas are between its thousands.
var withComma, grouped = regexp.MustCompile(`[\d.]*\d,\d[\d.,]*`), regexp.MustCompile(`^\d{1,3}(,\d{3})+(\.\d+)?$`)

// pointed is an expression whose decimals are behind a point: models that speak German write "3,5".
func pointed(text string) string {
	return withComma.ReplaceAllStringFunc(text, func(number string) string {
		if grouped.MatchString(number) {
			return number
		}
		return strings.ReplaceAll(number, ",", ".")
	})
}

// lex cuts text into numbers, names and signs.
func lex(text string) ([]string, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("it has more than %d characters", maxText)
	}
	text = strings.ReplaceAll(signs().Replace(strings.ToLower(text)), ",", "")
	var toks []string
	for i := 0; i < len(text); {
		c := text[i]
		j := i + 1
		switch {
		case c == ' ':
			i++
			continue
		case c >= '0' && c <= '9' || c == '.':
			for j < len(text) && (text[j] >= '0' && text[j] <= '9' || text[j] == '.') {
				j++
			}
		case c >= 'a' && c <= 'z':
			for j < len(text) && text[j] >= 'a' && text[j] <= 'z' {
				j++
			}
		case !strings.ContainsRune("+-*/^%()", rune(c)):
			return nil, fmt.Errorf("there is no sign %q", c)
		}
		toks = append(toks, text[i:j])
		i = j
	}
	return toks, nil
}

func (p *parser) next(any ...string) string {
	for _, s := range any {
		if p.i < len(p.toks) && p.toks[p.i] == s {
			p.i++
			return s
		}
	}
	return ""
}

func (p *parser) sum() (value, error) {
	v, err := p.product()
	for err == nil {
		op := p.next("+", "-")
		if op == "" {
			break
		}
		var w value
		if w, err = p.product(); err != nil {
			break
		}
		if w.percent && !v.percent { // but "10 % + 5 %" is 15 %
			w = times(plain(w), v)
		}
		v, w = plain(v), plain(w)
		if op == "-" {
			w.rat = new(big.Rat).Neg(w.rat)
		}
		v, err = bounded(value{rat: new(big.Rat).Add(v.rat, w.rat), rounded: v.rounded || w.rounded})
	}
	return v, err
}

func (p *parser) product() (value, error) {
	v, err := p.signed()
	for err == nil {
		op := p.next("*", "/", "of", "off")
		if op == "" {
			break
		}
		var w value
		if w, err = p.signed(); err != nil {
			break
		}
		percent := v.percent
		v, w = plain(v), plain(w)
		switch {
		case op == "/":
			if w.rat.Sign() == 0 {
				return value{}, sayable("divide")
			}
			w.rat = new(big.Rat).Inv(w.rat)
		case op == "off" && percent:
			v.rat = new(big.Rat).Sub(big.NewRat(1, 1), v.rat)
		case op == "off": // an amount: "20 off 50"
			v.rat, w.rat = new(big.Rat).Sub(w.rat, v.rat), big.NewRat(1, 1)
		}
		v, err = bounded(times(v, w))
	}
	return v, err
}

// signed reads a power with signs and roots before it.
func (p *parser) signed() (value, error) {
	if p.depth++; p.depth > maxDepth {
		return value{}, errors.New("it is nested too deep")
	}
	defer func() { p.depth-- }()
	op := p.next("-", "+", "neg", "sqrt", "cbrt")
	if op == "" {
		return p.power()
	}
	if op == "sqrt" || op == "cbrt" {
		v, err := p.signed()
		if err != nil {
			return v, err
		}
		return root(plain(v), op)
	}
	v, err := p.signed()
	if err == nil && op != "+" {
		v.rat = new(big.Rat).Neg(v.rat)
	}
	return v, err
}

func (p *parser) power() (value, error) {
	v, err := p.operand()
	if err != nil || p.next("^") == "" {
		return v, err
	}
	w, err := p.signed()
	if err != nil {
		return w, err
	}
	if v, err = raise(plain(v), plain(w)); err == nil && p.next("%") != "" {
		v.percent = true
	}
	return v, err
}

// operand reads a number or brackets, and a percent sign after it.
func (p *parser) operand() (v value, err error) {
	switch {
	case p.i >= len(p.toks):
		return v, errors.New("a number is missing at the end")
	case p.next("(") != "":
		if p.depth++; p.depth > maxDepth {
			return v, errors.New("it is nested too deep")
		}
		if v, err = p.sum(); err != nil {
			return v, err
		}
		p.depth--
		if p.next(")") == "" {
			return v, errors.New("a bracket is not closed")
		}
	default:
		t := p.toks[p.i]
		r, ok := new(big.Rat).SetString(t)
		if !ok || len(t) > maxDigits || t[0] != '.' && (t[0] < '0' || t[0] > '9') {
			return v, fmt.Errorf("%q is not a number", t)
		}
		p.i++
		v.rat = r
	}
	if p.next("%") != "" {
		v = plain(v)
		v.percent = true
	}
	return v, nil
}
