package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDeclaredToolRunsOnItsSentence(t *testing.T) {
	k := newKitchen(t)
	tools, seen := filepath.Join(k.dir, "tools.d"), filepath.Join(k.dir, "seen")
	check(t, os.Mkdir(tools, 0o700))
	script := filepath.Join(k.dir, "feed.sh")
	check(t, os.WriteFile(script, []byte("#!/bin/sh\n{ cat; echo; env; echo \"$@\"; } >"+seen+"\necho The cat is fed.\n"), 0o700))
	check(t, os.WriteFile(filepath.Join(tools, "cat.json"), []byte(`{
  "name": "feed_cat",
  "description": "Feeds the cat.",
  "parameters": {"type": "object", "properties": {"grams": {"type": "integer"}}},
  "command": ["`+script+`", "two  words", "$HOME;"],
  "env": {"BOWL": "red"},
  "triggers": ["Feed the cat"]
}`), 0o600))
	bad := filepath.Join(tools, "dog.json")
	check(t, os.WriteFile(bad, []byte("{\n  \"name\": \"feed_dog\",\n  \"descripton\": \"Feeds the dog.\",\n  \"parameters\": {\"type\": \"object\"},\n  \"command\": [\"true\"]\n}"), 0o600))
	k.begin("SECRET_OF_THE_DAEMON=hunter2")

	doc := k.ask("Feed the cat!")
	if doc.Outcome != "answered" || doc.Route != "intent" || doc.Intent != "declared_feed_cat" || doc.Answer != "The cat is fed." {
		t.Errorf("%+v", doc)
	}
	got, err := os.ReadFile(seen)
	check(t, err)
	lines := strings.Split(strings.TrimSpace(string(got)), "\n")
	if lines[0] != "{}" || lines[len(lines)-1] != "two  words $HOME;" {
		t.Errorf("the script was given %q and the arguments %q", lines[0], lines[len(lines)-1])
	}
	if !strings.Contains(string(got), "\nBOWL=red\n") || strings.Contains(string(got), "hunter2") || strings.Contains(string(got), "HEARTHD_") {
		t.Errorf("the script saw this environment:\n%s", got)
	}
	if doc := k.heard("Hey hearth, feed the cat."); doc.Outcome != "answered" || doc.Answer != "The cat is fed." {
		t.Errorf("by voice: %+v", doc)
	}
	log, err := os.ReadFile(k.LogPath())
	check(t, err)
	if !strings.Contains(string(log), bad+`:3:3: unknown key \"descripton\"`) {
		t.Errorf("the log does not name the mistake:\n%s", log)
	}
	if s := k.status(); !s.Has("tools") {
		t.Errorf("no condition tells of the mistake: %+v", s.Conditions)
	}
}
