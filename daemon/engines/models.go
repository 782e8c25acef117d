package engines

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"hearthd/config"
	"hearthd/llm"
	"hearthd/llm/ollama"
	"hearthd/llm/openai"
	"hearthd/llm/thinker"
)

// answerRoom is what a context holds beyond the prompt, in tokens.
const answerRoom = 1024

// Ollama is a client for one model of the configured server.
func (e *Engines) Ollama(model string) (*ollama.Client, error) {
	o := &e.opt.Config.Thinker
	c, err := ollama.New(ollama.Options{
		URL: o.URL, Model: model, KeepAlive: o.KeepAlive, NumCtx: max(o.NumCtx, o.MaxTokens+answerRoom), Think: o.Think,
		Log: e.opt.Log,
	})
	if err == nil {
		e.made = append(e.made, c)
	}
	return c, err
}

// Chats are the usual model, which reflects too, and those that thinkers may ask for
// beside it. Without an Ollama the first provider has the usual ones.
func (e *Engines) Chats() (usual *Model, chats thinker.Chats, err error) {
	c := &e.opt.Config.Thinker
	chats = make(thinker.Chats)
	if c.URL != "" {
		m, err := e.Ollama(c.Model)
		if err != nil {
			return nil, nil, err
		}
		usual = e.servers.watch(m, c.Model, true)
		if c.SmartModel != "" {
			if m, err = e.Ollama(c.SmartModel); err != nil {
				return nil, nil, err
			}
			chats[thinker.Model{Tier: thinker.Smart}] = e.servers.watch(m, c.SmartModel, true)
		}
	}
	ours := usual
	for _, o := range c.Providers {
		fast, err := e.provider(&o, o.Model)
		if err != nil {
			return nil, nil, err
		}
		smart := fast
		if o.SmartModel != "" {
			if smart, err = e.provider(&o, o.SmartModel); err != nil {
				return nil, nil, err
			}
		}
		if usual == nil {
			usual = fast
			chats[thinker.Model{Tier: thinker.Smart}] = smart
		}
		chats[thinker.Model{Provider: o.Name, Tier: thinker.Fast}] = e.supplied(o.Name, fast, ours)
		chats[thinker.Model{Provider: o.Name, Tier: thinker.Smart}] = e.supplied(o.Name, smart, ours)
	}
	return usual, chats, nil
}

// provider is a client for one model of a provider.
func (e *Engines) provider(o *config.Provider, model string) (*Model, error) {
	m, err := openai.New(openai.Options{Name: "provider " + o.Name, BaseURL: o.URL, Key: e.opt.Secrets.Get(o.Key),
		Model: model})
	if err != nil {
		return nil, fmt.Errorf("provider %q: %w", o.Name, err)
	}
	return e.servers.watch(m, o.Name+"/"+model, false), nil
}

// Meanings embeds texts with the model of the configuration, and names it; nil: there is
// none.
func (e *Engines) Meanings() (m *thinker.Meanings, model string, err error) {
	c := &e.opt.Config.Thinker
	if c.URL == "" || c.EmbedModel == "" {
		return nil, "", nil
	}
	client, err := e.Ollama(c.EmbedModel)
	if err != nil {
		return nil, "", err
	}
	m, err = thinker.NewMeanings(client, c.EmbedWait)
	return m, c.EmbedModel, err
}

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
