package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"hearthd/config"
	"hearthd/daemon/health"
	"hearthd/llm"
	"hearthd/llm/gone"
)

// missingModel is what a condition says of a service that does not have a model: which,
// where it is configured, and what takes its place. Empty: err says something else.
func missingModel(c *config.Config, err error) string {
	var g *gone.Error
	if !errors.As(err, &g) {
		return ""
	}
	known := config.Models().Models[g.Model]
	text := "The service does not have the model " + g.Model
	if g.Model == "" {
		text = "No model is named"
	}
	if known.Ends != "" {
		text += " (it ends on " + known.Ends + ")"
	}
	where := strings.Join(modelKeys(c, g.Model), ", ")
	switch next := cmp.Or(g.Successor, known.Successor); {
	case next != "" && where != "":
		return fmt.Sprintf("%s; its successor is %s: set %s. The box answers without it.", text, next, where)
	case next != "":
		return fmt.Sprintf("%s; its successor is %s. The box answers without it.", text, next)
	case where != "":
		return fmt.Sprintf("%s; set %s. The box answers without it.", text, where)
	}
	return text + ". The box answers without it."
}

// modelKeys are the keys of the configuration that name a model of a service.
func modelKeys(c *config.Config, model string) (keys []string) {
	add := func(key, named string) {
		if named == model && (model != "" || key == "tts.openai.model") {
			keys = append(keys, key)
		}
	}
	if c.Responder.URL != "" {
		add("responder.model", c.Responder.Model)
		add("responder.transcriber", c.Responder.Transcriber)
	}
	if c.STT.Engine == "openai" {
		add("stt.openai.model", c.STT.OpenAI.Model)
	}
	if c.TTS.Engine == "openai" {
		add("tts.openai.model", c.TTS.OpenAI.Model)
	}
	for i, p := range c.Thinker.Providers {
		add(fmt.Sprintf("thinker.providers[%d].model", i), p.Model)
		add(fmt.Sprintf("thinker.providers[%d].smart_model", i), p.SmartModel)
	}
	return keys
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
func (d *base) supplied(provider string, c chatter, usual *served) *supplier {
	s := &supplier{chat: c, told: func(err error) { d.engineState("provider_"+provider, err, "") }}
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

// engineState keeps the condition of a speech engine: err is what its last use
// ended with.
func (d *base) engineState(code string, err error, text string) {
	if err == nil {
		d.conditions.Clear(code)
		return
	}
	severity := health.Warning
	if told := missingModel(d.cfg, err); told != "" {
		severity, text = health.Error, told
	}
	d.conditions.Set(code, severity, text)
}
