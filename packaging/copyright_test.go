package packaging_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// wholeLicence is a phrase that a licence's text has, and what only names one has not.
var wholeLicence = regexp.MustCompile(`Permission is hereby granted|Permission to use, copy, modify|Redistribution and use in source|` +
	`TERMS AND CONDITIONS FOR USE|THE ACCOMPANYING PROGRAM IS PROVIDED UNDER|GNU (LESSER )?GENERAL PUBLIC LICENSE|in the public domain`)

// What is linked is looked for by its words, and not by the names that the script knows.
func TestTheTextOfEveryLicenceIsShipped(t *testing.T) {
	cmd := exec.Command("./copyright.sh")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	shipped := plain(string(out))
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}} {{$.Dir}}{{end}}{{end}}", "./cmd/...")
	list.Dir, list.Env = "..", append(os.Environ(), "CGO_ENABLED=1")
	packages, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for line := range strings.Lines(string(packages)) {
		var path, root, dir string
		if f := strings.Fields(line); len(f) == 3 {
			path, root, dir = f[0], f[1], f[2]
		} else {
			continue
		}
		for ; !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			if !strings.Contains(string(out), "\n"+path+" ") {
				t.Errorf("%s is not named", path)
			}
			for _, file := range licences(t, dir) {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				apache := strings.HasPrefix(plain(string(text)), "Apache License")
				if !apache && !strings.Contains(shipped, plain(string(text))) {
					t.Errorf("%s: %s is not shipped", path, file)
				}
			}
			if dir == root {
				break
			}
		}
	}
	if len(seen) < 50 {
		t.Fatalf("found %d folders", len(seen))
	}
	for _, text := range []string{"Eclipse Public License - v 2.0", "Eclipse Distribution License - v 1.0"} {
		if !strings.Contains(shipped, text) {
			t.Errorf("paho's %s is not shipped", text)
		}
	}
}

// licences are the files of a folder that hold the text of a licence.
func licences(t *testing.T, dir string) (files []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		switch ext := filepath.Ext(e.Name()); {
		case !e.Type().IsRegular(), ext == ".go", ext == ".c", ext == ".h", ext == ".s", strings.HasPrefix(strings.ToLower(e.Name()), "readme"):
			continue
		}
		file := filepath.Join(dir, e.Name())
		if info, err := e.Info(); err != nil || info.Size() > 1<<20 {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if wholeLicence.Match(text) {
			files = append(files, file)
		}
	}
	return files
}

func plain(text string) string { return strings.Join(strings.Fields(text), " ") }
