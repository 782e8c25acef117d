package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCheckConfigNamesMistakesInSecretsAndDeclaredTools(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "hearthd.yaml")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := func() error {
		cmd := root(io.Discard)
		cmd.SetArgs([]string{"check-config", "--config", file})
		return cmd.ExecuteContext(t.Context())
	}
	if err := os.Mkdir(filepath.Join(dir, "tools.d"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("hearthd.yaml", "tools:\n  dir: "+filepath.Join(dir, "tools.d")+"\n")
	write("tools.d/lamp.json",
		`{"name": "lamp", "description": "Switch the lamp.", "parameters": {"type": "object"}, "command": ["true"]}`)
	if err := check(); err != nil {
		t.Errorf("a good manifest: %v", err)
	}
	write("tools.d/fan.json", "{\"name\": \"fan\",\n \"comand\": [\"true\"]}")
	write("hearthd.yaml", "tools:\n  dir: "+filepath.Join(dir, "tools.d")+"\n  news: {key: \"file:"+
		filepath.Join(dir, "none")+"\"}\n")
	err := check()
	var bad badConfig
	if !errors.As(err, &bad) {
		t.Fatalf("a bad manifest: %v", err)
	}
	for _, want := range []string{"tools.news.key: read secret ", `fan.json:2:2: unknown key "comand"`,
		`the key "command" is missing`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %q", want, err)
		}
	}
}

func TestCheckGivesMistakesAsJSON(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hearthd.yaml")
	if err := os.WriteFile(file, []byte("x: 1\naudio: {volume: 300}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd := root(&out)
	cmd.SetArgs([]string{"check-config", "--json", "--config", file})
	if err := cmd.ExecuteContext(t.Context()); err == nil {
		t.Error("mistakes are no error")
	}
	var got []mistake
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	want := []mistake{
		{Of: "configuration", File: file, Line: 1, Key: "x", Reason: "unknown key"},
		{Of: "configuration", File: file, Line: 2, Key: "audio.volume", Reason: "must be between 0 and 100"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}
