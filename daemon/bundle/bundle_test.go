package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// tree writes files below a new folder and gives it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// contents reads what is below dir.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestWhatIsWrittenIsUnpackedAgain(t *testing.T) {
	from := tree(t, map[string]string{
		"hearthd.yaml": "node: a", "conf.d/a.yaml": "b", "tools.d/x.json": "{}", "prompts/system.txt": "Hi.",
		"intents/en/t.yaml": "c", "conf.d/.hidden.yaml": "d", "password": "secret", "intents/EN!/t.yaml": "e",
		"stations.yaml": "f", "intents/en/answers/timer.yaml": "g", "intents/nl/answers/grammar.yaml": "h",
		"intents/nl/answers/more/a.yaml": "i",
	})
	if err := errors.Join(os.Symlink("/etc/shadow", filepath.Join(from, "conf.d", "link.yaml")),
		os.Chmod(filepath.Join(from, "tools.d/x.json"), 0o755)); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := NewWriter(&out, Manifest{Version: "1", Node: "kitchen", Made: time.Unix(1e9, 0).UTC()})
	left, err := w.AddConfig(filepath.Join(from, "hearthd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(from, "conf.d/.hidden.yaml"), filepath.Join(from, "conf.d/link.yaml"),
		filepath.Join(from, "intents/EN!/t.yaml"), filepath.Join(from, "intents/nl/answers/more")}
	if d := cmp.Diff(want, left); d != "" {
		t.Errorf("left out (-want +got):\n%s", d)
	}
	if err := w.Add(Memory, 3, 0o600, strings.NewReader("abcdef")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{Memory, "etc/passwd", "state/../x", ""} {
		if err := w.Add(name, 1, 0o600, strings.NewReader("a")); err == nil {
			t.Errorf("%q is taken", name)
		}
	}
	if err := w.Add(Calendar, 5, 0o600, strings.NewReader("abc")); err == nil {
		t.Error("a file that ends early is taken")
	}
	out.Reset() // after an error a bundle is none
	w = NewWriter(&out, Manifest{Version: "1", Node: "kitchen", Made: time.Unix(1e9, 0).UTC()})
	if _, err := w.AddConfig(filepath.Join(from, "hearthd.yaml")); err != nil {
		t.Fatal(err)
	}
	about, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	got, err := Extract(&out, dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(about, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]string{
		"config/hearthd.yaml": "node: a", "config/conf.d/a.yaml": "b", "config/tools.d/x.json": "{}",
		"config/prompts/system.txt": "Hi.", "config/intents/en/t.yaml": "c", "config/stations.yaml": "f",
		"config/intents/en/answers/timer.yaml": "g", "config/intents/nl/answers/grammar.yaml": "h",
	}, contents(t, dir)); d != "" {
		t.Error(d)
	}
	if info, err := os.Stat(filepath.Join(dir, "config/tools.d/x.json")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// entry is one of a hostile tar.
type entry struct {
	tar.Header
	text string
}

func packed(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	w := tar.NewWriter(zip)
	for _, e := range entries {
		if e.Size == 0 && e.Typeflag == tar.TypeReg {
			e.Size = int64(len(e.text))
		}
		if err := w.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.text); err != nil {
			t.Fatal(err)
		}
	}
	// Not Close: some entries are shorter than they say.
	if err := errors.Join(zip.Flush(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A file beside the languages ends no backup, and a main file that is a link is not left
// out without a word.
func TestWhatABackupLeavesOutOfAConfigurationIsNamed(t *testing.T) {
	from := tree(t, map[string]string{"ours.yaml": "node: a", "intents/README": "Ours.", "intents/en/t.yaml": "c"})
	main := filepath.Join(from, "hearthd.yaml")
	if err := os.Symlink("ours.yaml", main); err != nil {
		t.Fatal(err)
	}
	w := NewWriter(io.Discard, Manifest{})
	left, err := w.AddConfig(main)
	if d := cmp.Diff([]string{main, filepath.Join(from, "intents/README")}, left); d != "" || err != nil {
		t.Errorf("%v, left out (-want +got):\n%s", err, d)
	}
	if about, err := w.Close(); err != nil || len(about.Files) != 1 ||
		about.Files[0].Name != "config/intents/en/t.yaml" {
		t.Errorf("%+v, %v", about.Files, err)
	}
}

func TestHostileArchivesAreRefused(t *testing.T) {
	file := func(name, text string) entry { return entry{tar.Header{Name: name, Typeflag: tar.TypeReg}, text} }
	list := func(text string) entry { return file(manifestName, text) }
	const none = `{"format":1,"files":[]}`
	for name, c := range map[string]struct {
		entries []entry
		want    string
	}{
		"way out":        {[]entry{file("../../etc/passwd", "x"), list(none)}, "none of those"},
		"way out inside": {[]entry{file("config/conf.d/../../../x.yaml", "x"), list(none)}, "none of those"},
		"absolute":       {[]entry{file("/etc/cron.d/x", "x"), list(none)}, "none of those"},
		"dots":           {[]entry{file("config/conf.d/..", "x"), list(none)}, "none of those"},
		"symlink": {[]entry{{tar.Header{Name: "config/conf.d/a.yaml", Typeflag: tar.TypeSymlink,
			Linkname: "/etc"}, ""}, list(none)}, "no plain file"},
		"hard link": {[]entry{{tar.Header{Name: "config/conf.d/a.yaml", Typeflag: tar.TypeLink,
			Linkname: "/etc/passwd"}, ""}, list(none)}, "no plain file"},
		"device": {[]entry{{tar.Header{Name: "state/hearthd.db", Typeflag: tar.TypeChar, Devmajor: 1}, ""},
			list(none)}, "no plain file"},
		"twice": {[]entry{file("config/hearthd.yaml", "a"), file("config/hearthd.yaml", "b"), list(none)},
			"stands twice"},
		"not in the list": {[]entry{file("config/hearthd.yaml", "a"), list(none)}, "holds 1 files, and its list 0"},
		"other contents": {[]entry{file("config/hearthd.yaml", "a"),
			list(`{"format":1,"files":[{"name":"config/hearthd.yaml","size":1,"sha256":"00"}]}`)}, "damaged"},
		"missing":   {[]entry{list(`{"format":1,"files":[{"name":"config/hearthd.yaml","size":1,"sha256":"00"}]}`)}, "damaged"},
		"newer":     {[]entry{list(`{"format":2,"version":"9","files":[]}`)}, "a newer hearthctl (9)"},
		"no format": {[]entry{list(`{}`)}, "no format 0"},
		"no list":   {[]entry{file("config/hearthd.yaml", "a")}, "ends without its list"},
		"no JSON":   {[]entry{list("[")}, "list of files"},
		"huge": {[]entry{{tar.Header{Name: "config/hearthd.yaml", Typeflag: tar.TypeReg, Size: 1 << 40},
			""}}, "more than"},
		"huge list": {[]entry{{tar.Header{Name: manifestName, Typeflag: tar.TypeReg, Size: 1 << 40}, ""}},
			"more than"},
		"cut": {[]entry{{tar.Header{Name: "config/hearthd.yaml", Typeflag: tar.TypeReg, Size: 100},
			"short"}}, "unexpected EOF"},
	} {
		top := t.TempDir()
		dir := filepath.Join(top, "in")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		_, err := Extract(bytes.NewReader(packed(t, c.entries...)), dir)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		for f := range contents(t, top) {
			if !strings.HasPrefix(f, "in/config/") {
				t.Errorf("%s wrote %s", name, f)
			}
		}
	}
	if _, err := Extract(strings.NewReader("no archive"), t.TempDir()); err == nil {
		t.Error("text is taken for a backup")
	}
}

func TestBombIsCutOff(t *testing.T) {
	b := &bounded{r: zeros{}, left: 1000}
	if n, err := io.Copy(io.Discard, b); n != 1000 || !errors.Is(err, errTooLarge) {
		t.Errorf("%d, %v", n, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestSwapPutsOneFolderInThePlaceOfAnother(t *testing.T) {
	top := t.TempDir()
	old, fresh, aside := filepath.Join(top, "hearthd"), filepath.Join(top, ".new"), filepath.Join(top, "hearthd.before")
	write := func(path, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
			os.WriteFile(path, []byte(text), 0o640)); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(old, "hearthd.db"), "old")
	write(filepath.Join(old, "hearthd.db-wal"), "old")
	write(filepath.Join(old, "knowledge/deep/a.md"), "doc")
	write(filepath.Join(fresh, "hearthd.db"), "new")
	if err := os.Chmod(old, 0o750); err != nil {
		t.Fatal(err)
	}
	err := errors.Join(
		Graft(old, fresh, func(n string) bool { return strings.HasPrefix(n, "hearthd.db") }),
		Swap(old, fresh, aside))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]string{"hearthd.db": "new", "knowledge/deep/a.md": "doc"}, contents(t, old)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]string{"hearthd.db": "old", "hearthd.db-wal": "old", "knowledge/deep/a.md": "doc"},
		contents(t, aside)); d != "" {
		t.Error(d)
	}
	if info, err := os.Stat(old); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	next := filepath.Join(top, "other")
	write(filepath.Join(top, ".new2", "x"), "y")
	if err := errors.Join(Graft(next, filepath.Join(top, ".new2"), nil),
		Swap(next, filepath.Join(top, ".new2"), aside)); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(top)
	if names := names(entries); err != nil || !slices.Equal(names, []string{"hearthd", "hearthd.before", "other"}) {
		t.Errorf("%v, %v", names, err)
	}
}

func TestSwapThatFailsOrIsUndoneLeavesAllWhereItWas(t *testing.T) {
	top := t.TempDir()
	old, fresh, aside := filepath.Join(top, "old"), filepath.Join(top, "fresh"), filepath.Join(top, "aside")
	for _, dir := range []string{old, fresh, filepath.Join(aside, "taken")} {
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "x"),
			[]byte(filepath.Base(dir)), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	same := func(when string) {
		t.Helper()
		if d := cmp.Diff(map[string]string{"x": "old"}, contents(t, old)); d != "" {
			t.Errorf("%s: %s", when, d)
		}
		if d := cmp.Diff(map[string]string{"x": "fresh"}, contents(t, fresh)); d != "" {
			t.Errorf("%s: %s", when, d)
		}
	}
	if err := Swap(old, fresh, aside); err == nil {
		t.Error("what is kept aside was overwritten")
	}
	same("failed")
	for _, dir := range []string{old, filepath.Join(top, "none")} {
		kept := aside + filepath.Base(dir)
		if err := errors.Join(Swap(dir, fresh, kept), SwapBack(dir, fresh, kept)); err != nil {
			t.Fatal(err)
		}
		same(dir)
	}
}

func names(entries []os.DirEntry) (list []string) {
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func FuzzExtract(f *testing.F) {
	file := func(name, text string) entry { return entry{tar.Header{Name: name, Typeflag: tar.TypeReg}, text} }
	for _, seed := range [][]byte{
		packed(f, file("config/hearthd.yaml", "a"), file(manifestName, `{"format":1,"files":[]}`)), packed(f), nil,
	} {
		zip, err := gzip.NewReader(bytes.NewReader(seed))
		if err != nil {
			f.Add(seed)
			continue
		}
		plain, _ := io.ReadAll(zip)
		f.Add(plain)
	}
	f.Fuzz(func(t *testing.T, plain []byte) {
		var out bytes.Buffer
		zip := gzip.NewWriter(&out)
		if _, err := zip.Write(plain); err != nil {
			t.Fatal(err)
		}
		if err := zip.Close(); err != nil {
			t.Fatal(err)
		}
		top := t.TempDir()
		dir := filepath.Join(top, "in")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		about, err := Extract(&out, dir)
		all := contents(t, top)
		if err == nil && len(all) != len(about.Files) {
			t.Errorf("%d files of %d", len(all), len(about.Files))
		}
		for name := range all {
			if _, err := Limit(strings.TrimPrefix(name, "in/")); err != nil {
				t.Errorf("%q was written", name)
			}
		}
	})
}
