package unpack

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var roomy = Limits{Entries: 100, Bytes: 1 << 20}

// thing is an entry of an archive that a test makes.
type thing struct {
	name, text string
	kind       byte // of tar; 0: a file
	link       string
}

func tarOf(t testing.TB, things ...thing) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range things {
		h := &tar.Header{Name: e.name, Size: int64(len(e.text)), Typeflag: e.kind, Linkname: e.link, Mode: 0o644}
		if e.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipOf(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipOf(t testing.TB, things ...thing) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range things {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.kind == tar.TypeSymlink {
			h.SetMode(fs.ModeSymlink | 0o777)
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unpacked is what Into makes of an archive: the files and their texts. Beside the folder lies
// one that must stay as it is.
func unpacked(t testing.TB, data []byte, limits Limits, want func(string) string) (map[string]string, error) {
	t.Helper()
	top := t.TempDir()
	dir, archive := filepath.Join(top, "dir"), filepath.Join(top, "archive")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(archive, data, 0o644)); err != nil {
		t.Fatal(err)
	}
	err := Into(context.Background(), dir, archive, limits, want, nil)
	if list, lerr := os.ReadDir(top); lerr != nil || len(list) != 2 {
		t.Fatalf("beside the folder: %v, %v", list, lerr)
	}
	got := map[string]string{}
	walk := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if !e.Type().IsRegular() {
			t.Fatalf("%s is %v", path, e.Type())
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		got[name] = string(text)
		return err
	})
	if walk != nil {
		t.Fatal(walk)
	}
	return got, err
}

func all(name string) string { return name }

func TestWantedFilesAreUnpackedOfEveryKind(t *testing.T) {
	things := []thing{
		{name: "./model/", kind: tar.TypeDir}, {name: "./model/a.onnx", text: "network"},
		{name: "./model/data/x/y", text: "deep"}, {name: "./model/a.fp32.onnx", text: "not wanted"},
		{name: "./model/test_wavs/link", kind: tar.TypeSymlink, link: "/etc/passwd"},
	}
	want := func(name string) string {
		name, ok := strings.CutPrefix(name, "model/")
		if !ok || strings.Contains(name, "fp32") || strings.HasPrefix(name, "test_wavs/") {
			return ""
		}
		return name
	}
	plain := tarOf(t, things...)
	bz := exec.Command("bzip2")
	bz.Stdin = bytes.NewReader(plain)
	bzipped, err := bz.Output()
	if err != nil {
		t.Skipf("needs bzip2: %v", err)
	}
	for kind, data := range map[string][]byte{"tgz": gzipOf(t, plain), "bz2": bzipped,
		"zip": zipOf(t, slices.DeleteFunc(slices.Clone(things), func(e thing) bool { return e.kind == tar.TypeDir })...)} {
		got, err := unpacked(t, data, roomy, want)
		if err != nil || len(got) != 2 || got["a.onnx"] != "network" || got["data/x/y"] != "deep" {
			t.Errorf("%s: %v, %v", kind, got, err)
		}
	}
}

func TestArchivesThatLeadElsewhereAreRefused(t *testing.T) {
	for name, e := range map[string]thing{
		"climbs":    {name: "../x", text: "x"},
		"inside":    {name: "a/../../x", text: "x"},
		"absolute":  {name: "/etc/x", text: "x"},
		"backslash": {name: `a\..\x`, text: "x"},
		"control":   {name: "a\x1b[2J", text: "x"},
		"long":      {name: strings.Repeat("a/", 40) + "x", text: "x"},
		"symlink":   {name: "a", kind: tar.TypeSymlink, link: "/etc"},
		"hardlink":  {name: "a", kind: tar.TypeLink, link: "/etc/passwd"},
		"device":    {name: "a", kind: tar.TypeChar},
		"pipe":      {name: "a", kind: tar.TypeFifo},
	} {
		for kind, data := range map[string][]byte{"tgz": gzipOf(t, tarOf(t, e)), "zip": zipOf(t, e)} {
			if kind == "zip" && e.kind != 0 && e.kind != tar.TypeSymlink {
				continue
			}
			if got, err := unpacked(t, data, roomy, all); err == nil || len(got) != 0 {
				t.Errorf("%s %s: %v, %v", kind, name, got, err)
			}
		}
	}
	twice := gzipOf(t, tarOf(t, thing{name: "a", text: "1"}, thing{name: "./a", text: "2"}))
	if _, err := unpacked(t, twice, roomy, all); !errors.Is(err, fs.ErrExist) {
		t.Errorf("two of one name: %v", err)
	}
}

func TestArchivesAreBounded(t *testing.T) {
	var many []thing
	for i := range 5 {
		many = append(many, thing{name: fmt.Sprint(i), text: "12345"})
	}
	bomb := thing{name: "a", text: strings.Repeat("0", 100_000)}
	for name, tc := range map[string]struct {
		things []thing
		limits Limits
		want   string
	}{
		"entries": {many, Limits{4, 1000}, "too many entries"},
		"bytes":   {many, Limits{9, 24}, "too long"},
		"bomb":    {[]thing{bomb}, Limits{9, 99_999}, "too long"},
	} {
		for kind, data := range map[string][]byte{"tgz": gzipOf(t, tarOf(t, tc.things...)),
			"zip": zipOf(t, tc.things...)} {
			if _, err := unpacked(t, data, tc.limits, func(string) string { return "" }); err == nil ||
				!strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s %s: %v", kind, name, err)
			}
		}
	}
	// A stream that goes on behind a small tar, as a bomb of zeros does.
	if _, err := unpacked(t, gzipOf(t, append(tarOf(t, many...)[:5*1024], make([]byte, 1<<20)...)), Limits{9, 1000},
		all); err != nil && !strings.Contains(err.Error(), "more than") {
		t.Error(err)
	}
}

func TestArchivesThatAreCutOffAreRefused(t *testing.T) {
	things := []thing{{name: "a", text: strings.Repeat("x", 2000)}, {name: "b", text: "y"}}
	for kind, data := range map[string][]byte{"tgz": gzipOf(t, tarOf(t, things...)), "zip": zipOf(t, things...)} {
		for _, n := range []int{0, 3, 10, len(data) / 2, len(data) - 1} {
			if _, err := unpacked(t, data[:n], roomy, all); err == nil {
				t.Errorf("%s of %d bytes of %d was taken", kind, n, len(data))
			}
		}
	}
	for _, data := range []string{"text that is no archive", "BZh9 but no more", "\x1f\x8b\x08\x00"} {
		if _, err := unpacked(t, []byte(data), roomy, all); err == nil {
			t.Errorf("%q was taken", data)
		}
	}
}

func TestUnpackingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	archive := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(archive, gzipOf(t, tarOf(t, thing{name: "a", text: "x"})), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Into(ctx, t.TempDir(), archive, roomy, all, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzInto checks that whatever an archive says, no file is written elsewhere, no more than
// the limits allow, and nothing that is not a file.
func FuzzInto(f *testing.F) {
	things := []thing{{name: "a/b", text: "text"}, {name: "../c", text: "x"}, {name: "l", kind: tar.TypeSymlink,
		link: "/etc"}, {name: "l/x", text: "through"}}
	for i := range things {
		f.Add(gzipOf(f, tarOf(f, things[i])))
		f.Add(zipOf(f, things[i]))
		f.Add(tarOf(f, things[i]))
	}
	f.Add(gzipOf(f, tarOf(f, things...)))
	f.Add([]byte("BZh91AY&SY"))
	limits := Limits{Entries: 20, Bytes: 4096}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 262 && string(data[257:262]) == "ustar" { // so that the fuzzer need not compress
			data = gzipOf(t, data)
		}
		got, _ := unpacked(t, data, limits, all)
		n := 0
		for _, text := range got {
			n += len(text)
		}
		if len(got) > limits.Entries || int64(n) > limits.Bytes {
			t.Errorf("%d files of %d bytes", len(got), n)
		}
	})
}
