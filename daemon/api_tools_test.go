package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/ears"
	"hearthd/daemon/engines"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/refusal"
	"hearthd/systemd"
)

// idleEars are those of a configuration, which hear nothing.
func idleEars(t *testing.T, c *config.Config) *ears.Ears {
	t.Helper()
	conditions, log := health.New(event.NewBus()), slog.New(slog.DiscardHandler)
	m, err := ears.NewMicrophone(ears.MicrophoneOptions{Device: "none", Conditions: conditions, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	setup := engines.Ears(c, t.TempDir())
	e, err := ears.New(ears.Options{
		Setup: setup, Microphone: m, Sense: ears.NewSense(&setup), Speaking: func() bool { return false },
		Conditions: conditions, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestGateIsTunedWithinWhatTheConfigurationTakes(t *testing.T) {
	c := config.Default()
	b := &base{cfg: &c}
	r := &reloader{base: b, ears: idleEars(t, &c), guests: &guests{}}
	by := apiChanges{host: host{base: b}, reloads: r}
	h := by.Hearing()
	if h != (api.Hearing{Threshold: 0.5, Release: 0.35, PreRollMS: 400, MinMS: 250, SilenceMS: 700, LongestMS: 15000,
		Configured: true}) {
		t.Fatalf("it begins with %+v", h)
	}
	h.Threshold, h.SilenceMS = 0.7, 900
	if err := by.Tune(h); err != nil {
		t.Fatal(err)
	}
	h.Configured = false
	if got := by.Hearing(); got != h {
		t.Errorf("tuned to %+v, it is %+v", h, got)
	}
	if from := r.origins.Of("listen.threshold"); from != "the console" {
		t.Errorf("listen.threshold is from %q", from)
	}
	if from := r.origins.Of("listen.release"); from != "default" {
		t.Errorf("listen.release is from %q", from)
	}
	for _, bad := range []api.Hearing{{}, {Threshold: 2, Release: 0.3, PreRollMS: 400, MinMS: 250, SilenceMS: 700,
		LongestMS: 15000},
		{Threshold: 0.5, Release: 0.3, PreRollMS: 1 << 60, MinMS: 250, SilenceMS: 700, LongestMS: 15000},
		{Threshold: 0.5, Release: 0.3, PreRollMS: 400, MinMS: 250, SilenceMS: -1, LongestMS: 15000}} {
		if err := by.Tune(bad); err == nil || !strings.HasPrefix(err.Error(), "listen.") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if got := by.Hearing(); got != h {
		t.Errorf("after mistakes it is %+v", got)
	}
}

// Whoever asks for a reload while hearthd starts does not have systemd believe that it
// hears already.
func TestReloadDoesNotTellThatHearthdIsReady(t *testing.T) {
	at := filepath.Join(t.TempDir(), "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: at, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	d := bare()
	up := make(chan struct{})
	d.opt.Notifier = systemd.NewNotifier(at)
	d.opt.Load = func() (config.Config, config.Origins, error) {
		return config.Config{}, nil, config.Problems{{Key: "node", Reason: "is wrong"}}
	}
	r := &reloader{base: d.base, up: up}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out, err := r.Reload(ctx); err == nil {
		t.Errorf("before hearthd is up: %+v", out)
	}
	if err := manager.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1000)
	if n, err := manager.Read(buf); err == nil {
		t.Errorf("systemd is told %q", buf[:n])
	}
	close(up)
	if out, err := r.Reload(t.Context()); err != nil || len(out.Problems) != 1 {
		t.Errorf("afterwards: %+v, %v", out, err)
	}
}

func TestInstallationIsAskedForWhereAUnitWaitsForThat(t *testing.T) {
	log, b := filepath.Join(t.TempDir(), "log"), apiChanges{host: host{base: &base{opt: Options{RuntimeDir: t.TempDir()}}}}
	t.Setenv(installLog, "")
	var refused refusal.Error
	if err := b.InstallSpeech(); !errors.As(err, &refused) {
		t.Errorf("without the unit: %v", err)
	}
	t.Setenv(installLog, log)
	if err := b.InstallSpeech(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(b.opt.RuntimeDir, installRequest)); err != nil {
		t.Error(err)
	}
	c := config.Default()
	if got, err := speechEngines(&c, t.TempDir()); err != nil || !got.Installs || got.Log != nil {
		t.Errorf("%+v, %v", got, err)
	}
	if err := os.WriteFile(log, []byte("The library is installed.\nhearthctl: the disk is full\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := speechEngines(&c, t.TempDir())
	if d := cmp.Diff([]string{"The library is installed.", "hearthctl: the disk is full"}, got.Log); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
}

func TestEnginesAndModelsOfTheBoxAreTold(t *testing.T) {
	c, state := config.Default(), t.TempDir()
	got, err := speechEngines(&c, state)
	if err != nil || got.Hears != c.STT.Engine || got.Models == nil || len(got.Models) != 0 || got.Command == "" {
		t.Errorf("%+v, %v", got, err)
	}
	for name, text := range map[string]string{
		"models/ears/model.yaml":  "kind: whisper\nrate: 16000\nfiles: {encoder: a, decoder: a, tokens: a}\n",
		"models/ears/a":           "",
		"models/mouth/model.yaml": "kind: piper\nrate: 22050\nlanguages: [de]\nfiles: {model: a, tokens: a}\n",
		"models/mouth/a":          "",
		"models/torn/model.yaml":  "kind: parrot\n",
		"use.yaml":                "speak: {de: mouth/amy}\n",
	} {
		path := filepath.Join(state, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	got, err = speechEngines(&c, state)
	if d := cmp.Diff([]api.SpeechModel{{Name: "ears", Task: "hear", Languages: []string{}},
		{Name: "mouth", Task: "speak", Languages: []string{"de"}, Used: true}}, got.Models); d != "" || err != nil ||
		!strings.Contains(got.Mistake, "parrot") {
		t.Errorf("%v, %q\n%s", err, got.Mistake, d)
	}
}
