// Package engines makes what a configuration names to hear, to speak and to think with,
// and keeps the conditions of it: by what came of each use, and of the servers of models
// by probes too, whose goroutine is its one. What it makes may be used by any.
package engines

import (
	"log/slog"

	"hearthd/config"
	"hearthd/daemon/health"
	"hearthd/daemon/secrets"
	"hearthd/daemon/supervise"
	"hearthd/llm/ollama"
)

// Options are where engines are named, and who is told of them.
type Options struct {
	Config     *config.Config
	Secrets    *secrets.Secrets
	Conditions *health.Conditions
	Log        *slog.Logger
}

// Engines makes those of one configuration.
type Engines struct {
	opt     Options
	servers *servers
	made    []*ollama.Client
}

// New makes nothing yet.
func New(o Options) *Engines { return &Engines{opt: o, servers: newServers(o.Conditions)} }

// Parts probe the servers of the models that Chats has made.
func (e *Engines) Parts() []supervise.Part {
	if len(e.servers.list) == 0 {
		return nil
	}
	return []supervise.Part{{Name: "thinker's servers", Policy: supervise.Restart, Run: e.servers.Run}}
}

// Forget drops what the models of this house's server hold of what was said.
func (e *Engines) Forget() {
	for _, m := range e.made {
		m.Forget()
	}
}

// Used keeps the condition of an engine: err is what its last use ended with, and text
// says so.
func (e *Engines) Used(code string, err error, text string) {
	if err == nil {
		e.opt.Conditions.Clear(code)
		return
	}
	severity := health.Warning
	if told := missingModel(e.opt.Config, err); told != "" {
		severity, text = health.Error, told
	}
	e.opt.Conditions.Set(code, severity, text)
}
