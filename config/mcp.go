package config

import (
	"fmt"
	"time"
)

// MCPServer is a Model Context Protocol server whose tools are tools of the house:
// a program, or an address.
type MCPServer struct {
	Name    string   `yaml:"name"`    // begins the names of its tools
	Command []string `yaml:"command"` // program and arguments, or
	URL     string   `yaml:"url"`     // streamable HTTP; one that ends in /sse is of the older kind
	Secret  Secret   `yaml:"secret"`  // file:PATH or credential:NAME; empty: none
	// SecretIn names the header of the secret, or the program's environment
	// variable. Empty: a bearer token.
	SecretIn string `yaml:"secret_in"`
	// Patterns of the server's own names of tools: which are offered, which need a
	// person's yes, and which change nothing.
	Allow    []string      `yaml:"allow"`
	Confirm  []string      `yaml:"confirm"`
	ReadOnly []string      `yaml:"read_only"`
	Timeout  time.Duration `yaml:"timeout"` // of a call; 0: 30 s
}

const (
	mcpName   = `^[a-z][a-z0-9]{0,15}$`
	mcpSecret = `^[A-Za-z][A-Za-z0-9_-]{0,63}$`
	mcpTool   = `^[^*?\[\\\s]*\*?$`
)

func checkMCP(k *checker, servers []MCPServer) {
	names := make(map[string]bool)
	for i, s := range servers {
		key := func(name string) string { return fmt.Sprintf("tools.mcp[%d].%s", i, name) }
		k.match(key("name"), s.Name, mcpName, "must be small letters and digits, at most 16")
		if names[s.Name] {
			k.add(key("name"), s.Name, "stands twice")
		}
		names[s.Name] = true
		switch {
		case (len(s.Command) > 0) == (s.URL != ""):
			k.add(key("url"), "", "name either a command or a url")
		case s.URL != "":
			k.http(key("url"), s.URL)
		default:
			k.command(key("command"), s.Command)
			if s.Secret != "" && s.SecretIn == "" {
				k.add(key("secret_in"), "", "must name the environment variable of the secret")
			}
		}
		if !s.Secret.valid() {
			k.add(key("secret"), "", "must be file:/PATH or credential:NAME; the secret itself does not stand here")
		}
		if s.SecretIn != "" {
			k.match(key("secret_in"), s.SecretIn, mcpSecret, "must be the name of a header or of an environment variable")
		}
		if len(s.Allow) == 0 {
			k.add(key("allow"), "", `must name the tools that are offered; "*" for all`)
		}
		for name, list := range map[string][]string{"allow": s.Allow, "confirm": s.Confirm, "read_only": s.ReadOnly} {
			for _, p := range list {
				k.match(key(name), p, mcpTool, "must be names, or the beginning of one and *")
			}
		}
		k.duration(key("timeout"), s.Timeout, 0, 10*time.Minute)
	}
}
