package devices

import (
	"path/filepath"
	"testing"

	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/memory"
	"hearthd/rigs/memorytest"
	"hearthd/tools/home"
)

func TestOwnersMarkHoldsAtOnceAndOverARestart(t *testing.T) {
	can := map[home.Key]bool{home.Main: true}
	from := &dollhouse{changed: make(chan struct{}), devices: []home.Entity{
		{ID: "switch.garage", Kind: home.Switch, Name: "Garage", Can: can},
		{ID: "switch.bees", Kind: home.Switch, Name: "Beehive", Can: can},
		{ID: "lock.front", Kind: home.Lock, Name: "Front door", Can: can},
	}}
	path := filepath.Join(t.TempDir(), "hearthd.db")
	cfg := config.Default()
	begin := func() (*Devices, *memory.Store) {
		store := memorytest.OpenAt(t, path)
		v, err := New(t.Context(), Options{Source: from, Config: &cfg.Tools.Home,
			Now: func() *config.Config { return &cfg }, Store: store})
		if err != nil {
			t.Fatal(err)
		}
		return v, store
	}
	held := func(by *Devices) map[string]api.Entrance {
		all := map[string]api.Entrance{}
		list, _ := by.List()
		for _, d := range list {
			if d.Entrance != nil {
				all[d.ID] = *d.Entrance
			}
		}
		return all
	}
	by, store := begin()
	if got := held(by); len(got) != 2 || !got["switch.garage"].Is || got["lock.front"].Why != "it is a lock" {
		t.Errorf("unmarked: %v", got)
	}
	yes, no := true, false
	for id, is := range map[string]*bool{"switch.garage": &no, "switch.bees": &yes} {
		if err := by.SetEntrance(t.Context(), id, is); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	again, store := begin()
	defer store.Close()
	for _, b := range []*Devices{by, again} {
		if got := held(b); got["switch.garage"].Is || !got["switch.garage"].Marked || !got["switch.bees"].Is {
			t.Errorf("marked: %v", got)
		}
	}
	if err := again.SetEntrance(t.Context(), "switch.garage", nil); err != nil {
		t.Fatal(err)
	}
	cfg.Tools.Home.NoEntrances = []string{"front door", "beehive"}
	if got := held(again); !got["switch.garage"].Is || got["lock.front"].Is || !got["switch.bees"].Is {
		t.Errorf("with a list in the configuration, which comes after what was marked by hand: %v", got)
	}
}

func TestEntrancesAreNotMarkedWhereThereAreNoDevices(t *testing.T) {
	by := &Devices{}
	if err := by.SetEntrance(t.Context(), "x", new(bool)); err == nil {
		t.Error("it was marked")
	}
}
