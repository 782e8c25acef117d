package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// python is OpenAI's Python library, at the version that has GPT-Live whole.
const python = "openai[realtime]==3.57.0"

// theirPython is an interpreter that has the library. pip fetches it once, into the cache of the user.
func theirPython(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	check(t, err)
	venv := filepath.Join(cache, "hearthd-oracle", python)
	interpreter := filepath.Join(venv, "bin", "python")
	if _, err := os.Stat(filepath.Join(venv, "whole")); err == nil {
		return interpreter
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	python3, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed (Debian: python3-venv)")
	}
	for _, step := range [][]string{{python3, "-m", "venv", venv}, {interpreter, "-m", "pip", "install", "-q", python}} {
		if out, err := exec.CommandContext(t.Context(), step[0], step[1:]...).CombinedOutput(); err != nil {
			t.Skipf("%s cannot be installed (Debian: python3-venv, and a way to PyPI): %v\n%s", python, err, out)
		}
	}
	check(t, os.WriteFile(filepath.Join(venv, "whole"), nil, 0o600))
	return interpreter
}

// runPython runs client.py and returns how many events of each type there were.
func runPython(t *testing.T, in []byte, args ...string) map[string]int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), theirPython(t), append([]string{"client.py"}, args...)...)
	cmd.WaitDelay = time.Second
	cmd.Stdin = bytes.NewReader(in)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("client.py %q: %v\n%s", args, err, said.String())
	}
	var kinds map[string]int
	check(t, json.Unmarshal(out, &kinds))
	t.Log(kinds)
	return kinds
}

// theirPythonReads checks that the published types read all that a server was sent.
func theirPythonReads(t *testing.T, protocol string, events []json.RawMessage) {
	t.Helper()
	var lines bytes.Buffer
	for _, e := range events {
		check(t, json.Compact(&lines, e))
		lines.WriteByte('\n')
	}
	runPython(t, lines.Bytes(), "read", protocol)
}
