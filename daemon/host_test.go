package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hearthd/config"
	"hearthd/daemon/mqtt/contract"
)

// The configuration knows nothing of the contract, and the other way round.
func TestConfigurationNamesTheCommandsOfTheContract(t *testing.T) {
	c := config.Default()
	var usual, all []string
	for _, k := range contract.Commands() {
		if all = append(all, k.Name); !k.Asked {
			usual = append(usual, k.Name)
		}
	}
	got := slices.Clone(c.MQTT.Commands)
	slices.Sort(got)
	if slices.Sort(usual); !slices.Equal(got, usual) {
		t.Errorf("the default is %q, want %q", got, usual)
	}
	c.MQTT.Commands = all
	if ps := c.Validate(); len(ps) > 0 {
		t.Errorf("all that there are: %v", ps)
	}
	c.MQTT.Commands = []string{"unlock", contract.Stop, contract.Stop}
	if ps := c.Validate(); len(ps) != 2 {
		t.Errorf("one that there is not, and one twice: %v", ps)
	}
}

func TestWakeWordsThatCanBeChosen(t *testing.T) {
	c := config.Default()
	c.Wake.Words = []config.WakeWord{{Model: "hey_jarvis"}, {Model: "stop", Kind: "stop"}}
	want := []string{contract.AllWords, contract.Phrase, "hey jarvis"}
	if got := c.Wake.Choices(); !slices.Equal(got, want) {
		t.Errorf("the choices are %q, want %q", got, want)
	}
	c.Wake.Words = []config.WakeWord{{Model: "x", Name: contract.Phrase}}
	if len(c.Validate()) == 0 {
		t.Error("a wake word may be called as the phrase is")
	}
}

func TestTheVersionOnTheDiskIsAskedWhenItChanged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hearthd")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file+".new", []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	write("#!/bin/sh\nexit 1\n") // is not asked: it is the one that runs
	ask := installedAt(file, "0.1.0")
	for _, tt := range []struct{ program, want string }{
		{"", "0.1.0"}, {"#!/bin/sh\necho hearthd 0.2.0\n", "0.2.0"}, {"", "0.2.0"}, {"#!/bin/sh\necho something else\n", "0.2.0"},
	} {
		if tt.program != "" {
			write(tt.program)
		}
		if got := ask(t.Context()); got != tt.want {
			t.Errorf("after %q the version is %s, want %s", tt.program, got, tt.want)
		}
	}
}
