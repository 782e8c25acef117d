package daemon

import (
	"context"
	"log/slog"
	"os"
	"time"

	"hearthd/config"
	"hearthd/daemon/doctor"
	"hearthd/systemd"
)

// Options is what the daemon is given by its main.
type Options struct {
	Config     config.Config
	Version    string
	StateDir   string // the store
	RuntimeDir string // the control socket, working files of engines
	Log        *slog.Logger
	Notifier   *systemd.Notifier
	Watchdog   time.Duration   // interval that systemd asks for, or 0
	Sockets    systemd.Sockets // passed by systemd: the listener "control", and streams of events

	// Probe makes a check of hearthctl doctor with parts of its own.
	Probe func(ctx context.Context, c *config.Config, check string, cold bool) ([]doctor.Finding, error)

	// File is where Config is from, and Origins where in it; Load reads it anew. Nil:
	// nothing is reloaded.
	File    string
	Origins config.Origins
	Load    func() (config.Config, config.Origins, error)
	Hangup  <-chan os.Signal // asks for a reload
	Level   *slog.LevelVar   // of Log; nil: it stays
}
