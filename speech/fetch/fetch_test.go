package fetch

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// content is n bytes that are not alike.
func content(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(b)
	return b
}

func fileOf(url string, body []byte) File {
	return File{URL: url, Size: int64(len(body)), SHA256: fmt.Sprintf("%x", sha256.Sum256(body))}
}

// shop is a server with one file, which does to a request what the test says.
type shop struct {
	*httptest.Server

	mu    sync.Mutex
	body  []byte
	tag   string // its ETag
	asked []string
	limit []int // after how many bytes the next answers are cut
}

func newShop(t *testing.T, body []byte) *shop {
	s := &shop{body: body, tag: `"one"`}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	body, tag, cut := s.body, s.tag, -1
	s.asked = append(s.asked, strings.TrimSpace(r.Header.Get("Range")+" "+r.Header.Get("If-Range")))
	if len(s.limit) > 0 {
		cut, s.limit = s.limit[0], s.limit[1:]
	}
	s.mu.Unlock()
	if tag != "" {
		w.Header().Set("Etag", tag)
	}
	if cut < 0 {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
		return
	}
	http.ServeContent(&cutWriter{w, cut}, r, "", time.Time{}, bytes.NewReader(body))
}

func (s *shop) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *shop) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// cutWriter ends the connection after so many bytes of a body.
type cutWriter struct {
	http.ResponseWriter
	left int
}

func (c *cutWriter) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b[:min(len(b), c.left)])
	if c.left -= n; c.left == 0 {
		_ = http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, err
}

// fetcher waits for nothing.
func fetcher(t *testing.T) *Fetcher {
	f := &Fetcher{Agent: "test", Notice: func(text string) { t.Log(text) }}
	f.prepare()
	f.wait = time.Nanosecond
	return f
}

// holds checks that path has body, and nothing else is left beside it.
func holds(t *testing.T, path string, body []byte) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, body) {
		t.Errorf("%d bytes, want %d: %v", len(got), len(body), err)
	}
	if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 1 {
		t.Errorf("beside it: %v, %v", list, err)
	}
}

func TestDownloadSurvivesFiftyCuts(t *testing.T) {
	body := content(3_000_000)
	s := newShop(t, body)
	for range 50 {
		s.limit = append(s.limit, 1+rand.IntN(len(body)/60))
	}
	f := fetcher(t)
	var last int64
	f.Progress = func(have, of int64) {
		if have < last || of != int64(len(body)) {
			t.Errorf("progress from %d to %d of %d", last, have, of)
		}
		last = have
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := f.To(t.Context(), path, fileOf(s.URL, body)); err != nil {
		t.Fatal(err)
	}
	holds(t, path, body)
	asked := s.requests()
	if len(asked) != 51 || last != int64(len(body)) {
		t.Errorf("%d requests, progress to %d", len(asked), last)
	}
	for i, header := range asked[1:] {
		if !strings.HasPrefix(header, "bytes=") || !strings.HasSuffix(header, ` "one"`) {
			t.Errorf("request %d: %q", i+2, header)
		}
	}
}

func TestServerWithoutPartsIsAskedFromTheBeginning(t *testing.T) {
	body := content(500_000)
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n++; n <= 3 {
			w = &cutWriter{w, 100_000 * n}
		}
		_, _ = w.Write(body)
	}))
	t.Cleanup(s.Close)
	path := filepath.Join(t.TempDir(), "model")
	if err := fetcher(t).To(t.Context(), path, fileOf(s.URL, body)); err != nil {
		t.Fatal(err)
	}
	holds(t, path, body)
}

func TestFileThatChangedInBetweenIsNotJoined(t *testing.T) {
	old, now := content(400_000), bytes.Repeat([]byte("new "), 100_000)
	for _, tag := range []string{`"two"`, ""} {
		s := newShop(t, old)
		s.limit = []int{250_000}
		if tag == "" {
			s.tag = ""
		}
		f := fetcher(t)
		f.Notice = func(string) { s.set(func() { s.body, s.tag = now, tag }) }
		path := filepath.Join(t.TempDir(), "model")
		if err := f.To(t.Context(), path, fileOf(s.URL, now)); err != nil {
			t.Fatalf("tag %q: %v", tag, err)
		}
		holds(t, path, now)
	}
}

func TestWhatIsWrongIsRefusedAndRemoved(t *testing.T) {
	body := content(300_000)
	endless := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(body); err != nil {
				return
			}
		}
	})
	other := bytes.Clone(body)
	other[200_000] ^= 1
	for name, tc := range map[string]struct {
		h    http.Handler
		want string
	}{
		"other":   {newShop(t, other), "its SHA-256 is " + fmt.Sprintf("%x", sha256.Sum256(other))},
		"longer":  {newShop(t, append(bytes.Clone(body), 'x')), "300001 bytes"},
		"shorter": {newShop(t, body[1:]), "299999 bytes"},
		"endless": {endless, "longer than 300000 bytes"},
	} {
		s := httptest.NewServer(tc.h)
		dir := t.TempDir()
		err := fetcher(t).To(t.Context(), filepath.Join(dir, "model"), fileOf(s.URL, body))
		s.Close()
		if !errors.Is(err, ErrChecksum) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
		if list, _ := os.ReadDir(dir); len(list) != 0 {
			t.Errorf("%s: left %v", name, list)
		}
	}
}

func TestAnswersThatAreNoFileAreTold(t *testing.T) {
	var code int
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.WriteHeader(code)
	}))
	t.Cleanup(s.Close)
	for _, tc := range []struct{ code, asked int }{{404, 1}, {403, 1}, {500, maxIdle}, {429, maxIdle}} {
		code, asked = tc.code, 0
		err := fetcher(t).To(t.Context(), filepath.Join(t.TempDir(), "x"), File{URL: s.URL, Size: 5, SHA256: "0"})
		if err == nil || !strings.Contains(err.Error(), strconv.Itoa(tc.code)) || asked != tc.asked {
			t.Errorf("%d: %v after %d requests", tc.code, err, asked)
		}
	}
}

func TestStrangePartsAreNotJoined(t *testing.T) {
	body := content(100_000)
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n++; {
		case n == 1:
			_, _ = (&cutWriter{w, 40_000}).Write(body)
		case n == 2: // of another place than was asked for
			w.Header().Set("Content-Range", "bytes 10-99999/100000")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(body[10:])
		case n == 3:
			if r.Header.Get("Range") != "" {
				t.Errorf("asked for %s after a part that does not fit", r.Header.Get("Range"))
			}
			_, _ = (&cutWriter{w, 40_000}).Write(body)
		case n == 4:
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		default:
			_, _ = w.Write(body)
		}
	}))
	t.Cleanup(s.Close)
	path := filepath.Join(t.TempDir(), "model")
	if err := fetcher(t).To(t.Context(), path, fileOf(s.URL, body)); err != nil {
		t.Fatal(err)
	}
	holds(t, path, body)
}

func TestOnlyHTTPSIsFollowedBeyondThisMachine(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "http://192.0.2.1/model", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/here":
			http.Redirect(w, r, "/file", http.StatusFound)
		default:
			_, _ = io.WriteString(w, "file")
		}
	}))
	t.Cleanup(s.Close)
	for path, want := range map[string]string{
		s.URL + "/away": "http://192.0.2.1/model is not https", s.URL + "/loop": "more than 5 redirects",
		"http://192.0.2.1/x": "is not https", "http://localhost/x": "is not https", "file:///etc/passwd": "no address",
		"ftp://127.0.0.1/x": "is not https", "%": "no address",
	} {
		file := fileOf(path, []byte("file"))
		if err := fetcher(t).To(t.Context(), filepath.Join(t.TempDir(), "x"), file); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := fetcher(t).To(t.Context(), path, fileOf(s.URL+"/here", []byte("file"))); err != nil {
		t.Error(err)
	}
}

func TestServerThatFallsSilentIsLeft(t *testing.T) {
	body := content(10_000)
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n++; n == 1 {
			_, _ = w.Write(body[:5000])
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	}))
	t.Cleanup(s.Close)
	f := fetcher(t)
	f.stall = 50 * time.Millisecond
	path := filepath.Join(t.TempDir(), "x")
	if err := f.To(t.Context(), path, fileOf(s.URL, body)); err != nil {
		t.Fatal(err)
	}
	holds(t, path, body)
}
