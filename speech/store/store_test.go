package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hearthd/rigs/archivetest"
	"hearthd/speech/catalogue"
	"hearthd/speech/fetch"
	"hearthd/speech/model"
)

// works is where archives are, and the catalogue of what is there.
type works struct {
	*archivetest.Works
	cat *catalogue.Catalogue
}

func newWorks(t *testing.T) *works {
	t.Helper()
	w := &works{Works: archivetest.New(t, archivetest.Hearer("hearer"), archivetest.Voice("voice"))}
	var err error
	if w.cat, err = catalogue.Parse([]byte(w.YAML)); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *works) open(t *testing.T, state string) *Store {
	t.Helper()
	s, err := Open(Options{State: state, Catalogue: w.cat})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// tree is every file below a folder.
func tree(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, _ := filepath.Rel(dir, path)
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func wantTree(t *testing.T, dir, want string) {
	t.Helper()
	if got := strings.Join(tree(t, dir), " "); got != want {
		t.Errorf("there is\n%s\nwant\n%s", got, want)
	}
}

const everything = ".lock lib/libonnxruntime.so lib/libsherpa-onnx-c-api.so lib/release models/hearer/LICENSE " +
	"models/hearer/d.onnx models/hearer/e.onnx models/hearer/model.yaml models/hearer/tokens.txt " +
	"models/voice/espeak-ng-data/lang/en models/voice/espeak-ng-data/phontab models/voice/m.onnx " +
	"models/voice/model.yaml models/voice/tokens.txt"

func install(ctx context.Context, s *Store) error {
	if err := s.Library(ctx); err != nil {
		return err
	}
	return errors.Join(s.Model(ctx, s.Catalogue.Find("hearer")), s.Model(ctx, s.Catalogue.Find("voice")))
}

func TestLibraryAndModelsAreInstalledAndRemoved(t *testing.T) {
	w, state := newWorks(t), t.TempDir()
	s := w.open(t, state)
	if HasLibrary(state, w.cat) {
		t.Error("the library is there before it was installed")
	}
	if err := install(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	wantTree(t, state, everything)
	if !HasLibrary(state, w.cat) {
		t.Error("the library is not there")
	}
	models, err := model.List(state)
	if err != nil || len(models) != 2 || models[0].Source != w.URL+"/hearer.tar.bz2" || models[1].Rate != 22050 {
		t.Errorf("%+v, %v", models, err)
	}
	// A second one takes the place of the first.
	if err := install(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	wantTree(t, state, everything)
	use := model.Use{Hear: map[string]string{"": "hearer"}, Speak: map[string]string{"": "voice/amy", "de": "other"}}
	if err := use.Write(state); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"hearer", "voice"} {
		if err := s.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	wantTree(t, state, ".lock lib/libonnxruntime.so lib/libsherpa-onnx-c-api.so lib/release use.yaml")
	if use, err := model.ReadUse(state); err != nil || len(use.Hear) != 0 || len(use.Speak) != 1 {
		t.Errorf("%+v, %v", use, err)
	}
	for _, name := range []string{"hearer", "..", "../lib", ""} {
		if err := s.Remove(name); err == nil {
			t.Errorf("%q was removed", name)
		}
	}
}

func TestNothingIsAskedOfTheNetworkWithAFolder(t *testing.T) {
	w, state, stick := newWorks(t), t.TempDir(), t.TempDir()
	for name, text := range w.Texts {
		if err := os.WriteFile(filepath.Join(stick, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := w.open(t, state)
	s.From = stick
	if err := install(t.Context(), s); err != nil || len(w.Asked()) != 0 {
		t.Fatalf("%v, asked %v", err, w.Asked())
	}
	wantTree(t, state, everything)
	for what, text := range map[string][]byte{
		"it has 3 bytes": []byte("bad"), "is longer than": append(bytes.Clone(w.Texts["voice.tar.bz2"]), 0),
		"has no voice.tar.bz2": nil,
	} {
		path := filepath.Join(stick, "voice.tar.bz2")
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		if text == nil {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Model(t.Context(), w.cat.Find("voice")); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	wantTree(t, state, everything)
}

func TestWrongArchivesChangeNothing(t *testing.T) {
	w, state := newWorks(t), t.TempDir()
	s := w.open(t, state)
	if err := install(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	w.Texts["voice.tar.bz2"][100] ^= 1
	if err := s.Model(t.Context(), w.cat.Find("voice")); !errors.Is(err, fetch.ErrChecksum) {
		t.Errorf("another archive: %v", err)
	}
	// The right bytes, and still not what the catalogue says is in them.
	m := w.cat.Find("hearer")
	m.Files["encoder"] = "missing.onnx"
	if err := s.Model(t.Context(), m); err == nil || !strings.Contains(err.Error(), "missing.onnx") {
		t.Errorf("an archive that lacks a file: %v", err)
	}
	w.cat.Library.Files = append(w.cat.Library.Files, "more.so")
	if err := s.Library(t.Context()); err == nil || !strings.Contains(err.Error(), "lacks more.so") {
		t.Errorf("a library that lacks a file: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wantTree(t, state, ".download/hearer.tar.bz2 .download/lib.tar.bz2 "+everything)
}

func TestModelOfOneFileIsInstalled(t *testing.T) {
	network := archivetest.Noise(50_000)
	from := t.TempDir()
	if err := os.WriteFile(filepath.Join(from, "net.onnx"), []byte(network), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := catalogue.Parse(fmt.Appendf(nil, "library: {release: '1', files: [a.so]}\nmodels:\n  - {name: eye, "+
		"kind: speaker, rate: 16000, files: {model: net.onnx}, licence: MIT, networks_mb: 1, "+
		"archive: {path: x/net.onnx, size: %d, sha256: %x}}\n", len(network), sha256.Sum256([]byte(network))))
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	s, err := Open(Options{State: state, Catalogue: c, From: from})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 2 { // it may be installed again
		if err := s.Model(t.Context(), c.Find("eye")); err != nil {
			t.Fatal(err)
		}
		m, err := model.Read(filepath.Join(state, model.ModelsFolder, "eye"))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(m.Path("model")); string(text) != network || err != nil {
			t.Errorf("%d bytes, %v", len(text), err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(state, downloadFolder)); len(left) > 0 || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestOnlyOneInstallsAtATime(t *testing.T) {
	w, state := newWorks(t), t.TempDir()
	s := w.open(t, state)
	if _, err := Open(s.Options); err == nil || !strings.Contains(err.Error(), fmt.Sprint("process ", os.Getpid())) {
		t.Errorf("a second one: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(t, state)
}

func TestOwnModelIsCopiedFromAFolder(t *testing.T) {
	w, state := newWorks(t), t.TempDir()
	s := w.open(t, state)
	mine := filepath.Join(t.TempDir(), "mine")
	for name, text := range map[string]string{"e": "1", "d": "2", "sub/t": "3", "unnamed": "4",
		"model.yaml": "kind: whisper\nrate: 16000\nfiles: {encoder: e, decoder: d, tokens: sub/t}\n"} {
		path := filepath.Join(mine, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := s.Own(t.Context(), mine); err != nil || m.Name != "mine" {
		t.Fatal(m, err)
	}
	wantTree(t, state, ".lock models/mine/d models/mine/e models/mine/model.yaml models/mine/sub/t")
	if info, err := os.Stat(filepath.Join(state, "models/mine/e")); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v: hearth-speech has to read it", info.Mode(), err)
	}
	if err := errors.Join(os.Remove(filepath.Join(mine, "e")), os.Symlink("/etc/passwd",
		filepath.Join(mine, "e"))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Own(t.Context(), mine); err == nil {
		t.Error("a link was followed")
	}
}

func TestDiskThatIsTooSmallIsToldBefore(t *testing.T) {
	w := newWorks(t)
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=90m"); err != nil {
		t.Skipf("needs to mount a small file system: %v", err)
	}
	s := w.open(t, dir)
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), syscall.Unmount(dir, 0)); err != nil {
			t.Error(err)
		}
	})
	err := s.Model(t.Context(), w.cat.Find("hearer"))
	if err == nil || !strings.Contains(err.Error(), "it needs 101 MB on the disk") || len(w.Asked()) != 0 {
		t.Errorf("%v, asked %v", err, w.Asked())
	}
}

// The disk is filled by somebody else while the archive is unpacked.
func TestDiskThatFillsWhileItIsUnpackedLosesNothing(t *testing.T) {
	w := newWorks(t)
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=110m"); err != nil {
		t.Skipf("needs to mount a small file system: %v", err)
	}
	s := w.open(t, dir)
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), syscall.Unmount(dir, 0)); err != nil {
			t.Error(err)
		}
	})
	if err := s.Model(t.Context(), w.cat.Find("voice")); err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(dir, "filler")
	s.Progress = func(doing, _ string, have, of int64) {
		if doing == "download" && have == of {
			_ = os.WriteFile(filler, make([]byte, 120<<20), 0o600) // until it is full
		}
	}
	if err := s.Model(t.Context(), w.cat.Find("hearer")); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if models, err := model.List(dir); err != nil || len(models) != 1 {
		t.Errorf("%v, %v", models, err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	s.Progress = nil
	asked := len(w.Asked())
	if err := s.Model(t.Context(), w.cat.Find("hearer")); err != nil || len(w.Asked()) != asked {
		t.Errorf("%v; it was fetched again: %v", err, w.Asked()[asked:])
	}
}

const victim = "HEARTHD_TEST_STORE"

// TestKilledInstallationGoesOn kills the installation with a signal that it cannot see, at
// every step that it tells of, and installs again after each.
func TestKilledInstallationGoesOn(t *testing.T) {
	if state := os.Getenv(victim); state != "" {
		text, err := os.ReadFile(os.Getenv(victim + "_CATALOGUE"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := catalogue.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		left := len(os.Getenv(victim + "_STEPS"))
		s, err := Open(Options{State: state, Catalogue: c, Progress: func(string, string, int64, int64) {
			if left--; left == 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(install(t.Context(), s), s.Close()); err != nil {
			t.Fatal(err)
		}
		return
	}
	w, state := newWorks(t), t.TempDir()
	file := filepath.Join(t.TempDir(), "catalogue.yaml")
	if err := os.WriteFile(file, []byte(w.YAML), 0o644); err != nil {
		t.Fatal(err)
	}
	killed := 0
	for steps := 1; ; steps++ {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledInstallationGoesOn$")
		cmd.Env = append(os.Environ(), victim+"="+state, victim+"_CATALOGUE="+file,
			victim+"_STEPS="+strings.Repeat(".", steps))
		out, err := cmd.CombinedOutput()
		models, lerr := model.List(state)
		if lerr != nil {
			t.Fatalf("after %d steps: %v", steps, lerr)
		}
		for _, m := range models {
			want := map[string]int{"hearer": 900_000, "voice": 7}[m.Name]
			if info, err := os.Stat(m.Path(map[string]string{"hearer": "encoder", "voice": "model"}[m.Name])); err != nil ||
				info.Size() != int64(want) {
				t.Fatalf("after %d steps half of %s is in its place: %v", steps, m.Name, err)
			}
		}
		if err == nil {
			break
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) || !strings.Contains(exit.Error(), "killed") || steps > 500 {
			t.Fatalf("after %d steps: %v: %s", steps, err, out)
		}
		killed++
	}
	t.Logf("killed %d times", killed)
	if killed < 10 {
		t.Errorf("killed only %d times", killed)
	}
	wantTree(t, state, everything)
}
