package daemon

import (
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
