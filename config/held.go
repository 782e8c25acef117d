package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"hearthd/config/files"
)

// heldFile is the copy of File in the folder of Hold.
const heldFile = "hearthd.yaml"

// Hold copies the files of a configuration without mistakes into a folder, for a start that finds mistakes in them. It
// writes nothing where they are there already.
func (s *Source) Hold(dir string) error {
	now, err := s.texts()
	if err != nil || len(now) == 0 {
		return err
	}
	held := s.Held(dir)
	if was, err := held.texts(); err == nil && maps.EqualFunc(now, was, bytes.Equal) {
		return nil
	}
	next := dir + ".new"
	err = errors.Join(os.RemoveAll(next), os.MkdirAll(next, 0o700))
	for name, text := range now {
		err = errors.Join(err, files.Write(filepath.Join(next, name), text, 0o600))
	}
	if err == nil {
		err = errors.Join(os.RemoveAll(dir), os.Rename(next, dir), files.Sync(filepath.Dir(dir)))
	}
	if err != nil {
		return fmt.Errorf("keep a copy of the configuration: %w", err)
	}
	return nil
}

// texts are the files of s, by their names in the folder of Hold.
func (s *Source) texts() (map[string][]byte, error) {
	list, err := s.files()
	if err != nil {
		return nil, err
	}
	texts := make(map[string][]byte, len(list))
	for _, f := range list {
		name := filepath.Join("conf.d", filepath.Base(f))
		if f == s.File {
			name = heldFile
		}
		if texts[name], err = os.ReadFile(f); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// Held is the source of what Hold has copied.
func (s *Source) Held(dir string) Source {
	return Source{File: filepath.Join(dir, heldFile), Environ: s.Environ}
}
