// Package engines makes the engines that a configuration names for hearing, speaking and thinking,
// and keeps their conditions: by the result of each use, and for the servers of models also by
// probes, whose goroutine is the only one. Any goroutine may use what it makes.
package engines

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"hearthd/config"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/secrets"
	"hearthd/daemon/supervise"
	"hearthd/llm/gone"
	"hearthd/llm/ollama"
)

// Options are where engines are configured, and where their conditions go.
type Options struct {
	Config     *config.Config
	Secrets    *secrets.Secrets
	Conditions *health.Conditions
	Log        *slog.Logger
}

// Engines makes the engines of one configuration.
type Engines struct {
	opt     Options
	servers *servers
	made    []*ollama.Client
	beside  *beside // nil: the recogniser has none beside it
}

// New opens nothing and makes no engine yet.
func New(o Options) *Engines { return &Engines{opt: o, servers: newServers(o.Conditions)} }

// Parts probe the servers of the models that Chats has made, and make the recogniser beside the one of Recogniser.
func (e *Engines) Parts() (parts []supervise.Part) {
	if len(e.servers.list) > 0 {
		parts = append(parts, supervise.Part{Name: "thinker's servers", Policy: supervise.Restart, Run: e.servers.Run})
	}
	if e.beside != nil {
		parts = append(parts, supervise.Part{Name: "built-in recogniser", Policy: supervise.Restart, Run: e.beside.Run})
	}
	return parts
}

// Forget drops what the models of the house's server hold of what was said.
func (e *Engines) Forget() {
	for _, m := range e.made {
		m.Forget()
	}
}

// Used keeps the condition of an engine: err is the result of its last use, which the journal tells when the condition
// begins, and text the condition's text.
func (e *Engines) Used(code string, err error, text string) {
	if err == nil {
		e.opt.Conditions.Clear(code)
		return
	}
	severity := health.Warning
	if told := missingModel(e.opt.Config, err); told != "" {
		severity, text = health.Error, told
	}
	is := func(k event.Condition) bool { return k.Code == code }
	if !slices.ContainsFunc(e.opt.Conditions.List(), is) {
		e.opt.Log.Warn("engine failed", "component", code, "error", err)
	}
	e.opt.Conditions.Set(code, severity, text)
}

// missingModel is the text of the condition about a service that does not have a model: which
// model, where it is configured, and what takes its place. Empty: err says something else.
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
