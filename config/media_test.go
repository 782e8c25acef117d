package config

import (
	"strings"
	"testing"
)

func TestSourcesOfMediaAreChecked(t *testing.T) {
	spotify := MediaSource{Name: "Spotify", Command: []string{"librespot", "--backend", "pipe"}}
	airplay := MediaSource{Name: "AirPlay", FIFO: "/run/airplay", Rate: 48000, Format: "s32le", Channels: 1,
		When: "always", Clock: "program"}
	c := Default()
	c.Media.Sources = []MediaSource{spotify, airplay}
	if p := c.Validate(); len(p) > 0 {
		t.Errorf("good sources: %v", p)
	}
	for want, spoil := range map[string]func(*MediaSource){
		"media.sources[0].name":      func(s *MediaSource) { s.Name = "" },
		"stands twice":               func(s *MediaSource) { s.Name = "airplay" },
		"either a command or a fifo": func(s *MediaSource) { s.FIFO = "/run/b" },
		"must be an absolute path":   func(s *MediaSource) { s.Command = []string{"./librespot"} },
		"media.sources[0].rate":      func(s *MediaSource) { s.Rate = 44099 },
		"media.sources[0].format":    func(s *MediaSource) { s.Format = "f32le" },
		"media.sources[0].channels":  func(s *MediaSource) { s.Channels = 9 },
		"media.sources[0].when":      func(s *MediaSource) { s.When = "sometimes" },
		"media.sources[0].clock":     func(s *MediaSource) { s.Clock = "mine" },
	} {
		bad := spotify
		spoil(&bad)
		c.Media.Sources = []MediaSource{bad, airplay}
		if got := c.Validate().Error(); !strings.Contains(got, want) {
			t.Errorf("want a problem with %s: %v", want, got)
		}
	}
}
