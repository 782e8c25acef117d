package sharing

import (
	"slices"
	"testing"

	"hearthd/config"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/peer"
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

func TestOfTwoBoxesInARoomTheOneThatIsOnIsMeant(t *testing.T) {
	box := func(node string, on bool, timers ...string) peer.Box {
		return peer.Box{Device: contract.Device{Node: node, Area: "Kitchen"}, Online: on, Timers: timers}
	}
	for _, c := range []struct {
		want string
		list []peer.Box
	}{
		{"kitchen-2", []peer.Box{box("kitchen", false, "tea"), box("kitchen-2", true)}},
		{"kitchen-2", []peer.Box{box("kitchen", true), box("kitchen-2", true, "tea")}},
		{"kitchen", []peer.Box{box("kitchen", false), box("kitchen-2", false)}},
		{"", []peer.Box{box("hall", true)}[:0]},
	} {
		b := meant(c.list, "kitchen", there, timing)
		if b == nil && c.want != "" || b != nil && b.Node != c.want {
			t.Errorf("%+v is meant of %+v", b, c.list)
		}
	}
}
