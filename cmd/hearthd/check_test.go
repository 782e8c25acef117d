package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// asMain makes this test's binary hearthd itself.
const asMain = "HEARTHD_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// household is a configuration in a new folder; what it names is there.
func household(t *testing.T) (dir, file string) {
	t.Helper()
	dir = t.TempDir()
	file = filepath.Join(dir, "hearthd.yaml")
	for _, sub := range []string{"conf.d", "tools.d", "thinkers.d", "intents/en", "intents"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	text := "tools: {dir: DIR/tools.d, intents: {dir: DIR/intents}, news: {key: \"file:DIR/key\"}}\n" +
		"stt: {engine: command, command: {argv: [\"true\"]}}\nthinker: {dir: DIR/thinkers.d}\nwake: {words: [{model: " +
		"DIR/word.json}]}\nlisten: {detector: silero, silero: DIR/silero.onnx}\n"
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "DIR", dir)), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, file
}

// A pipe would wait for its writer, and a device has no end.
func TestCheckConfigReadsFilesOnly(t *testing.T) {
	kinds := map[string]func(path string) error{
		"a named pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a device":     func(path string) error { return os.Symlink("/dev/zero", path) },
		"a folder":     func(path string) error { return os.Mkdir(path, 0o700) },
		"a socket": func(path string) error {
			l, err := net.Listen("unix", path)
			if err == nil {
				t.Cleanup(func() { l.Close() })
			}
			return err
		},
	}
	for _, name := range []string{"hearthd.yaml", "conf.d/a.yaml", "key", "tools.d/a.yaml", "tools.d/a.json",
		"intents/en/a.yaml", "word.json", "silero.onnx"} {
		for kind, make := range kinds {
			dir, file := household(t)
			path := filepath.Join(dir, name)
			_ = os.Remove(path)
			if err := make(path); err != nil {
				t.Fatal(err)
			}
			cmd := root(io.Discard)
			cmd.SetArgs([]string{"check-config", "--config", file})
			err := cmd.ExecuteContext(t.Context())
			if err == nil || !strings.Contains(err.Error(), kind) ||
				!strings.Contains(err.Error(), filepath.Base(path)) {
				t.Errorf("%s is %s: %v", name, kind, err)
			}
		}
	}
}

func TestCheckConfigEndsWithASignal(t *testing.T) {
	if _, err := os.Stat("/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict"); err != nil {
		t.Skip("Debian package pocketsphinx-en-us: ", err)
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		dir := t.TempDir()
		begun := filepath.Join(dir, "begun")
		if err := syscall.Mkfifo(begun, 0o600); err != nil {
			t.Fatal(err)
		}
		program := filepath.Join(dir, "pocketsphinx_batch")
		if err := os.WriteFile(program, []byte("#!/bin/sh\necho >"+begun+"\nexec sleep 1000\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		config := filepath.Join(dir, "hearthd.yaml")
		if err := os.WriteFile(config, []byte("node: a\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0], "check-config", "--config", config)
		cmd.Env = append(os.Environ(), asMain+"=1", "PATH="+dir+":"+os.Getenv("PATH"), "TMPDIR="+dir)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.ReadFile(begun); err != nil { // until the recogniser runs
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil || !strings.Contains(stderr.String(), "check configuration: ") {
			t.Errorf("%v: %v: %s", signal, err, &stderr)
		}
		if left, err := filepath.Glob(filepath.Join(dir, "try-*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}
