package config

import (
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
