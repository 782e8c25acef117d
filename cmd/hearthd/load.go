package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"hearthd/config"
)

const defaultConfig = "/etc/hearthd/hearthd.yaml"

// badConfig marks errors that a restart cannot solve.
type badConfig struct{ error }

func (b badConfig) Unwrap() error { return b.error }

// source is where the configuration is; if no file is named or installed, the embedded defaults
// hold.
func source(file string) config.Source {
	if file == "" {
		if _, err := os.Stat(defaultConfig); err == nil {
			file = defaultConfig
		}
	}
	return config.Source{File: file, Environ: os.Environ()}
}

func load(file string) (config.Config, error) {
	c, err := config.Load(source(file))
	if err != nil {
		return c, bad(err)
	}
	return c, nil
}

// bad marks the error of a configuration that cannot be used.
func bad(err error) error {
	if ps, ok := errors.AsType[config.Problems](err); ok {
		err = fmt.Errorf("%s in the configuration:\n%w", mistakes(len(ps)), err)
	}
	return badConfig{err}
}

func mistakes(n int) string {
	if n == 1 {
		return "1 mistake"
	}
	return fmt.Sprint(n, " mistakes")
}

// folders are systemd's for the service, and the user's own otherwise.
func folders() (state, run string, err error) {
	state, run = os.Getenv("STATE_DIRECTORY"), os.Getenv("RUNTIME_DIRECTORY")
	if state == "" {
		if state = "/var/lib/hearthd"; os.Geteuid() != 0 {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", "", fmt.Errorf("find state folder: %w", err)
			}
			state = filepath.Join(home, ".local", "state", "hearthd")
		}
	}
	if run == "" {
		run = "/run/hearthd"
		if own := os.Getenv("XDG_RUNTIME_DIR"); os.Geteuid() != 0 && own != "" {
			run = filepath.Join(own, "hearthd")
		}
	}
	return state, run, nil
}
