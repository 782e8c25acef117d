package home

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// reading says a value with its unit.
func reading(e *Entity, v any) string {
	switch v := v.(type) {
	case float64:
		return number(v) + unitWord(e.Unit)
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return number(f) + unitWord(e.Unit)
		}
		return plainWord(v)
	}
	return plainWord(fmt.Sprint(v))
}

func unitWord(unit string) string {
	if unit == "" {
		return ""
	}
	if w, ok := lexicon["unit"][unit]; ok {
		return strings.TrimRight(" "+w[0], " ")
	}
	return " " + Clean(unit)
}

// number writes a number for speech: at most two digits behind the point.
func number(f float64) string {
	if math.Abs(f) >= 100 {
		f = math.Round(f)
	}
	return strconv.FormatFloat(math.Round(f*100)/100, 'f', -1, 64)
}

func plainWord(v string) string { return Clean(strings.ReplaceAll(v, "_", " ")) }
