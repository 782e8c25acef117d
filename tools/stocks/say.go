package stocks

import (
	"math"
	"strconv"
	"strings"
	"time"

	"hearthd/tools/phrase"
)

// closed is the age from which on a price is said to be from a closed market.
const closed = time.Hour

func (s *stocks) say(p paper, q quote) string {
	moved, percent := "", 0.0
	if q.Percent != nil {
		percent = math.Round(math.Abs(*q.Percent)*10) / 10
		switch {
		case percent == 0:
			moved = "none"
		case *q.Percent > 0:
			moved = "up"
		default:
			moved = "down"
		}
	}
	return s.Book.Part("stocks.price", phrase.Args{
		"name": p.name, "closed": q.At > 0 && time.Since(time.Unix(q.At, 0)) > closed,
		"price": s.Book.Digits(price(q.Price)), "currency": p.currency, "moved": moved, "percent": percent,
	})
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
	return text
}
