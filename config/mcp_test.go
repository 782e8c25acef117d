package config

import (
	"strings"
	"testing"
)

func TestServersOfToolsAreChecked(t *testing.T) {
	good := MCPServer{Name: "ha", URL: "http://homeassistant.local:8123/api/mcp",
		Secret: "credential:hearthd.homeassistant", Allow: []string{"Hass*"}, ReadOnly: []string{"Get*"}}
	program := MCPServer{Name: "files", Command: []string{"mcp-files", "/srv"}, Secret: "file:/etc/key",
		SecretIn: "FILES_KEY", Allow: []string{"*"}}
	c := Default()
	c.Tools.MCP = []MCPServer{good, program}
	if p := c.Validate(); len(p) > 0 {
		t.Error(p)
	}
	for want, spoil := range map[string]func(*MCPServer){
		"tools.mcp[0].name":          func(s *MCPServer) { s.Name = "Home Assistant" },
		"stands twice":               func(s *MCPServer) { s.Name = "files" },
		"either a command or a url":  func(s *MCPServer) { s.URL = "" },
		"tools.mcp[0].url":           func(s *MCPServer) { s.URL = "homeassistant.local" },
		"tools.mcp[0].secret":        func(s *MCPServer) { s.Secret = "eyJhbGciOi" },
		"tools.mcp[0].secret_in":     func(s *MCPServer) { s.SecretIn = "X Key:" },
		"tools.mcp[0].allow":         func(s *MCPServer) { s.Allow = nil },
		"tools.mcp[0].confirm":       func(s *MCPServer) { s.Confirm = []string{"a*b"} },
		"tools.mcp[0].timeout":       func(s *MCPServer) { s.Timeout = -1 },
		"must be an absolute path":   func(s *MCPServer) { s.URL, s.Command = "", []string{"./server"} },
		"environment variable of th": func(s *MCPServer) { s.URL, s.Command = "", []string{"server"} },
	} {
		bad := good
		spoil(&bad)
		c := Default()
		c.Tools.MCP = []MCPServer{bad, program}
		if p := c.Validate(); len(p) == 0 || !strings.Contains(p.Error(), want) {
			t.Errorf("%s: %v", want, p)
		}
	}
}
