package config

import _ "embed"

// Example is the shipped configuration file: every key at its default.
//
//go:embed hearthd.yaml
var Example string
