package engines

import (
	"context"

	"hearthd/audio"
	"hearthd/config"
	"hearthd/daemon/ears"
	"hearthd/daemon/voice"
	"hearthd/llm/stt"
	"hearthd/llm/tts"
	"hearthd/vad"
)

// Recogniser makes the engine that the configuration names, if that is not the built-in one, which hears
// beside it, unless builtIn is nil; asks tells what a text is a request for. words are names of the house,
// which some engines can be told to expect. phrase is nil where none has to be heard.
func (e *Engines) Recogniser(builtIn func(context.Context) (stt.Engine, error), asks func(text string) string,
	words func() []string, phrase *Phrase) (stt.Engine, error) {
	c := &e.opt.Config.STT
	var engine stt.Engine
	var err error
	switch c.Engine {
	case "wyoming":
		engine, err = stt.NewWyoming(stt.WyomingOptions{Address: c.Wyoming.Address, Language: c.Language,
			Model: c.Wyoming.Model, Words: words})
	case "openai":
		if c.OpenAI.Key != "" {
			words = nil // who wants a key is outside the house, and is not told its names
		}
		engine, err = stt.NewOpenAI(stt.OpenAIOptions{BaseURL: c.OpenAI.URL, Key: e.opt.Secrets.Get(c.OpenAI.Key),
			Model: c.OpenAI.Model, Language: c.Language, Words: words})
	default:
		engine, err = stt.NewCommand(stt.CommandOptions{Argv: c.Command.Argv, Input: c.Command.Input})
	}
	if err != nil || builtIn == nil {
		return engine, err
	}
	e.beside = newBeside(c.Engine, engine, builtIn, asks, phrase)
	return e.beside, nil
}

// Broken is a recogniser that could not be set up.
type Broken struct {
	Err   error
	Again stt.Engine // tries that again for each utterance; nil: only a restart helps
}

// Open starts to hear an utterance, if it can be set up now.
func (d Broken) Open(ctx context.Context) (stt.Stream, error) {
	if d.Again == nil {
		return nil, d.Err
	}
	return d.Again.Open(ctx)
}

// Hearing is a recogniser with its condition. The condition of one that could not be set up says
// why, and stays until it could.
type Hearing struct {
	stt.Engine
	engines *Engines
}

// Hearing wraps engine for a dialogue.
func (e *Engines) Hearing(engine stt.Engine) Hearing { return Hearing{engine, e} }

// Heard is told after each use whether it works.
func (h Hearing) Heard(err error) {
	if _, ok := h.Engine.(Broken); ok {
		if err == nil {
			h.engines.Used("recogniser", nil, "")
		}
		return
	}
	text := "Speech to text (" + h.engines.opt.Config.STT.Engine + ") does not work"
	if s, _ := h.Engine.(*beside); err == nil {
		err = s.trouble()
		text += "; the built-in recogniser hears in its place"
	}
	h.engines.Used("recogniser", err, text+".")
}

// Synthesiser makes the engine that the configuration names, and the one that takes over when it
// fails: flite, unless the engine already is flite.
func (e *Engines) Synthesiser() (engine, fallback tts.Engine, err error) {
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

// Voice makes a voice that plays through mixer, and calls wake when it is about to.
func (e *Engines) Voice(mixer *audio.Mixer, wake func(), dead func() bool) (*voice.Voice, error) {
	engine, fallback, err := e.Synthesiser()
	if err != nil {
		return nil, err
	}
	return voice.New(voice.Options{
		Log: e.opt.Log, Mixer: mixer, Wake: wake, Dead: dead, Engine: engine, Fallback: fallback,
		Speaking: func(err error) {
			e.Used("voice", err, "Text to speech ("+e.opt.Config.TTS.Engine+") does not work.")
		},
	})
}

// Ears are the settings of the ears in a configuration. Wake words without a path are looked for
// below folder state.
func Ears(c *config.Config, state string) ears.Setup {
	s := ears.Setup{State: state, AEC: c.Audio.AEC, AutoGain: c.Listen.AutoGain, Segment: Segmenting(&c.Listen),
		Detector: c.Listen.Detector, Silero: c.Listen.Silero}
	for _, w := range c.Wake.Words {
		word := ears.Word{Model: w.Model, Server: w.Server, Name: w.Called(), Stop: w.Kind == "stop", Route: w.Route,
			Cutoff: w.Cutoff}
		if word.Route == "any" {
			word.Route = ""
		}
		s.Words = append(s.Words, word)
	}
	return s
}

// Segmenting are the options of the segmenter that a configuration asks for.
func Segmenting(l *config.Listen) vad.Options {
	v := vad.DefaultOptions()
	v.Threshold, v.Release = float32(l.Threshold), float32(l.Release)
	v.PreRoll, v.MinSpeech, v.EndSilence, v.MaxUtterance = l.PreRoll, l.MinSpeech, l.EndSilence, l.MaxUtterance
	return v
}

// CheckEars names every wake word that cannot be used, and the detector if it cannot be used. Words
// without a path are looked for below folder state.
func CheckEars(c *config.Config, state string) []error {
	setup := Ears(c, state)
	return ears.Check(&setup)
}
