package sharing

import (
	"slices"
	"testing"

	"hearthd/config"
	"hearthd/tools/intent"
)

func TestNamesOfTheOtherBoxesStayTheHouseholds(t *testing.T) {
	m, err := intent.New(intent.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	p := &Peers{opt: Options{Config: &cfg.MQTT, Node: "bedroom", Names: m}}
	names := []string{"hall", "kitchen", "kitchen"}[:2] // as slices.Compact leaves them
	p.named(names)
	if !slices.Equal(names, []string{"hall", "kitchen"}) {
		t.Errorf("they are now %q", names)
	}
}
