package calc

import (
	"encoding/json"
	"errors"
	"testing"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

func say(t testing.TB, expression string) (string, error) {
	t.Helper()
	args, err := json.Marshal(map[string]string{"expression": expression})
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(phrase.English()).Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: args}})
	return r.Text, err
}

func TestArithmeticIsSaidInFull(t *testing.T) {
	for expression, want := range map[string]string{
		"12 * 7 + 3":    "12 times 7 plus 3 is 87.",
		"15 % of 80":    "15 percent of 80 is 12.",
		"20 % off 50":   "20 percent off 50 is 40.",
		"80 + 20%":      "80 plus 20 percent is 96.",
		"80 - 25 %":     "80 minus 25 percent is 60.",
		"50% * 30":      "50 percent times 30 is 15.",
		"sqrt 144":      "The square root of 144 is 12.",
		"sqrt 2":        "The square root of 2 is about 1.4142.",
		"sqrt(2.25)":    "The square root of 2.25 is 1.5.",
		"cbrt 27":       "The cube root of 27 is 3.",
		"cbrt 0.125":    "The cube root of 0.125 is 0.5.",
		"2^20":          "2 to the power of 20 is 1,048,576.",
		"5^2 + 2^3":     "5 squared plus 2 cubed is 33.",
		"5 ^2":          "5 squared is 25.",
		"2 ^ 10":        "2 to the power of 10 is 1,024.",
		"2 ^ -2":        "2 to the power of minus 2 is 0.25.",
		"-3 ^ 2":        "Minus 3 to the power of 2 is minus 9.",
		"10 / 4":        "10 divided by 4 is 2.5.",
		"10 / 3":        "10 divided by 3 is about 3.3333.",
		"(1 / 3) * 90":  "1 divided by 3 times 90 is 30.",
		"0.1 + 0.2":     "0.1 plus 0.2 is 0.3.",
		"neg 5 + 3":     "Minus 5 plus 3 is minus 2.",
		"1,250 × 4":     "1,250 times 4 is 5,000.",
		"3,5 * 2":       "3.5 times 2 is 7.",
		"1,250,000 / 2": "1,250,000 divided by 2 is 625,000.",
		"1 / 0":         "Nothing can be divided by zero.",
		"sqrt -4":       "A negative number has no square root.",
		"sqrt neg 4":    "A negative number has no square root.",
		"cbrt -8":       "The cube root of minus 8 is minus 2.",
		"20 off 50":     "20 off 50 is 30.",
		"10% + 5%":      "10 percent plus 5 percent is 0.15.",
		"2**3":          "2 cubed is 8.",
		"√16 − 3":       "The square root of 16 minus 3 is 1.",
		"2 * (3 + 4)":   "That is 14.",
		"(2+3)^2":       "That is 25.",
		"sqrt(9+16)":    "That is 5.",
		"1 / (2 - 2.0)": "Nothing can be divided by zero.",
		"1.00375 ^ 360": "1.00375 to the power of 360 is about 3.8477.",
		"10 ^ 1000":     "That number is too large for me.",
		"0 ^ -1":        "Nothing can be divided by zero.",
		"2 ^ -3":        "2 to the power of minus 3 is 0.125.",
		"7 ^ 0":         "7 to the power of 0 is 1.",
		"10 ^ 10 ^ 10":  "That number is too large for me.",
		"2 ^ 100":       "2 to the power of 100 is about 1.27 times 10 to the power of 30.",
		"1 / 100000":    "1 divided by 100000 is 0.00001.",
		"12345 * 12345": "12345 times 12345 is 152,399,025.",
	} {
		got, err := say(t, expression)
		if got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", expression, got, err, want)
		}
	}
}

func TestWhatIsNoExpressionIsRefused(t *testing.T) {
	for _, e := range []string{"+", "2 +", "(2", "2)", "2 2", "two", "1e9", "1.2.3",
		"$5", " ", "((((((((((((((((((((((((((((((((((((1", "0x10", "1/2/"} {
		var bad *tools.ArgumentError
		if text, err := say(t, e); !errors.As(err, &bad) {
			t.Errorf("%q: %q, %v", e, text, err)
		}
	}
}

func FuzzCalculate(f *testing.F) {
	for _, e := range []string{"12 * 7 + 3", "9^9^9^9", "sqrt sqrt 2", "(((1)))", "1/(1/3-1/3)",
		"99999999999999999999 ^ 99", "-%+5%"} {
		f.Add(e)
	}
	f.Fuzz(func(t *testing.T, e string) {
		v, err := evaluate(e)
		if err == nil && (v.rat.Num().BitLen() > 4*maxBits || v.rat.Denom().BitLen() > 4*maxBits) {
			t.Errorf("%q: %d bits", e, v.rat.Num().BitLen())
		}
		if err == nil {
			calculator{book: phrase.English()}.spoken(v.rat)
		}
	})
}

func TestWhatGoesOnIsOfTheLastResult(t *testing.T) {
	tool := New(phrase.English())
	for _, c := range [][2]string{
		{"that * 8", "I have not calculated anything just now."},
		{"2.4 * 1.2", "2.4 times 1.2 is 2.88."},
		{"that * 8", "That is 23.04."},
		{"that / 2", "That is 11.52."},
		{"1 / 0", "Nothing can be divided by zero."},
		{"that + 1", "That is 12.52."},
	} {
		args, err := json.Marshal(map[string]string{"expression": c[0]})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := tool.Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: args}}); err != nil || r.Text != c[1] {
			t.Errorf("%s: %s %v", c[0], r.Text, err)
		}
	}
}
