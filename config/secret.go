package config

import (
	"fmt"
	"iter"
	"strings"
)

// Secret says where a secret is: "file:PATH" or "credential:NAME" (a systemd
// credential). The secret itself never stands in the configuration, so a Secret
// can be printed.
type Secret string

// Place splits s into its kind, "file" or "credential", and the path or name.
// Both are empty for the empty Secret, which means that there is none.
func (s Secret) Place() (kind, name string) {
	kind, name, _ = strings.Cut(string(s), ":")
	return kind, name
}

func (s Secret) valid() bool {
	kind, name := s.Place()
	switch kind {
	case "":
		return s == ""
	case "file":
		return strings.HasPrefix(name, "/")
	case "credential":
		return name != "" && !strings.ContainsAny(name, "/ ")
	}
	return false
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
