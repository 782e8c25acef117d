// Package archivetest keeps archives of speech models on a server of its own, and writes the
// catalogue of what it keeps, for tests.
package archivetest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Model is one that is kept. Its archive is NAME.tar.bz2, whatever it is compressed with.
type Model struct {
	Name, Head string            // the beginning of its entry, in YAML: kind, rate and the like
	Files      map[string]string // by what they are to the library
	Texts      map[string]string // of everything in the archive, by name
}

// Hearer is a model with a network of many bytes.
func Hearer(name string) Model {
	return Model{name, "kind: whisper, rate: 16000, networks_mb: 1",
		map[string]string{"encoder": "e.onnx", "decoder": "d.onnx", "tokens": "tokens.txt"},
		map[string]string{"e.onnx": Noise(900_000), "e.fp32.onnx": "not wanted", "d.onnx": "decoder " + name,
			"tokens.txt": "a 1", "LICENSE": "MIT", "test_wavs/0.wav": "RIFF"}}
}

// Voice is a model with a folder of data.
func Voice(name string) Model {
	return Model{name, "kind: piper, rate: 22050, languages: [en], networks_mb: 1",
		map[string]string{"model": "m.onnx", "tokens": "tokens.txt", "data": "espeak-ng-data"},
		map[string]string{"m.onnx": "network", "tokens.txt": "a 1", "espeak-ng-data/lang/en": "x",
			"espeak-ng-data/phontab": "y " + name}}
}

// Noise is text that does not compress.
func Noise(n int) string {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{7})
	_, _ = r.Read(b)
	return string(b)
}

// Archive is a tar of files, compressed, with one folder around them.
func Archive(tb testing.TB, files map[string]string) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := &tar.Header{Name: "top/" + name, Size: int64(len(files[name])), Typeflag: tar.TypeReg, Mode: 0o600}
		if err := w.WriteHeader(h); err != nil {
			tb.Fatal(err)
		}
		if _, err := w.Write([]byte(files[name])); err != nil {
			tb.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// Works keeps archives until the test ends.
type Works struct {
	*httptest.Server
	YAML  string            // the catalogue
	Texts map[string][]byte // the archives, by name

	mu    sync.Mutex
	asked []string
}

// New keeps the library and these models.
func New(tb testing.TB, models ...Model) *Works {
	tb.Helper()
	w := &Works{Texts: map[string][]byte{"lib.tar.bz2": Archive(tb, map[string]string{
		"lib/libsherpa-onnx-c-api.so": "c-api", "lib/libonnxruntime.so": "runtime", "include/c-api.h": "no"})}}
	w.Server = httptest.NewServer(w)
	tb.Cleanup(w.Close)
	entry := func(name string) string {
		return fmt.Sprintf("{path: %s, size: %d, sha256: \"%x\"}", name, len(w.Texts[name]), sha256.Sum256(w.Texts[name]))
	}
	var text strings.Builder
	fmt.Fprintf(&text, "base: %s/\nlibrary:\n  release: 9.9\n  files: [libsherpa-onnx-c-api.so, libonnxruntime.so]\n"+
		"  archives:\n    %s: %s\nmodels:\n", w.URL, runtime.GOARCH, entry("lib.tar.bz2"))
	for _, m := range models {
		archive := m.Name + ".tar.bz2"
		w.Texts[archive] = Archive(tb, m.Texts)
		fmt.Fprintf(&text, "  - {name: %s, %s, licence: MIT, archive: %s, files: {", m.Name, m.Head, entry(archive))
		for _, what := range slices.Sorted(maps.Keys(m.Files)) {
			fmt.Fprintf(&text, "%s: %s, ", what, m.Files[what])
		}
		text.WriteString("}}\n")
	}
	w.YAML = text.String()
	return w
}

func (w *Works) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	w.mu.Lock()
	w.asked = append(w.asked, strings.TrimSpace(name+" "+r.Header.Get("Range")))
	text, ok := w.Texts[name]
	w.mu.Unlock()
	if !ok {
		http.NotFound(rw, r)
		return
	}
	rw.Header().Set("Etag", `"1"`)
	http.ServeContent(rw, r, name, time.Time{}, bytes.NewReader(text))
}

// Asked are the archives that were asked for, each with the part of it.
func (w *Works) Asked() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.asked)
}
