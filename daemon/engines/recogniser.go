package engines

import (
	"context"

	"hearthd/llm/stt"
)

// Recogniser makes the engine that the configuration names, if that is not the built-in
// one. Where its service does not have the model, builtIn takes its place.
func (e *Engines) Recogniser(builtIn func() (stt.Engine, error)) (stt.Engine, error) {
	c := &e.opt.Config.STT
	switch c.Engine {
	case "wyoming":
		return stt.NewWyoming(stt.WyomingOptions{Address: c.Wyoming.Address, Language: c.Language, Model: c.Wyoming.Model})
	case "openai":
		engine, err := stt.NewOpenAI(stt.OpenAIOptions{BaseURL: c.OpenAI.URL, Key: e.opt.Secrets.Get(c.OpenAI.Key), Model: c.OpenAI.Model, Language: c.Language})
		if err != nil || builtIn == nil {
			return engine, err
		}
		return newStandIn(engine, builtIn), nil
	}
	return stt.NewCommand(stt.CommandOptions{Argv: c.Command.Argv, Input: c.Command.Input})
}

// Deaf is a recogniser that could not be set up.
type Deaf struct{ Err error }

func (d Deaf) Open(context.Context) (stt.Stream, error) { return nil, d.Err }

// Hearing keeps the condition of a recogniser. That of one that could not be set up says
// why, and stays.
type Hearing struct {
	engines *Engines
	engine  stt.Engine
}

// Hearing keeps the condition of engine.
func (e *Engines) Hearing(engine stt.Engine) Hearing { return Hearing{e, engine} }

// Heard is told after each use whether it works.
func (h Hearing) Heard(err error) {
	if _, ok := h.engine.(Deaf); ok {
		return
	}
	if s, _ := h.engine.(*standIn); err == nil {
		err = s.missing()
	}
	h.engines.Used("recogniser", err, "Speech to text ("+h.engines.opt.Config.STT.Engine+") does not work.")
}
