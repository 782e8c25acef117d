package input

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestOnlyFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := unix.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.WriteFile(at("big"), make([]byte, 101), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("good"), make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pipe", at("link")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"pipe": "a named pipe", "socket": "a socket", "big": "more than 100 bytes", "good": "", "link": "a named pipe",
		".": "a folder", "none": "no such file", "../../../../../../../../dev/zero": "a device",
	} {
		_, err := ReadFile(at(name), 100)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(name, "..") {
			continue
		}
		_, err = ReadFS(os.DirFS(dir), name, 100)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s in a file system: %v", name, err)
		}
	}
}
