package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Where the package puts what is hearthd's.
const (
	account           = "hearthd" // of the service, and its unit
	defaultConfigFile = "/etc/hearthd/hearthd.yaml"
	credstore         = "/etc/credstore"
	stateOfAll        = "/var/lib/hearthd"
)

// stateFolder is that of the service, or, where there is none, of the user's own daemon.
func stateFolder() string {
	home, err := os.UserHomeDir()
	if err != nil || os.Geteuid() == 0 || there(stateOfAll) {
		return stateOfAll
	}
	return filepath.Join(home, ".local", "state", "hearthd")
}

// there reports whether something is at path, or may be.
func there(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// hearthdProgram is the one beside hearthctl, or else where PATH has it.
func hearthdProgram() string {
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
