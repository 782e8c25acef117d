package tools

import (
	"encoding/json"
	"os"
	"path/filepath"

	"hearthd/config/input"
)

// Program is what a manifest would have run.
type Program struct {
	File    string
	Command []string // nil: it cannot be read, so that it runs nothing
	Env     []string // names of the variables that it sets
}

// Programs returns what each manifest of a folder would have run, valid or not: a tool that lacks a
// program today may find it tomorrow.
func Programs(dir string) ([]Program, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []Program
	for _, e := range entries {
		if isManifest(e.Name()) {
			list = append(list, programOf(filepath.Join(dir, e.Name())))
		}
	}
	return list, nil
}

func programOf(path string) Program {
	p := Program{File: path}
	data, err := input.ReadFile(path, maxManifest)
	if err != nil {
		return p
	}
	doc, mistakes := parseObject(path, data)
	if len(mistakes) > 0 {
		return p
	}
	var env map[string]any
	if json.Unmarshal(doc.fields["command"].raw, &p.Command) != nil {
		return p
	}
	if json.Unmarshal(doc.fields["env"].raw, &env) == nil {
		for name := range env {
			p.Env = append(p.Env, name)
		}
	}
	return p
}
