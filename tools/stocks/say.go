package stocks

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"hearthd/tools"
)

// closed is the age of a price from which on it is one of a market that rests.
const closed = time.Hour

// currencies are the names of ISO 4217's codes.
var currencies = map[string]string{
	"USD": "dollars", "EUR": "euros", "GBP": "pounds", "GBX": "pence", "CHF": "francs", "JPY": "yen",
	"CAD": "Canadian dollars",
	"AUD": "Australian dollars", "HKD": "Hong Kong dollars", "CNY": "yuan", "INR": "rupees", "SEK": "Swedish kronor",
	"NOK": "Norwegian kroner", "DKK": "Danish kroner", "KRW": "won", "BRL": "reais", "MXN": "Mexican pesos",
	"PLN": "zlotys",
}

func say(p paper, q quote) string {
	verb := "is at"
	if q.At > 0 && time.Since(time.Unix(q.At, 0)) > closed {
		verb = "was last at"
	}
	text := fmt.Sprintf("%s %s %s", p.name, verb, price(q.Price))
	if c := currencies[p.currency]; c != "" {
		text += " " + c
	} else if p.currency != "" {
		text += " " + p.currency
	}
	if q.Percent == nil {
		return text + "."
	}
	change := math.Round(math.Abs(*q.Percent)*10) / 10
	switch {
	case change == 0:
		return text + ", unchanged."
	case *q.Percent > 0:
		return fmt.Sprintf("%s, up %s percent.", text, strconv.FormatFloat(change, 'f', -1, 64))
	}
	return fmt.Sprintf("%s, down %s percent.", text, strconv.FormatFloat(change, 'f', -1, 64))
}

// price keeps about four digits, and those of a share that costs less than a cent.
func price(v float64) string {
	decimals := 2
	switch {
	case v > 0 && v < 1:
		decimals = min(3-int(math.Floor(math.Log10(v))), 12)
	case v >= 1000:
		decimals = 0
	case v >= 100:
		decimals = 1
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return tools.Thousands(text)
}
