package thinkers

import (
	"context"
	"errors"
	"iter"

	"hearthd/llm"
)

// thinking is what the dialogue asks when no intent fits.
type thinking interface {
	Think(ctx context.Context, ask llm.Ask) iter.Seq2[llm.Delta, error]
	Heard(text string)
	Note(ask llm.Ask, answer string)
	Apology(err error) string
}

const sayOpensNothing = "I open nothing that way. Say it with the name of the lock or the door, please."

// agent is Home Assistant's.
type agent interface {
	Converse(ctx context.Context, text, language string) (answer string, understood bool, err error)
}

// entrances know what opens the house.
type entrances interface{ NamesWayIn(text string) bool }

// converser asks Home Assistant's agent where the thinker gives up, or where there
// is none.
type converser struct {
	thinking // nil: there is none
	agent    agent
	home     entrances
	language string
}

// WithAgent has the agent answer where th gives up; nil: there is nobody to give up.
func WithAgent(th thinking, a agent, h entrances, language string) thinking {
	return converser{th, a, h, language}
}

func (c converser) Think(ctx context.Context, ask llm.Ask) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		var failed error
		if c.thinking != nil {
			begun := false
			for delta, err := range c.thinking.Think(ctx, ask) {
				if err != nil && !begun && ctx.Err() == nil {
					failed = err
					break
				}
				begun = begun || delta.Token == ""
				if !yield(delta, err) {
					return
				}
			}
			if failed == nil {
				return
			}
		}
		if c.home.NamesWayIn(ask.Text) { // its agent would not ask first
			yield(llm.Delta{Text: sayOpensNothing}, nil)
			return
		}
		text, understood, err := c.agent.Converse(ctx, ask.Text, c.language)
		switch {
		case err == nil && (understood || failed == nil):
			if yield(llm.Delta{Text: text}, nil) {
				yield(llm.Delta{Usage: &llm.Usage{Thinker: "homeassistant", Foreign: true}}, nil)
			}
		default:
			yield(llm.Delta{}, errors.Join(failed, err))
		}
	}
}

func (c converser) Heard(text string) {
	if c.thinking != nil {
		c.thinking.Heard(text)
	}
}

func (c converser) Note(ask llm.Ask, answer string) {
	if c.thinking != nil {
		c.thinking.Note(ask, answer)
	}
}

func (c converser) Apology(err error) string {
	if c.thinking != nil {
		return c.thinking.Apology(err)
	}
	return "Sorry, Home Assistant does not answer."
}
