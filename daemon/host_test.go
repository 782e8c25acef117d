package daemon

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"hearthd/config"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/refusal"
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

// A program that cancels one of several timers learns that none was, and which there are.
func TestTimerThatCouldBeAnyOfSeveralIsRefused(t *testing.T) {
	x := host{h: fullHouse(t, func(*config.Config) {})}
	for _, label := range []string{"pasta", "rice"} {
		if _, err := x.Timer(t.Context(), mqtt.TimerOrder{Action: "set", Seconds: 600, Label: label}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := x.Timer(t.Context(), mqtt.TimerOrder{Action: "cancel"})
	if refused := refusal.Error(""); !errors.As(err, &refused) || !strings.Contains(err.Error(), "pasta") {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := x.Timer(t.Context(), mqtt.TimerOrder{Action: "cancel", Label: "pasta"}); err != nil {
		t.Errorf("%q, %v", text, err)
	}
}
