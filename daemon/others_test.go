package daemon

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
	d := &base{cfg: &cfg, node: "bedroom"}
	names := []string{"hall", "kitchen", "kitchen"}[:2] // as slices.Compact leaves them
	d.boxesNamed(newMatching(m, nil), names)
	if !slices.Equal(names, []string{"hall", "kitchen"}) {
		t.Errorf("they are now %q", names)
	}
}
