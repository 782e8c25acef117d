package lang

import (
	"slices"
	"strings"
)

// beginning stands for all words with which a number may begin, or a time: they are too many to be listed. What begins
// with none of them is not read as one, which takes long.
type beginning struct {
	name  string // unlike any word
	types []string
	words []beginner
}

// beginner is phrases or words.
type beginner interface {
	begins(w string) bool // whether one begins with a word
}

func (p *Phrases[T]) begins(w string) bool { return p.After(w) != nil }

func (s Set) begins(w string) bool { return s[w] }

func (l *Language) newBeginnings() []beginning {
	n, t, d := &l.Numbers, &l.Times, &l.Dates
	numbers := []beginner{&l.small, &l.fractions, &n.One, &n.Point, &n.Minus, &n.Ordinals, &l.Durations.Phrases,
		&l.Durations.More}
	times := []beginner{&t.Before, &t.Named, &t.Half, &t.Minutes, &t.Parts}
	dates := []beginner{&d.Before, &d.Named, &d.In, &d.Next, &d.Last, &d.This, &d.Weekdays, &d.The, &d.Months, &d.Every,
		&d.Other, &l.often, l.Articles}
	return []beginning{
		{"{number}", []string{"number", "whole", "temperature", "warmth", "duration", "timer_length", "length_said",
			"more_duration", "percent", "ordinal", "bare_minutes", "meters_said", "feet_said"}, numbers},
		{"{time}", []string{"time", "date", "moment", "moment_words", "timed", "date_words", "no_time", "minute_said",
			"repeat", "repeat_words"}, slices.Concat(numbers, times, dates)},
	}
}

// Beginnings are the names of those in which a word is.
func (l *Language) Beginnings(t Token) (names []string) {
	one := strings.TrimSuffix(t.Text, "s") // on mondays
	for _, b := range l.beginnings {
		has := func(words beginner) bool { return words.begins(t.Text) || words.begins(one) }
		if IsDigits(t.Text) || slices.ContainsFunc(b.words, has) {
			names = append(names, b.name)
		}
	}
	return names
}
