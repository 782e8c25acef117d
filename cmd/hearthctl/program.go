package main

import (
	"os"
	"path/filepath"
)

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
