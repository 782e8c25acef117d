package responder

import (
	"testing"
	"time"

	"hearthd/config"
)

func TestRoutePolicyHoldsPerThinkerAndTimeOfDay(t *testing.T) {
	cfg := config.Default()
	cfg.Route = config.Route{
		Policy: "auto", AtHome: []string{"home"}, Hours: "06:00-23:00",
		ThinkerHours: []config.ThinkerHours{{Thinker: "research", Hours: "08:00-20:00"},
			{Thinker: "news", Hours: "22:00-07:00"}},
	}
	vienna, err := time.LoadLocation("Europe/Vienna")
	if err != nil {
		t.Fatal(err)
	}
	r := &Responder{opt: Options{Config: &cfg, Now: func() *config.Config { return &cfg }, Zone: vienna}}
	for _, tt := range []struct {
		clock, thinker string
		open, stays    bool
	}{
		{"07:59", "research", true, true},
		{"08:00", "research", true, false},
		{"19:59", "research", true, false},
		{"20:00", "research", true, true},
		{"06:30", "news", true, false},
		{"12:00", "news", true, true},
		{"22:30", "news", true, false},
		{"23:30", "news", false, false},
		{"12:00", "home", true, true},
		{"12:00", "weather", true, false},
	} {
		at, err := time.ParseInLocation("2006-01-02 15:04", "2026-11-21 "+tt.clock, vienna)
		if err != nil {
			t.Fatal(err)
		}
		// A clock of another zone shows the same moment.
		at = at.UTC()
		if open, stays := r.open(at), r.keeps(tt.thinker, at); open != tt.open || stays != tt.stays {
			t.Errorf("%s at %s: the responder is open: %v, it stays at home: %v", tt.thinker, tt.clock, open, stays)
		}
	}
}
