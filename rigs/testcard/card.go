package testcard

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Rate is the only sample rate of the card, in samples per second: what most
// real cards run at.
const Rate = 48000

// The names of the card's PCMs. PCM is also what "default" stands for.
const (
	PCM    = "testcard"        // one channel
	Stereo = "testcard_stereo" // two channels and nothing else, as many real cards
)

// compileLimit bounds one run of the C compiler, which takes half a second.
const compileLimit = time.Minute

//go:embed plugin/testcard.c
var source []byte

// Card is one virtual sound card in a folder.
type Card struct {
	dir      string
	room     int // 1: the card is in one
	overruns atomic.Int64
}

// Build makes a card in dir, which must exist: it compiles the plugin unless
// dir holds it already, and writes the ALSA configuration, the control files and
// the microphone's FIFO. An earlier speaker file is removed.
//
// Build needs a C compiler named cc and ALSA's headers (Debian: gcc,
// libasound2-dev).
func Build(ctx context.Context, dir string) (*Card, error) { return build(ctx, dir, 0) }

// BuildInRoom is Build of a card whose microphone hears the speaker 14 dB softer, and
// three walls. Both have one clock, which waits for whoever writes the microphone.
func BuildInRoom(ctx context.Context, dir string) (*Card, error) { return build(ctx, dir, 1) }

func build(ctx context.Context, dir string, room int) (*Card, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("build test card: %w", err)
	}
	if strings.ContainsAny(dir, "\"\\\n") {
		return nil, fmt.Errorf("build test card in %q: ALSA's configuration cannot name this folder", dir)
	}
	c := &Card{dir: dir, room: room}
	plugin, err := c.compile(ctx)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(c.path("asound.conf"), []byte(c.config(plugin)), 0o644); err != nil {
		return nil, fmt.Errorf("build test card: %w", err)
	}
	if err := errors.Join(c.BreakCapture(Healthy), c.BreakPlayback(Healthy)); err != nil {
		return nil, err
	}
	for _, old := range []string{c.SpeakerPath(), c.path(microphone)} {
		if err := os.Remove(old); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("build test card: %w", err)
		}
	}
	if err := unix.Mkfifo(c.path(microphone), 0o600); err != nil {
		return nil, fmt.Errorf("make fifo %q: %w", c.path(microphone), err)
	}
	return c, nil
}

// compile returns the path of the plugin for this source, made if need be.
func (c *Card) compile(ctx context.Context) (string, error) {
	sum := sha256.Sum256(source)
	plugin := c.path("testcard-" + hex.EncodeToString(sum[:6]) + ".so")
	if _, err := os.Stat(plugin); err == nil {
		return plugin, nil
	}
	ctx, cancel := context.WithTimeout(ctx, compileLimit)
	defer cancel()
	half := fmt.Sprintf("%s.%d", plugin, os.Getpid()) // two processes may build in one folder
	cmd := exec.CommandContext(ctx, "cc", "-O2", "-Wall", "-fPIC", "-DPIC", "-shared",
		"-x", "c", "-o", half, "-", "-lasound")
	cmd.Stdin = strings.NewReader(string(source))
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("compile test card (needs gcc and libasound2-dev): %w: %.2000s", err, out)
	}
	if err := os.Rename(half, plugin); err != nil {
		return "", fmt.Errorf("compile test card: %w", err)
	}
	return plugin, nil
}

// config is the whole ALSA configuration of a process that uses the card. The
// system's is left out, because it loads the user's own, which may redefine
// "default"; so names like hw: and plughw: do not exist beside the card.
func (c *Card) config(plugin string) string {
	pcm := func(name string, channels int) string {
		return fmt.Sprintf(`pcm.%s {
	type testcard
	rate %d
	channels %d
	infile "%s"
	outfile "%s"
	capture_fault "%s"
	playback_fault "%s"
	room %d
}
`, name, Rate, channels, c.path(microphone), c.SpeakerPath(), c.path(captureFault), c.path(playbackFault), c.room)
	}
	return fmt.Sprintf("pcm_type.testcard.lib \"%s\"\n", plugin) + pcm(PCM, 1) + pcm(Stereo, 2) +
		fmt.Sprintf("pcm.default {\n\ttype plug\n\tslave.pcm \"%s\"\n}\n"+
			"pcm.null {\n\ttype null\n}\npcm.instant {\n\ttype null\n}\n", PCM)
}

// Environ is what a process must have in its environment to find the card. ALSA
// reads it when the first device is opened.
func (c *Card) Environ() []string {
	return []string{"ALSA_CONFIG_PATH=" + c.path("asound.conf")}
}

// Setenv puts the card into this process's own environment.
func (c *Card) Setenv() error {
	for _, kv := range c.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		if err := os.Setenv(name, value); err != nil {
			return fmt.Errorf("set environment: %w", err)
		}
	}
	return nil
}

// SpeakerPath names the file that the card plays into: raw mono S16 at Rate,
// appended to in real time while a playback device is open.
func (c *Card) SpeakerPath() string { return c.path("speaker.raw") }

func (c *Card) path(name string) string { return filepath.Join(c.dir, name) }
