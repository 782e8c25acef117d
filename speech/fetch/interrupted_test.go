package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestInterruptedDownloadGoesOnLater(t *testing.T) {
	body := content(1_000_000)
	s := newShop(t, body)
	s.limit = []int{600_000} // or all of it may have come before the end is seen
	path := filepath.Join(t.TempDir(), "x")
	ctx, cancel := context.WithCancel(t.Context())
	f := fetcher(t)
	f.Progress = func(have, _ int64) {
		if have > 300_000 {
			cancel()
		}
	}
	if err := f.To(ctx, path, fileOf(s.URL, body)); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if info, err := os.Stat(path + ".part"); err != nil || info.Size() < 300_000 {
		t.Fatal(info, err)
	}
	if err := fetcher(t).To(t.Context(), path, fileOf(s.URL, body)); err != nil {
		t.Fatal(err)
	}
	holds(t, path, body)
	if asked := s.requests(); len(asked) != 2 || asked[1] == "" {
		t.Errorf("asked %q", asked)
	}
}

// The kernel has the real thing where the test may mount: a file system of one megabyte.
func TestFullDiskKeepsWhatCame(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("needs to mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	body := content(2_000_000)
	s := newShop(t, body)
	path := filepath.Join(dir, "x")
	err := fetcher(t).To(t.Context(), path, fileOf(s.URL, body))
	if !errors.Is(err, syscall.ENOSPC) || len(s.requests()) != 1 {
		t.Fatalf("%v after %d requests", err, len(s.requests()))
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=4m"); err != nil {
		t.Fatal(err)
	}
	if err := fetcher(t).To(t.Context(), path, fileOf(s.URL, body)); err != nil {
		t.Fatal(err)
	}
	holds(t, path, body)
	if asked := s.requests(); len(asked) != 2 || !strings.HasPrefix(asked[1], "bytes=") {
		t.Errorf("asked %q", asked)
	}
}

const victim = "HEARTHD_TEST_FETCH"

// TestKilledDownloadGoesOn kills the process in the middle five times, with a signal that it cannot see.
func TestKilledDownloadGoesOn(t *testing.T) {
	if url := os.Getenv(victim); url != "" {
		size, _ := strconv.ParseInt(os.Getenv(victim+"_SIZE"), 10, 64)
		kill, _ := strconv.ParseInt(os.Getenv(victim+"_KILL"), 10, 64)
		f := &Fetcher{Progress: func(have, _ int64) {
			if have >= kill {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}}
		file := File{URL: url, Size: size, SHA256: os.Getenv(victim + "_SUM")}
		if err := f.To(t.Context(), os.Getenv(victim+"_PATH"), file); err != nil {
			t.Fatal(err)
		}
		return
	}
	body := content(4_000_000)
	s := newShop(t, body)
	path := filepath.Join(t.TempDir(), "x")
	file := fileOf(s.URL, body)
	for kill := int64(500_000); kill <= file.Size+700_000; kill += 700_000 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledDownloadGoesOn$")
		cmd.Env = append(os.Environ(), victim+"="+file.URL, victim+"_PATH="+path, victim+"_SUM="+file.SHA256,
			fmt.Sprintf("%s_SIZE=%d", victim, file.Size), fmt.Sprintf("%s_KILL=%d", victim, kill))
		out, err := cmd.CombinedOutput()
		if died := strings.Contains(fmt.Sprint(err), "killed"); died != (kill <= file.Size) {
			t.Fatalf("to be killed at %d: %v: %s", kill, err, out)
		}
	}
	holds(t, path, body)
	asked := s.requests()
	t.Logf("asked %q", asked)
	if len(asked) != 6 {
		t.Errorf("asked %q", asked)
	}
	for _, header := range asked[1:] {
		if !strings.HasPrefix(header, "bytes=") {
			t.Errorf("asked %q", asked)
		}
	}
}

func TestAServerThatAlwaysHasItBeginAgainIsGivenUp(t *testing.T) {
	body := content(400_000)
	for name, wrong := range map[string]func(w http.ResponseWriter){
		"another part": func(w http.ResponseWriter) {
			w.Header().Set("Content-Range", "bytes 0-399999/*")
			w.WriteHeader(http.StatusPartialContent)
		},
		"no such part": func(w http.ResponseWriter) { w.WriteHeader(http.StatusRequestedRangeNotSatisfiable) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var asked int // by one client, one request after the other
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if asked++; asked > 200 {
					cancel()
				}
				if r.Header.Get("Range") != "" {
					wrong(w)
					return
				}
				http.ServeContent(&cutWriter{w, 100_000}, r, "", time.Time{}, bytes.NewReader(body))
			}))
			defer server.Close()
			err := fetcher(t).To(ctx, filepath.Join(t.TempDir(), "a"), fileOf(server.URL, body))
			if err == nil || ctx.Err() != nil {
				t.Errorf("after %d requests: %v", asked, err)
			}
		})
	}
}

func TestAWrongFileThatComesInPiecesIsGivenUp(t *testing.T) {
	body := content(400_000)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var asked int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked > 200 {
			cancel()
		}
		http.ServeContent(&cutWriter{w, 300_000}, r, "", time.Time{}, bytes.NewReader(body))
	}))
	defer server.Close()
	wanted := fileOf(server.URL, body)
	wanted.SHA256 = strings.Repeat("0", 64)
	if err := fetcher(t).To(ctx, filepath.Join(t.TempDir(), "a"), wanted); !errors.Is(err, ErrChecksum) {
		t.Errorf("after %d requests: %v", asked, err)
	}
}
