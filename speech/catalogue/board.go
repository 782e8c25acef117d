package catalogue

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"hearthd/config/letters"
)

// classes are the kinds of boards.
var classes = []string{"pi3", "pi4", "pi5", "pc"}

// Board is the machine that models are for.
type Board struct {
	Class    string `json:"class"`
	Name     string `json:"name"` // in its own words, or empty
	Arch     string `json:"arch"` // as Go says it
	MemoryMB int    `json:"memory_mb"`
	FreeMB   int    `json:"free_mb"` // that can be had without anything being swapped
}

// othersMB is what the system and hearthd need themselves.
const othersMB = 300

// Here is this machine, of which root has /proc.
func Here(root string) *Board {
	b := &Board{Class: "pc", Arch: runtime.GOARCH}
	if text, err := os.ReadFile(filepath.Join(root, "proc/device-tree/model")); err == nil {
		b.Name = letters.Plain(strings.TrimRight(string(text), "\x00"), 80)
	}
	for _, kind := range []struct{ name, class string }{
		{"Raspberry Pi 5", "pi5"}, {"Raspberry Pi Compute Module 5", "pi5"}, {"Raspberry Pi 500", "pi5"},
		{"Raspberry Pi 4", "pi4"}, {"Raspberry Pi Compute Module 4", "pi4"},
		{"Raspberry Pi 3", "pi3"}, {"Raspberry Pi Compute Module 3", "pi3"}, {"Raspberry Pi Zero 2", "pi3"},
	} {
		if strings.HasPrefix(b.Name, kind.name) {
			b.Class = kind.class
			break
		}
	}
	if text, err := os.ReadFile(filepath.Join(root, "proc/meminfo")); err == nil {
		for line := range strings.Lines(string(text)) {
			var kB int
			if _, err := fmt.Sscanf(line, "MemTotal: %d kB", &kB); err == nil {
				b.MemoryMB = kB * 1024 / 1_000_000
			}
			if _, err := fmt.Sscanf(line, "MemAvailable: %d kB", &kB); err == nil {
				b.FreeMB = kB * 1024 / 1_000_000
			}
		}
	}
	return b
}

// Refuse says why the model cannot run here, or nothing. A machine that tells nothing of its memory is not refused.
func (b *Board) Refuse(m *Model) string {
	if b.MemoryMB > 0 && m.MemoryMB()+othersMB > b.MemoryMB {
		return fmt.Sprintf("it takes about %d MB of memory and this machine has %d", m.MemoryMB(), b.MemoryMB)
	}
	return ""
}

// Doubt says why the model is not proposed here, or nothing.
func (b *Board) Doubt(m *Model) string {
	if why := b.Refuse(m); why != "" {
		return why
	}
	switch {
	case slices.Contains(m.Boards, b.Class):
		return ""
	case len(m.Boards) == 0:
		return "slow on every board; measure it"
	}
	return "slow on a " + map[string]string{"pi3": "Pi 3", "pi4": "Pi 4", "pi5": "Pi 5", "pc": "PC"}[b.Class] +
		"; measure it"
}
