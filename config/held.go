package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// heldFile is the copy of File in the folder of Hold.
const heldFile = "hearthd.yaml"

// Hold copies the files of a configuration without mistakes into a folder, for a start that finds mistakes in them.
func (s *Source) Hold(dir string) error {
	files, err := s.files()
	if err != nil || len(files) == 0 {
		return err
	}
	next := dir + ".new"
	err = errors.Join(os.RemoveAll(next), os.MkdirAll(filepath.Join(next, "conf.d"), 0o700))
	for _, f := range files {
		to := filepath.Join(next, "conf.d", filepath.Base(f))
		if f == s.File {
			to = filepath.Join(next, heldFile)
		}
		text, rerr := os.ReadFile(f)
		err = errors.Join(err, rerr, os.WriteFile(to, text, 0o600))
	}
	if err == nil {
		err = errors.Join(os.RemoveAll(dir), os.Rename(next, dir))
	}
	if err != nil {
		return fmt.Errorf("keep a copy of the configuration: %w", err)
	}
	return nil
}

// Held is the source of what Hold has copied.
func (s *Source) Held(dir string) Source {
	return Source{File: filepath.Join(dir, heldFile), Environ: s.Environ}
}
