package server

import (
	"context"
	"slices"

	"hearthd/llm/wyoming"
	"hearthd/speech/model"
)

// What describe is answered with, as version 1.9 of the protocol has it.
type info struct {
	ASR []program `json:"asr"`
	TTS []program `json:"tts"`
	// A client of Python wants the others too.
	Handle []program `json:"handle"`
	Intent []program `json:"intent"`
	Wake   []program `json:"wake"`
	Mic    []program `json:"mic"`
	Snd    []program `json:"snd"`
	// Ours: models that make prints of voices.
	Prints []program `json:"hearth_voice_print,omitempty"`
}

type program struct {
	artefact
	Models              []entry `json:"models,omitempty"`
	Voices              []entry `json:"voices,omitempty"`
	TranscriptStreaming *bool   `json:"supports_transcript_streaming,omitempty"`
	SynthesizeStreaming *bool   `json:"supports_synthesize_streaming,omitempty"`
	// Ours: it waits for any phrase, by its text, and none has a model of its own.
	Phrases bool `json:"hearth_phrases,omitempty"`
}

type artefact struct {
	Name        string      `json:"name"`
	Attribution attribution `json:"attribution"`
	Installed   bool        `json:"installed"`
	Description string      `json:"description"`
	Version     string      `json:"version"`
}

type attribution struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

type entry struct {
	artefact
	Languages []string  `json:"languages"`
	Speakers  []speaker `json:"speakers,omitempty"`
}

type speaker struct {
	Name string `json:"name"`
}

// describe tells what is installed.
func (v *visit) describe(ctx context.Context) error {
	models, mistakes := v.s.opt.Shelf.Models()
	if mistakes != nil {
		v.s.opt.Log.Warn("a model cannot be used", "error", mistakes)
	}
	own := artefact{Name: "hearth-speech", Installed: true, Version: v.s.opt.Version,
		Description: "hearthd's speech server, around sherpa-onnx",
		Attribution: attribution{"hearthd, k2-fsa", "https://github.com/k2-fsa/sherpa-onnx"}}
	hears, speaks, prints := program{artefact: own}, program{artefact: own}, program{artefact: own}
	waits := program{artefact: own, Phrases: true}
	streams, yes := false, true
	for _, m := range models {
		e := entry{artefact: own, Languages: append([]string{}, m.Languages...)}
		e.Name, e.Description = m.Name, string(m.Kind)
		for name := range m.Speakers {
			e.Speakers = append(e.Speakers, speaker{name})
		}
		slices.SortFunc(e.Speakers, func(a, b speaker) int { return m.Speakers[a.Name] - m.Speakers[b.Name] })
		switch m.Task() {
		case model.Hear:
			hears.Models = append(hears.Models, e)
			streams = streams || m.Kind == model.Zipformer
		case model.Speak:
			speaks.Voices = append(speaks.Voices, e)
		case model.Recognise:
			prints.Models = append(prints.Models, e)
		case model.Wake:
			waits.Models = append(waits.Models, e)
		}
	}
	hears.TranscriptStreaming, speaks.SynthesizeStreaming = &streams, &yes
	none := []program{}
	told := info{none, none, none, none, none, none, none, nil}
	if len(hears.Models) > 0 {
		told.ASR = []program{hears}
	}
	if len(speaks.Voices) > 0 {
		told.TTS = []program{speaks}
	}
	if len(waits.Models) > 0 {
		told.Wake = []program{waits}
	}
	if len(prints.Models) > 0 {
		told.Prints = []program{prints}
	}
	return v.tell(ctx, wyoming.Info, told)
}
