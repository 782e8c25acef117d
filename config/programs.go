package config

import (
	"fmt"
	"iter"
	"regexp"
)

// plainDevice is the name of a sound card. One with other signs is a definition of its
// own to ALSA, which may name a program (the plugin "file" pipes to one) or a library.
var plainDevice = regexp.MustCompile(`^[A-Za-z0-9_:=,. -]*$`)

// Programs gives every key whose value is a program that hearthd would run, with its
// arguments, where that is not the default. The tools that are declared in folders have
// their own: see tools.dir.
func (c *Config) Programs() iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		keys := []string{"stt.command.argv", "tts.command.argv"}
		programs := [][]string{c.STT.Command.Argv, c.TTS.Command.Argv}
		add := func(key string, argv ...string) { keys, programs = append(keys, key), append(programs, argv) }
		if pdf := c.Tools.Knowledge.PDF; pdf != defaultKnowledge().PDF {
			add("tools.knowledge.pdf", pdf)
		}
		if d := c.Audio.Capture; !plainDevice.MatchString(d) {
			add("audio.capture", d)
		}
		if d := c.Audio.Playback; !plainDevice.MatchString(d) {
			add("audio.playback", d)
		}
		for i, h := range c.Hooks {
			add(fmt.Sprintf("hooks[%d].command", i), h.Command...)
		}
		for i, s := range c.Tools.MCP {
			add(fmt.Sprintf("tools.mcp[%d].command", i), s.Command...)
		}
		for i, argv := range programs {
			if len(argv) > 0 && !yield(keys[i], argv) {
				return
			}
		}
	}
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
