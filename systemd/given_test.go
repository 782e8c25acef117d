package systemd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestCredentialIsReadWithoutItsLineBreak(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CREDENTIALS_DIRECTORY", dir)
	if err := os.WriteFile(filepath.Join(dir, "hearthd.mqtt"), []byte("s3cret \r\n"), 0o400); err != nil {
		t.Fatal(err)
	}
	if got, err := Credential("hearthd.mqtt"); got != "s3cret " || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestAbsentCredentialIsASentinel(t *testing.T) {
	t.Setenv("CREDENTIALS_DIRECTORY", t.TempDir())
	if _, err := Credential("hearthd.openai"); !errors.Is(err, ErrNoCredential) {
		t.Errorf("got %v", err)
	}
	t.Setenv("CREDENTIALS_DIRECTORY", "")
	if _, err := Credential("hearthd.openai"); !errors.Is(err, ErrNoCredential) {
		t.Errorf("without systemd: got %v", err)
	}
}

func TestCredentialStaysInItsFolderAndItsBounds(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CREDENTIALS_DIRECTORY", dir)
	if err := os.WriteFile(filepath.Join(dir, "big"), bytes.Repeat([]byte("secret"), maxCredential),
		0o400); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", ".", "..", "../big", "/etc/passwd", "a\x00b", "big"} {
		got, err := Credential(name)
		if err == nil || got != "" || errors.Is(err, ErrNoCredential) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %d bytes, %v", name, len(got), err)
		}
	}
}

// TestListenersAreTakenOverByName runs this test binary again as systemd would
// start the daemon: sockets from descriptor 3 on, their names in the environment.
func TestListenersAreTakenOverByName(t *testing.T) {
	socket := listenFile(t)
	for names, want := range map[string]string{
		"control":         "control:unix\n",
		"":                "",
		"control:control": "refused\n",
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestActivatedProcess$")
		cmd.Env = append(os.Environ(), "HEARTHD_TEST_ACTIVATED=1", "LISTEN_FDNAMES="+names)
		for range len(strings.FieldsFunc(names, func(r rune) bool { return r == ':' })) {
			cmd.ExtraFiles = append(cmd.ExtraFiles, socket)
		}
		cmd.Env = append(cmd.Env, "LISTEN_FDS="+strconv.Itoa(len(cmd.ExtraFiles)))
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if got, _, _ := strings.Cut(string(out), "PASS"); got != want {
			t.Errorf("%q: took over %q, want %q", names, got, want)
		}
	}
}

func TestActivatedProcess(t *testing.T) {
	if os.Getenv("HEARTHD_TEST_ACTIVATED") == "" {
		t.Skip("runs inside TestListenersAreTakenOverByName")
	}
	t.Setenv("LISTEN_PID", strconv.Itoa(os.Getpid())) // systemd sets it between fork and exec
	passed, err := Passed()
	if err != nil {
		fmt.Println("refused")
	}
	for name, l := range passed.Listeners {
		fmt.Println(name + ":" + l.Addr().Network())
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	for name, cs := range passed.Connections {
		for _, c := range cs {
			_, err := io.WriteString(c, name)
			if err := errors.Join(err, c.Close()); err != nil {
				t.Error(err)
			}
		}
	}
	if os.Getenv("LISTEN_FDS") != "" {
		t.Error("children would inherit LISTEN_FDS")
	}
}

// TestStoredConnectionReachesTheNextProcess plays systemd: it takes what is stored, and
// passes it on.
func TestStoredConnectionReachesTheNextProcess(t *testing.T) {
	p := listenPeer(t)
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	client, server := connOf(t, pair[0]), connOf(t, pair[1])
	if err := NewNotifier(p.path).Store("events", server); err != nil {
		t.Fatal(err)
	}
	server.Close()
	text, rights := make([]byte, 256), make([]byte, 256)
	n, k, _, _, err := p.conn.ReadMsgUnix(text, rights)
	if err != nil || string(text[:n]) != "FDSTORE=1\nFDNAME=events" {
		t.Fatalf("%q, %v", text[:n], err)
	}
	messages, err := unix.ParseSocketControlMessage(rights[:k])
	if err != nil || len(messages) != 1 {
		t.Fatal(messages, err)
	}
	stored, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(stored) != 1 {
		t.Fatal(stored, err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestActivatedProcess$")
	cmd.Env = append(os.Environ(), "HEARTHD_TEST_ACTIVATED=1", "LISTEN_FDNAMES=events", "LISTEN_FDS=1")
	file := os.NewFile(uintptr(stored[0]), "events")
	cmd.ExtraFiles = []*os.File{file}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file.Close()
	got, err := io.ReadAll(client)
	if string(got) != "events" || err != nil {
		t.Errorf("the client read %q, %v", got, err)
	}
	if err := NewNotifier("").Store("events", client); err == nil {
		t.Error("stored with no service manager")
	}
}

func connOf(t *testing.T, fd int) *net.UnixConn {
	t.Helper()
	f := os.NewFile(uintptr(fd), "pair")
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.(*net.UnixConn)
}

func listenFile(t *testing.T) *os.File {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "control.sock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	f, err := l.(*net.UnixListener).File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
