package engines

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"hearthd/config"
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
