package engines

import (
	"context"
	"errors"
	"iter"

	"hearthd/llm"
)

// supplier is the model of a provider, for which the usual one answers in the same turn
// when the provider does not have it.
type supplier struct {
	chat  chatter
	usual chatter // nil: there is none
	told  func(error)
}

// chatter is a chat model.
type chatter interface {
	Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error]
}

// supplied keeps a condition for the models of a provider; usual is nil where there is none
// of the house.
func (e *Engines) supplied(provider string, c chatter, usual *Model) *supplier {
	s := &supplier{chat: c, told: func(err error) { e.Used("provider_"+provider, err, "") }}
	if usual != nil {
		s.usual = usual
	}
	return s
}

// Chat asks the provider's model, or the usual one.
func (s *supplier) Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		begun := false
		for d, err := range s.chat.Chat(ctx, req) {
			if errors.Is(err, llm.ErrModel) {
				s.told(err)
				if s.usual == nil || begun {
					yield(d, err)
					return
				}
				s.usual.Chat(ctx, req)(yield)
				return
			}
			if err == nil && !begun {
				begun = true
				s.told(nil)
			}
			if !yield(d, err) {
				return
			}
		}
	}
}
