package when

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Clock is a time of day. Open: it was not said whether it is am or pm; Hour is then 1 to 12.
type Clock struct {
	Hour, Minute int
	Open         bool
}

// ErrTime and ErrDay say that a text names no time of day, or no day.
var (
	ErrTime = errors.New("not a time of day")
	ErrDay  = errors.New("not a day")
)

// maxWords bounds a text, in words; nobody needs more to name a day.
const maxWords = 12

// tokens are the words of text in lower case, without commas, dots and hyphens.
func tokens(text string) []string {
	plain := strings.NewReplacer(",", " ", "-", " ", "a.m.", "am", "p.m.", "pm", "o'clock", " ", "’", "'")
	words := strings.Fields(plain.Replace(strings.ToLower(text)))
	if len(words) > maxWords {
		return nil
	}
	return words
}

// halves are the words after a time that say which half of the day it is in.
var halves = []struct{ words, half string }{
	{"in the morning", "am"}, {"this morning", "am"}, {"tomorrow morning", "am"}, {"at night", "night"},
	{"in the afternoon", "pm"}, {"this afternoon", "pm"}, {"in the evening", "pm"}, {"this evening", "pm"},
	{"tonight", "pm"}, {"am", "am"}, {"pm", "pm"},
}

// named are the times of day that have a name. For morning and the like they are the times at
// which somebody wants to be reminded.
var named = map[string]Clock{
	"noon": {12, 0, false}, "midday": {12, 0, false}, "lunchtime": {12, 0, false}, "midnight": {0, 0, false},
	"morning": {8, 0, false}, "afternoon": {15, 0, false}, "evening": {19, 0, false},
	"night": {21, 0, false}, "tonight": {20, 0, false},
}

// ParseTime reads a time of day: "19:30", "7:30 pm", "7", "half past seven",
// "noon". The error matches ErrTime.
func ParseTime(text string) (Clock, error) {
	words := tokens(text)
	for len(words) > 1 && (words[0] == "at" || words[0] == "the" || words[0] == "in") {
		words = words[1:]
	}
	joined := strings.Join(words, " ")
	if c, ok := named[joined]; ok {
		return c, nil
	}
	half := ""
	for _, h := range halves {
		rest, ok := strings.CutSuffix(joined, h.words)
		if ok && rest != "" && (strings.HasSuffix(rest, " ") || len(h.words) == 2) {
			joined, half = strings.TrimSpace(rest), h.half
			break
		}
	}
	c, ok := hands(strings.Fields(joined))
	if !ok || c.Hour > 23 || c.Minute > 59 {
		return Clock{}, fmt.Errorf("%w: %.40q", ErrTime, text)
	}
	return c.in(half)
}

// in puts c into a half of the day.
func (c Clock) in(half string) (Clock, error) {
	switch {
	case half == "":
		return c, nil
	case c.Hour > 12 || c.Hour == 0:
		c.Open = false
		return c, nil // "19:30 in the evening"
	case half == "night" && c.Hour < 6, half == "night" && c.Hour == 12, half == "am":
		c.Hour %= 12
	default:
		c.Hour = c.Hour%12 + 12
	}
	c.Open = false
	return c, nil
}

// hands reads the words of a time, without those for the half of the day.
func hands(w []string) (Clock, bool) {
	if i := index(w, "past", "after"); i > 0 {
		m, ok := minutes(w[:i])
		h, okh := hands(w[i+1:])
		h.Minute = m
		return h, ok && okh
	}
	if i := index(w, "to", "before", "of"); i > 0 {
		m, ok := minutes(w[:i])
		h, okh := hands(w[i+1:])
		if m == 0 || m > 59 || h.Minute != 0 {
			return h, false
		}
		h.Hour, h.Minute = h.Hour-1, 60-m
		if h.Hour < 0 || h.Open && h.Hour == 0 {
			h.Hour += 12
			if !h.Open {
				h.Hour += 12
			}
		}
		return h, ok && okh
	}
	switch len(w) {
	case 1:
		return digits(w[0])
	case 2, 3:
		h, ok := digits(w[0])
		if w[1] == "oh" || w[1] == "o" {
			w = append(w[:1:1], w[2:]...)
		}
		m, okm := Number(w[1:])
		h.Minute = m
		return h, ok && okm && m < 60
	}
	return Clock{}, false
}

// minutes reads "half", "a quarter", "ten" and "ten minutes".
func minutes(w []string) (int, bool) {
	if n := len(w); n > 1 && strings.HasPrefix(w[n-1], "minute") {
		w = w[:n-1]
	}
	switch strings.Join(w, " ") {
	case "half", "a half":
		return 30, true
	case "quarter", "a quarter":
		return 15, true
	}
	return Number(w)
}

// digits reads "19:30", "7.30", "0730", "7" and "seven". With a leading zero, or an hour
// beyond twelve, it is clear which half of the day is meant.
func digits(s string) (Clock, bool) {
	if named, ok := named[s]; ok && (s == "noon" || s == "midnight") {
		return named, true
	}
	if n, ok := Number([]string{s}); ok && len(s) < 3 || ok && (s[0] < '0' || s[0] > '9') {
		return Clock{Hour: n, Open: n >= 1 && n <= 12 && s[0] != '0'}, n <= 24
	}
	h, m, ok := strings.Cut(strings.ReplaceAll(s, ".", ":"), ":")
	if !ok && len(s) == 4 {
		h, m = s[:2], s[2:]
	}
	return figures(h, m)
}

// figures reads an hour and its minutes, which :00 may follow.
func figures(h, m string) (Clock, bool) {
	if rest, seconds, ok := strings.Cut(m, ":"); ok && seconds == "00" {
		m = rest
	}
	hour, err := strconv.Atoi(h)
	minute, errm := strconv.Atoi(m)
	if err != nil || errm != nil || hour < 0 || minute < 0 || len(m) != 2 || len(h) > 2 {
		return Clock{}, false
	}
	return Clock{Hour: hour, Minute: minute, Open: hour >= 1 && hour <= 12 && h[0] != '0'}, true
}

// Fits reports whether a clock that shows c may show the floating time f.
func (c Clock) Fits(f time.Time) bool {
	return f.Minute() == c.Minute && (f.Hour() == c.Hour || c.Open && f.Hour()%12 == c.Hour%12)
}

// On is the floating time of c on a day. If it is open, it is the one in the twelve hours that
// begin at from.
func (c Clock) On(date time.Time, from int) time.Time {
	h := c.Hour
	if c.Open {
		h %= 12
		for h < from {
			h += 12
		}
	}
	return Date(date).Add(time.Duration(h)*time.Hour + time.Duration(c.Minute)*time.Minute)
}

// After is the first floating time after now at which a clock shows c, in either half of the
// day if that is open.
func (c Clock) After(now time.Time) time.Time {
	h := c.Hour
	step := day
	if c.Open {
		h, step = h%12, day/2
	}
	t := Date(now).Add(time.Duration(h)*time.Hour + time.Duration(c.Minute)*time.Minute)
	for !t.After(now) {
		t = t.Add(step)
	}
	return t
}

func index(w []string, any ...string) int {
	for i, s := range w {
		for _, a := range any {
			if s == a {
				return i
			}
		}
	}
	return -1
}
