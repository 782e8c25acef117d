package calc

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"hearthd/tools"
	"hearthd/tools/phrase"
)

// answer is the structured result: exact, or rounded to many digits.
type answer struct {
	Expression string `json:"expression"`
	Result     string `json:"result"`
	Exact      bool   `json:"exact"`
}

type calculator struct {
	book *phrase.Book
	last *tools.Recent[*big.Rat] // result, for "times eight"
}

// New makes the tool calc, which speaks with book.
func New(book *phrase.Book) tools.Tool {
	return tools.Query("calc", "Calculates: sums, products, powers, roots and percentages, exactly.",
		calculator{book, new(tools.Recent[*big.Rat])}.calculate)
}

func (c calculator) calculate(_ context.Context, a struct {
	Expression string `json:"expression" need:"yes" min:"1" max:"200" about:"numbers with + - * / ^ % and brackets; also sqrt 2, cbrt 8, 15 % of 80, 20 % off 50; that: the last result"`
}) (tools.Result, error) {
	rest, on := strings.CutPrefix(a.Expression, "that")
	if last := c.last.Get(); on && last == nil {
		return tools.Result{Text: c.book.Say("calc.cannot_that")}, nil
	} else if on {
		a.Expression = "(" + last.RatString() + ")" + rest
	}
	a.Expression = pointed(a.Expression)
	v, err := evaluate(a.Expression)
	var say sayable
	switch {
	case errors.As(err, &say):
		return tools.Result{Text: c.book.Say("calc.cannot_" + string(say))}, nil
	case err != nil:
		return tools.Result{}, &tools.ArgumentError{Reason: fmt.Sprintf("calculate %q: %v", a.Expression, err)}
	}
	text, exact := c.spoken(v.rat)
	asked := apart(a.Expression)
	flat, err := evaluate(strings.NewReplacer("(", " ", ")", " ").Replace(a.Expression))
	if c.last.Set(v.rat); on || err != nil || flat.rat.Cmp(v.rat) != 0 {
		asked = "" // brackets cannot be heard, and without them the result would differ
	}
	result := v.rat.RatString()
	if !v.rat.IsInt() {
		result = v.rat.FloatString(dataDecimals)
	}
	return tools.Result{
		Text: c.book.Say("calc.is", phrase.Args{"expression": asked, "result": text, "about": v.rounded || !exact}),
		Data: answer{a.Expression, result, exact},
	}, nil
}

// apart is an expression with spaces around its signs: " 5 ^2 + 3 ".
func apart(expression string) string {
	blanks := strings.NewReplacer("(", " ( ", ")", " ) ", "%", " % ", "*", " * ", "/", " / ", "+", " + ", "-", " - ",
		"^", " ^")
	return " " + blanks.Replace(signs().Replace(strings.ToLower(expression))) + " "
}

const (
	dataDecimals   = 30
	spokenDecimals = 4
	// spokenDigits is the length of a whole number beyond which only its magnitude is said.
	spokenDigits = 15
)

// spoken is a number with at most four decimals, or ten if it is small; exact: nothing was
// rounded.
func (c calculator) spoken(r *big.Rat) (text string, exact bool) {
	if len(new(big.Int).Quo(r.Num(), r.Denom()).String()) > spokenDigits {
		return c.scientific(new(big.Float).SetRat(r)), false
	}
	decimals := spokenDecimals
	if abs := new(big.Rat).Abs(r); abs.Sign() > 0 && abs.Cmp(big.NewRat(1, 100)) < 0 {
		if f, _ := abs.Float64(); f < 1e-9 {
			return c.scientific(new(big.Float).SetRat(r)), false
		}
		decimals = 10
	}
	text = r.FloatString(decimals)
	back, _ := new(big.Rat).SetString(text)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return c.book.Digits(text), back.Cmp(r) == 0
}

// scientific is "1.27 times 10 to the power of 30".
func (c calculator) scientific(f *big.Float) string {
	mantissa, exponent, _ := strings.Cut(f.Text('e', 2), "e")
	return c.book.Part("calc.scientific", phrase.Args{
		"mantissa": c.book.Digits(mantissa), "exponent": c.book.Digits(strings.TrimPrefix(exponent, "+")),
	})
}
