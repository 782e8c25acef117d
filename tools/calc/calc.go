package calc

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"hearthd/tools"
)

// answer is the structured result: exact, or rounded to many digits.
type answer struct {
	Expression string `json:"expression"`
	Result     string `json:"result"`
	Exact      bool   `json:"exact"`
}

// New makes the tool calc.
func New() tools.Tool {
	return tools.Query("calc", "Calculates: sums, products, powers, roots and percentages, exactly.", calculate)
}

func calculate(_ context.Context, a struct {
	Expression string `json:"expression" need:"yes" min:"1" max:"200" about:"numbers with + - * / ^ % and brackets; also sqrt 2, cbrt 8, 15 % of 80, 20 % off 50"`
}) (tools.Result, error) {
	v, err := evaluate(a.Expression)
	var say sayable
	switch {
	case errors.As(err, &say):
		return tools.Result{Text: string(say)}, nil
	case err != nil:
		return tools.Result{}, &tools.ArgumentError{Reason: fmt.Sprintf("calculate %q: %v", a.Expression, err)}
	}
	text, exact := spoken(v.rat)
	exact = exact && !v.rounded
	asked, is := aloud(a.Expression), "is"
	flat, err := evaluate(strings.NewReplacer("(", " ", ")", " ").Replace(a.Expression))
	if err != nil || flat.rat.Cmp(v.rat) != 0 {
		asked = "that" // brackets cannot be heard, and without them the result would differ
	}
	if !exact {
		is = "is about"
	}
	result := v.rat.RatString()
	if !v.rat.IsInt() {
		result = v.rat.FloatString(dataDecimals)
	}
	return tools.Result{
		Text: tools.Sentence(fmt.Sprintf("%s %s %s.", asked, is, text)),
		Data: answer{a.Expression, result, exact},
	}, nil
}

// aloud is an expression as it is spoken.
func aloud(expression string) string {
	text := strings.NewReplacer(
		"neg", "minus", "sqrt", "the square root of", "cbrt", "the cube root of", "(", " ", ")", " ", "%", " percent ",
		"*", " times ",
		"/", " divided by ", "+", " plus ", "-", " minus ", "^", " ^",
	).Replace(signs().Replace(strings.ToLower(expression)))
	words := strings.Fields(text)
	for i, w := range words {
		switch exponent, power := strings.CutPrefix(w, "^"); {
		case w == "^2":
			words[i] = "squared"
		case w == "^3":
			words[i] = "cubed"
		case power:
			words[i] = strings.TrimSpace("to the power of " + exponent)
		}
	}
	return strings.Join(words, " ")
}

const (
	dataDecimals   = 30
	spokenDecimals = 4
	// spokenDigits is the length of a whole number beyond which only its magnitude is told.
	spokenDigits = 15
)

// spoken is a number with at most four decimals, or ten if it is small; exact: nothing was
// rounded.
func spoken(r *big.Rat) (text string, exact bool) {
	if len(new(big.Int).Quo(r.Num(), r.Denom()).String()) > spokenDigits {
		return scientific(new(big.Float).SetRat(r)), false
	}
	decimals := spokenDecimals
	if abs := new(big.Rat).Abs(r); abs.Sign() > 0 && abs.Cmp(big.NewRat(1, 100)) < 0 {
		if f, _ := abs.Float64(); f < 1e-9 {
			return scientific(new(big.Float).SetRat(r)), false
		}
		decimals = 10
	}
	text = r.FloatString(decimals)
	back, _ := new(big.Rat).SetString(text)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	minus := ""
	if strings.HasPrefix(text, "-") {
		minus, text = "minus ", text[1:]
	}
	return minus + tools.Thousands(text), back.Cmp(r) == 0
}

// scientific is "1.27 times 10 to the power of 30".
func scientific(f *big.Float) string {
	mantissa, exponent, _ := strings.Cut(f.Text('e', 2), "e")
	exponent = strings.TrimLeft(strings.TrimPrefix(exponent, "+"), "0")
	mantissa = strings.Replace(mantissa, "-", "minus ", 1)
	return mantissa + " times 10 to the power of " + strings.Replace(exponent, "-", "minus ", 1)
}
