// Package thinkertest makes thinkers for tests, whose model says what it is told. It runs no
// goroutine.
package thinkertest

import (
	"context"
	"iter"
	"log/slog"
	"testing"

	"hearthd/config"
	"hearthd/daemon/thinkers"
	"hearthd/llm"
	"hearthd/llm/thinker"
	"hearthd/tools"
)

// New makes thinkers that echo.
func New(t testing.TB, domains []thinker.Domain) *thinkers.Thinkers {
	t.Helper()
	cfg := config.Default()
	m, err := thinkers.New(thinkers.Options{
		Config: &cfg, Files: thinkers.Files{Domains: domains},
		Thinker: thinker.Options{Chat: echo{}, Tools: NoTools{}, Log: slog.New(slog.DiscardHandler)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// echo is a model that says what it is told of itself, and what it is asked, before which stands
// what its domain is told.
type echo struct{}

func (echo) Chat(_ context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		yield(llm.Delta{Text: req.Messages[0].Content + " " + req.Messages[len(req.Messages)-1].Content}, nil)
	}
}

// NoTools is a house without tools.
type NoTools struct{}

func (NoTools) Specs() []llm.ToolSpec { return nil }

func (NoTools) Run(context.Context, tools.Call) tools.Outcome {
	return tools.Outcome{Class: tools.Failed}
}
