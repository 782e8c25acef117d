// Command year writes what a household has said in a year, by the memory's own writers, into a memory that no hearthd
// uses, and shows what a memory holds: packaging/vm upgrades a box that has it. It is built with the memory of either
// version.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"regexp"
	"time"

	"hearthd/media"
	"hearthd/memory"
)

const (
	days, aDay = 365, 13 // turns a day, of which the memory keeps 5,000 in all
	people     = 4
	prints     = 3   // of a voice
	dimensions = 192 // of a print
)

func main() {
	if len(os.Args) != 3 || os.Args[1] != "write" && os.Args[1] != "show" {
		fmt.Fprintln(os.Stderr, "usage: year write|show MEMORY")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1] == "write", os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "year:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, write bool, path string) error {
	s, err := memory.Open(ctx, memory.Options{Path: path, Log: slog.New(slog.DiscardHandler)})
	switch {
	case err != nil:
		return err
	case s.Replaced() != nil:
		err = s.Replaced().Cause
	case write:
		err = errors.Join(talk(ctx, s, time.Now().AddDate(0, 0, -days)), known(ctx, s), standing(ctx, s))
	default:
		err = show(ctx, s, os.Stdout)
	}
	return errors.Join(err, s.Close())
}

// talk is what was said, day by day, and what was worth remembering of it.
func talk(ctx context.Context, s *memory.Store, begun time.Time) error {
	last, err := s.LastTurn(ctx)
	if err != nil {
		return err
	}
	for day := range days {
		var notes []memory.Note
		at := begun.AddDate(0, 0, day)
		for i := range aDay {
			last++
			err := s.AddTurn(ctx, memory.Turn{ID: last, Session: last, Time: at.Add(time.Duration(i) * time.Hour),
				Route: "intent", Transcript: fmt.Sprintf("how many grams are %d ounces", day*aDay+i), Answer: "I said how many.",
				Stages: []byte(`{"total":812}`)})
			if err != nil {
				return err
			}
		}
		for i := range 3 {
			notes = append(notes, memory.Note{Person: person(day), Source: "reflection", Created: at,
				Text: fmt.Sprintf("On day %d somebody baked bread number %d.", day, i)})
		}
		if _, err := s.AddNotes(ctx, notes...); err != nil {
			return err
		}
	}
	return nil
}

func person(n int) string { return fmt.Sprint("person", n%people) }

// known is what holds of the people, and how they sound.
func known(ctx context.Context, s *memory.Store) error {
	noise := rand.New(rand.NewPCG(1, 2)) // the same in each run
	var errs []error
	for n := range 500 {
		errs = append(errs, s.SetFact(ctx, memory.Fact{Person: person(n), Category: memory.Preference, Mutable: true,
			Name: fmt.Sprintf("jar %d", n), Text: fmt.Sprintf("stands on shelf %d", n*7)}))
	}
	for n := range people {
		var all [][]float32
		for range prints {
			one := make([]float32, dimensions)
			for i := range one {
				one[i] = noise.Float32() - 0.5
			}
			all = append(all, one)
		}
		errs = append(errs, s.SetVoicePrints(ctx, person(n), "year", all...),
			s.ChangePerson(ctx, person(n), func(p *memory.Person) { p.Summary, p.Sessions = "Bakes a lot.", 300 }))
	}
	return errors.Join(errs...)
}

// standing is what was told the box to do, and how.
func standing(ctx context.Context, s *memory.Store) error {
	errs := []error{s.SetVolume(ctx, 35)}
	for n := range 8 {
		var items []string
		for i := range 40 {
			items = append(items, fmt.Sprintf("thing %d of %d", i, n))
		}
		_, err := s.AddItems(ctx, fmt.Sprint("list ", n), items)
		errs = append(errs, err)
	}
	for n := range 60 {
		song := media.Item{Path: fmt.Sprintf("/music/%d.flac", n), Title: fmt.Sprint("Song ", n)}
		errs = append(errs, s.SetFavourite(ctx, song, true))
	}
	return errors.Join(errs...)
}

// show writes each thing as a line of JSON after its kind.
func show(ctx context.Context, s *memory.Store, w io.Writer) error {
	turns, err1 := s.Turns(ctx, days*aDay*2)
	notes, err2 := s.Notes(ctx, 0, days*10)
	facts, err3 := s.AllFacts(ctx)
	known, err4 := s.People(ctx)
	sounds, err5 := s.VoicePrints(ctx)
	lists, err6 := s.Lists(ctx)
	timers, err7 := s.Timers(ctx)
	likes, err8 := s.Favourites(ctx)
	volume, _, err9 := s.Volume(ctx)
	return errors.Join(err1, err2, err3, err4, err5, err6, err7, err8, err9,
		lines(w, "turn", turns...), lines(w, "note", notes...), lines(w, "fact", facts...), lines(w, "person", known...),
		lines(w, "voice", sounds...), lines(w, "lists", lists), lines(w, "timer", timers...),
		lines(w, "favourite", likes...), lines(w, "volume", volume))
}

// lines leaves empty fields out, which may be new in one of the versions.
func lines[T any](w io.Writer, kind string, all ...T) error {
	empty := regexp.MustCompile(`"[A-Z]\w*":(""|0|null|false|"0001-01-01T00:00:00Z"),?`)
	for _, one := range all {
		text, err := json.Marshal(one)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s %s\n", kind, empty.ReplaceAll(text, nil)); err != nil {
			return err
		}
	}
	return nil
}
