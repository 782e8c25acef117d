package ctl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Where the package puts hearthd's files.
const (
	Account      = "hearthd" // of the service, and its unit
	ConfigFile   = "/etc/hearthd/hearthd.yaml"
	Credentials  = "/etc/credstore"
	ServiceState = "/var/lib/hearthd"
)

// StateFolder is that of the service, or, where there is none, of the user's own daemon.
func StateFolder() string {
	home, err := os.UserHomeDir()
	if err != nil || os.Geteuid() == 0 || Exists(ServiceState) {
		return ServiceState
	}
	return filepath.Join(home, ".local", "state", "hearthd")
}

// Service reports whether the hearthd of a configuration is the service of this machine, and its caller may start and
// stop it.
func (c *Client) Service(ctx context.Context, config string) bool {
	return config == ConfigFile && c.Socket == "" && os.Geteuid() == 0 &&
		exec.CommandContext(ctx, "systemctl", "cat", Account+".service").Run() == nil
}

// Systemctl gives the reason of what failed in one line.
func Systemctl(ctx context.Context, args ...string) error {
	out, err := exec.CommandContext(ctx, "systemctl", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("systemctl %s: %w: %s", strings.Join(args, " "), err, Visible(string(out[:min(len(out), 300)])))
	}
	return nil
}

// Exists reports whether something is at path, or cannot be ruled out.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Program is the program of hearthd: the one beside hearthctl, or else where PATH has it.
func Program() string {
	if self, err := os.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(self), "hearthd"); isProgram(beside) {
			return beside
		}
	}
	return "hearthd"
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
