package engines

import (
	"hearthd/llm/tts"
)

// Voices makes the engine that the configuration names and the one that takes
// over when it fails: flite, unless that is the engine already.
func (e *Engines) Voices() (engine, fallback tts.Engine, err error) {
	c := &e.opt.Config.TTS
	builtIn := func() (tts.Engine, error) { return tts.NewCommand(tts.Flite("slt")) }
	switch c.Engine {
	case "flite":
		engine, err = tts.NewCommand(tts.Flite(c.Voice))
		return engine, nil, err
	case "espeak-ng":
		engine, err = tts.NewCommand(tts.Espeak(c.Voice))
	case "wyoming":
		engine, err = tts.NewWyoming(tts.WyomingOptions{Address: c.Wyoming.Address, Voice: c.Voice})
	case "openai":
		key := e.opt.Secrets.Get(c.OpenAI.Key)
		engine, err = tts.NewOpenAI(tts.OpenAIOptions{
			BaseURL: c.OpenAI.URL, Key: key, Model: c.OpenAI.Model, Voice: c.Voice,
			Format: c.OpenAI.Format, Rate: c.OpenAI.Rate,
		})
	case "command":
		engine, err = tts.NewCommand(tts.CommandOptions{Argv: c.Command.Argv})
	}
	if err != nil {
		return nil, nil, err
	}
	fallback, err = builtIn()
	return engine, fallback, err
}

// Spoke hears whether the voice works.
func (e *Engines) Spoke(err error) {
	e.Used("voice", err, "Text to speech ("+e.opt.Config.TTS.Engine+") does not work.")
}
