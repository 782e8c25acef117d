package music

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/llm"
	"hearthd/media"
	"hearthd/rigs/memorytest"
	"hearthd/tools/intent"
)

// air sends a hiss, but from a station that is dead.
type air struct{}

func (air) Open(ctx context.Context, it media.Item, _ time.Duration, _ int, _ func(string)) (io.ReadCloser, error) {
	if it.Station == "Dead" {
		return nil, media.Gone
	}
	return hiss{ctx}, nil
}

type hiss struct{ ctx context.Context }

func (h hiss) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(i)
	}
	return len(p), h.ctx.Err()
}

func (h hiss) Close() error { return nil }

type nobody struct{}

func (nobody) SetNames(string, []intent.Name) {}

func TestAStationWakesSoftlyAndADeadOneOrASpeakerThatIsTurnedDownDoesNot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stations.yaml")
	list := "stations: [{name: Dead, url: 'http://d/'}, {name: FM4, url: 'http://f/'}, {name: Talk, url: 'http://t/', podcast: true}]"
	if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	store := memorytest.Open(t)
	synctest.Test(t, func(t *testing.T) {
		mixer, log, bus := audio.NewMixer(80), slog.New(slog.DiscardHandler), event.NewBus()
		mixer.SetRate(8000)
		m, err := New(t.Context(), Options{
			Mixer: mixer, Wake: func() {}, Source: air{}, Decoder: "true", Stations: file, Store: store, Volume: 50,
			Sentence: func(media.Item, error) string { return "" }, Matcher: nobody{},
			Announce:   func(context.Context, llm.Ask, string, bool) error { return nil },
			Conditions: health.New(bus), Bus: bus, Log: log,
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- m.Player.Run(ctx) }()
		for said, want := range map[string]string{"radio": "Dead", "fm4": "FM4", "talk": "", "fm5": ""} {
			if got, ok := m.Station(said); got != want || ok != (want != "") {
				t.Errorf("%s: %q, %v", said, got, ok)
			}
		}
		if err := m.WakeWith(ctx, "Dead"); err == nil || m.Now().State != media.Stopped {
			t.Errorf("%v, %+v", err, m.Now())
		}
		if err := m.WakeWith(ctx, "FM4"); err != nil {
			t.Fatal(err)
		}
		if got := mixer.Media().Volume(); got != 50*softest/100 {
			t.Errorf("begins at %d percent", got)
		}
		if sounds, ended := m.Waking(); !sounds || ended {
			t.Errorf("sounds %v, ended %v", sounds, ended)
		}
		if m.Swell(100); mixer.Media().Volume() != 50 {
			t.Errorf("ends at %d percent", mixer.Media().Volume())
		}
		if got, _ := m.Station("radio"); got != "FM4" {
			t.Errorf("the radio is %s, which was not heard last", got)
		}
		m.Pause()
		if sounds, ended := m.Waking(); sounds || !ended {
			t.Errorf("sounds %v, ended %v", sounds, ended)
		}
		if mixer.SetVolume(5); m.WakeWith(ctx, "FM4") == nil {
			t.Error("nobody hears it")
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
