package engines

import (
	"fmt"

	"hearthd/config"
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

// Chats are the usual model, which also reflects, and the other ones that thinkers may ask for.
// Without an Ollama the first provider has the usual ones.
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
		fast, err := e.provider(&o, o.Model, ours)
		if err != nil {
			return nil, nil, err
		}
		smart := fast
		if o.SmartModel != "" {
			if smart, err = e.provider(&o, o.SmartModel, ours); err != nil {
				return nil, nil, err
			}
		}
		if usual == nil {
			usual = fast
			chats[thinker.Model{Tier: thinker.Smart}] = smart
		}
		chats[thinker.Model{Provider: o.Name, Tier: thinker.Fast}] = fast
		chats[thinker.Model{Provider: o.Name, Tier: thinker.Smart}] = smart
	}
	return usual, chats, nil
}

// provider is a client for one model of a provider. Our own model answers when the provider does
// not have it; nil: the house has none.
func (e *Engines) provider(o *config.Provider, model string, ours *Model) (*Model, error) {
	m, err := openai.New(openai.Options{Name: "provider " + o.Name, BaseURL: o.URL, Key: e.opt.Secrets.Get(o.Key),
		Model: model})
	if err != nil {
		return nil, fmt.Errorf("provider %q: %w", o.Name, err)
	}
	w := e.servers.watch(m, o.Name+"/"+model, false)
	w.usual, w.told = ours, func(err error) { e.Used("provider_"+o.Name, err, "") }
	return w, nil
}

// Meanings embeds texts with the model of the configuration, and names that model; nil: there is
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
