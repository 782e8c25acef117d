package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hearthd/llm/wyoming"
)

const (
	// A server that is busy with its models answers in a second or two.
	answerTimeout = 10 * time.Second
	// A server sends at most this many events of others before it answers.
	maxPatience = 16
	maxName     = 64 // bytes of a wake word's name
)

var errSilent = fmt.Errorf("wake server has not answered for %v", answerTimeout)

// greet makes sure that this is a wake server, and asks it for the words.
func (s *Spotter) greet(ctx context.Context, conn *wyoming.Conn) error {
	ctx, cancel := context.WithTimeoutCause(ctx, answerTimeout, errSilent)
	defer cancel()
	if err := conn.Send(ctx, wyoming.Event{Type: wyoming.Describe}); err != nil {
		return err
	}
	models, open, err := s.models(ctx, conn)
	if err != nil {
		return err
	}
	for _, n := range s.options.Names {
		if !open && !slices.ContainsFunc(models, func(m string) bool { return alike(m, n) }) {
			s.options.Log.Warn("wake server does not name the wake word", "model", n)
		}
	}
	words := wyoming.Words{Names: s.options.Names}
	if len(s.options.Cutoffs) > 0 {
		words.Context = &wyoming.Context{Cutoffs: s.options.Cutoffs}
	}
	detect, err := wyoming.NewEvent(wyoming.Detect, words)
	if err != nil {
		return err
	}
	if err := conn.Send(ctx, detect); err != nil || !open {
		return err
	}
	// It may not be able to write a phrase, and says so before it answers once more.
	if err := conn.Send(ctx, wyoming.Event{Type: wyoming.Describe}); err != nil {
		return err
	}
	_, _, err = s.models(ctx, conn)
	return err
}

// models waits for the names of the wake words that the server has, and whether it takes any others too.
func (s *Spotter) models(ctx context.Context, conn *wyoming.Conn) (names []string, open bool, err error) {
	for range maxPatience {
		e, err := conn.Receive(ctx)
		switch {
		case err != nil:
			return nil, false, err
		case e.Type == wyoming.Error:
			return nil, false, e.Err("")
		case e.Type != wyoming.Info:
			continue
		}
		var info struct {
			Wake []struct {
				Models []struct {
					Name string `json:"name"`
				} `json:"models"`
				Phrases bool `json:"hearth_phrases"`
			} `json:"wake"`
		}
		if err := e.Decode(&info); err != nil {
			return nil, false, err
		}
		if len(info.Wake) == 0 {
			return nil, false, errors.New("wyoming server has no wake service")
		}
		for _, service := range info.Wake {
			open = open || service.Phrases
			for _, m := range service.Models {
				names = append(names, m.Name)
			}
		}
		return names, open, nil
	}
	return nil, false, errors.New("wyoming server does not say what it is")
}

// name returns the configured name of a word that a server has found.
func (s *Spotter) name(found string) (string, bool) {
	if len(s.options.Names) == 0 {
		return found, plain(found)
	}
	if found == "" && len(s.options.Names) == 1 {
		return s.options.Names[0], true
	}
	i := slices.IndexFunc(s.options.Names, func(n string) bool { return alike(n, found) })
	if i < 0 {
		return "", false
	}
	return s.options.Names[i], true
}

// alike reports whether two names mean one word: servers add a version to a
// model's name ("ok_nabu_v0.1"), and write spaces as underscores.
func alike(a, b string) bool { return a == b || key(a) == key(b) }

func key(name string) string {
	name = strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(name))
	if i := strings.LastIndex(name, "_v"); i > 0 && strings.Trim(name[i+2:], "0123456789.") == "" {
		name = name[:i]
	}
	return name
}

// plain reports whether a name may be shown.
func plain(name string) bool {
	return name != "" && len(name) <= maxName && utf8.ValidString(name) &&
		strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}
