package config

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
)

// plainDevice is the name of a sound card. A name with other characters is a definition of its own
// to ALSA, which may name a program (the plugin "file" pipes to one) or a library.
var plainDevice = regexp.MustCompile(`^[A-Za-z0-9_:=,. -]*$`)

// Program is one that hearthd would run, with its arguments.
type Program struct {
	Of      string   `json:"of"` // a key, or a manifest's file
	Command []string `json:"command"`
}

// Programs are those of the keys whose value is a program, where that is not the default. The tools
// that are declared in folders have their own: see tools.dir.
func (c *Config) Programs() []Program {
	list := []Program{{"stt.command.argv", c.STT.Command.Argv}, {"tts.command.argv", c.TTS.Command.Argv}}
	if pdf := c.Tools.Knowledge.PDF; pdf != Default().Tools.Knowledge.PDF {
		list = append(list, Program{"tools.knowledge.pdf", []string{pdf}})
	}
	if decoder := c.Media.Decoder; decoder != Default().Media.Decoder {
		list = append(list, Program{"media.decoder", []string{decoder}})
	}
	for _, d := range [][2]string{{"audio.capture", c.Audio.Capture}, {"audio.playback", c.Audio.Playback}} {
		if !plainDevice.MatchString(d[1]) {
			list = append(list, Program{d[0], d[1:]})
		}
	}
	for i, s := range c.Media.Sources {
		list = append(list, Program{fmt.Sprintf("media.sources[%d].command", i), s.Command})
	}
	for i, h := range c.Hooks {
		list = append(list, Program{fmt.Sprintf("hooks[%d].command", i), h.Command})
	}
	for i, s := range c.Tools.MCP {
		list = append(list, Program{fmt.Sprintf("tools.mcp[%d].command", i), s.Command})
	}
	return slices.DeleteFunc(list, func(p Program) bool { return len(p.Command) == 0 })
}

// Secrets gives every key that holds the place of a secret.
func (c *Config) Secrets() iter.Seq2[string, Secret] {
	return func(yield func(string, Secret) bool) {
		for _, key := range Keys() {
			if s, ok := field(c, key).Interface().(Secret); ok && !yield(key, s) {
				return
			}
		}
		for i, p := range c.Thinker.Providers {
			if !yield(fmt.Sprintf("thinker.providers[%d].key", i), p.Key) {
				return
			}
		}
		for i, s := range c.Tools.MCP {
			if !yield(fmt.Sprintf("tools.mcp[%d].secret", i), s.Secret) {
				return
			}
		}
	}
}
