// Package store puts the library and the models of speech in place, as package model says how
// they lie, and takes them away. Whatever happens, a power cut too, what has a name there is
// whole: an archive is checked before it is unpacked, unpacked beside its place and renamed.
//
//	STATE/.lock       who installs
//	STATE/.download/  archives and what has come of them, for the next attempt
//	STATE/.new/       what is being unpacked; dropped by the next who installs
//
// It runs no goroutine.
package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hearthd/config/files"
	"hearthd/speech/catalogue"
	"hearthd/speech/fetch"
	"hearthd/speech/model"
	"hearthd/speech/unpack"
)

// Options say what is put where.
type Options struct {
	State     string
	Catalogue *catalogue.Catalogue
	From      string // folder where the archives lie; empty: they are fetched
	Agent     string // of hearthctl, for who is asked

	// Progress is told how far something long is, Notice what is worth a line. Both may be nil.
	Progress func(doing, name string, have, of int64)
	Notice   func(text string)
}

// Store is the folder State while nobody else changes it.
type Store struct {
	Options
	lock *os.File
}

const (
	lockFile       = ".lock"
	downloadFolder = ".download"
	newFolder      = ".new"
	releaseFile    = "release" // in lib: of which it is

	// reserveMB is left on the disk: the journal and the memory of hearthd need it.
	reserveMB = 100
	// An archive of networks unpacks to less than twice its length; some hold them twice.
	maxRatio   = 8
	maxEntries = 20_000
)

// Open waits for nobody: that another one is at work is an error. Close ends the work.
func Open(o Options) (*Store, error) {
	if err := os.MkdirAll(o.State, 0o755); err != nil {
		return nil, fmt.Errorf("install: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(o.State, lockFile), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o644)
	if err != nil {
		return nil, fmt.Errorf("install: %w", err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		who, _ := io.ReadAll(io.LimitReader(lock, 20))
		lock.Close()
		return nil, fmt.Errorf("somebody else installs into %s at the moment (process %s): %w", o.State,
			cmp.Or(strings.TrimSpace(string(who)), "unknown"), err)
	}
	s := &Store{o, lock}
	err = errors.Join(lock.Truncate(0), os.RemoveAll(s.path(newFolder)))
	if _, werr := fmt.Fprintln(lock, os.Getpid()); err != nil || werr != nil {
		return nil, errors.Join(fmt.Errorf("install: %w", errors.Join(err, werr)), lock.Close())
	}
	return s, nil
}

// Close lets others install.
func (s *Store) Close() error { return errors.Join(os.RemoveAll(s.path(newFolder)), s.lock.Close()) }

func (s *Store) path(elem ...string) string {
	return filepath.Join(append([]string{s.State}, elem...)...)
}

func (s *Store) progress(doing, name string, have, of int64) {
	if s.Progress != nil {
		s.Progress(doing, name, have, of)
	}
}

// HasLibrary reports whether the library of the catalogue's release is below state.
func HasLibrary(state string, c *catalogue.Catalogue) bool {
	text, err := os.ReadFile(filepath.Join(state, model.LibFolder, releaseFile))
	return err == nil && strings.TrimSpace(string(text)) == c.Library.Release
}

// Library installs the library.
func (s *Store) Library(ctx context.Context) error {
	lib := &s.Catalogue.Library
	a, ok := lib.Archives[runtime.GOARCH]
	if !ok {
		return fmt.Errorf("install the library: there is none for %s", runtime.GOARCH)
	}
	archive, err := s.archive(ctx, append([]catalogue.Archive{a}, lib.Packages[runtime.GOARCH]...), 0)
	if err != nil {
		return fmt.Errorf("install the library: %w", err)
	}
	left := slices.Clone(lib.Files)
	want := func(name string) string {
		base := filepath.Base(name)
		i := slices.Index(left, base)
		if i < 0 {
			return ""
		}
		left = slices.Delete(left, i, i+1)
		return base
	}
	dir, err := s.unpack(ctx, model.LibFolder, archive, want)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("the archive lacks %s", strings.Join(left, " and "))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, releaseFile), []byte(lib.Release+"\n"), 0o644)
	}
	if err == nil {
		err = s.place(dir, s.path(model.LibFolder))
	}
	if err != nil {
		return fmt.Errorf("install the library: %w", err)
	}
	return os.Remove(archive)
}

// Model installs a model of the catalogue. The folder it comes from says where it was got.
func (s *Store) Model(ctx context.Context, m *catalogue.Model) error {
	archive, err := s.archive(ctx, []catalogue.Archive{m.Archive}, m.NetworksMB)
	if err != nil {
		return fmt.Errorf("install %s: %w", m.Name, err)
	}
	dir, err := s.unfold(ctx, m, archive)
	if err == nil {
		err = m.Manifest(s.Catalogue.URL(m.Archive)).Write(dir)
	}
	if err == nil {
		_, err = model.Read(dir)
	}
	if err == nil {
		err = s.place(dir, s.path(model.ModelsFolder, m.Name))
	}
	if err != nil {
		return fmt.Errorf("install %s: %w", m.Name, err)
	}
	return os.RemoveAll(archive) // unless it is in its place itself
}

// unfold puts what is wanted of a model's archive into a folder that is not in its place yet. The archive may be the
// one file of the model.
func (s *Store) unfold(ctx context.Context, m *catalogue.Model, archive string) (string, error) {
	if filepath.Ext(archive) != ".onnx" {
		return s.unpack(ctx, m.Name, archive, wanted(m))
	}
	dir, err := s.fresh(m.Name)
	if err != nil {
		return "", err
	}
	return dir, os.Rename(archive, filepath.Join(dir, filepath.Base(archive)))
}

// wanted chooses the files of a model's archive, whose outermost folder is left out: what its
// manifest names, and what says who made it.
func wanted(m *catalogue.Model) func(string) string {
	return func(name string) string {
		_, name, ok := strings.Cut(name, "/")
		if !ok {
			return ""
		}
		if slices.Contains([]string{"LICENSE", "README.md", "MODEL_CARD"}, name) {
			return name
		}
		for what, file := range m.Files {
			if name == file && what != "data" || what == "data" && strings.HasPrefix(name, file+"/") {
				return name
			}
		}
		return ""
	}
}

// archive gives the path of one of these in the download folder, whole and right. networksMB
// are unpacked from it.
func (s *Store) archive(ctx context.Context, any []catalogue.Archive, networksMB int) (string, error) {
	a, from := any[0], ""
	if s.From != "" {
		i := slices.IndexFunc(any, func(a catalogue.Archive) bool {
			info, err := os.Stat(filepath.Join(s.From, a.Name()))
			return err == nil && info.Mode().IsRegular()
		})
		if i < 0 {
			if _, err := os.Stat(s.From); err != nil {
				return "", fmt.Errorf("look for %s: %w", a.Name(), err)
			}
			return "", fmt.Errorf("%s has no %s", s.From, names(any))
		}
		a, from = any[i], filepath.Join(s.From, any[i].Name())
	}
	if err := os.MkdirAll(s.path(downloadFolder), 0o755); err != nil {
		return "", err
	}
	path := s.path(downloadFolder, a.Name())
	if s.checked(path, a) {
		return path, nil
	}
	if err := s.room(a.Size-length(path+".part"), networksMB); err != nil {
		return "", err
	}
	if from != "" {
		return path, s.copy(ctx, from, path, a)
	}
	f := &fetch.Fetcher{Agent: s.Agent, Notice: s.Notice, Progress: func(have, of int64) {
		s.progress("download", a.Name(), have, of)
	}}
	err := f.To(ctx, path, fetch.File{URL: s.Catalogue.URL(a), Size: a.Size, SHA256: a.SHA256})
	if errors.Is(err, fetch.ErrUnreachable) {
		err = fmt.Errorf("%w. Without a network: fetch %s elsewhere, and install with --from its folder", err,
			s.Catalogue.URL(a))
	}
	return path, err
}

// names lists archives of which any will do.
func names(any []catalogue.Archive) string {
	list := make([]string, len(any))
	for i, a := range any {
		list[i] = a.Name()
	}
	return strings.Join(list, " or ")
}

// checked reports whether an archive has been got already by who was ended before it was unpacked.
func (s *Store) checked(path string, a catalogue.Archive) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(f, a.Size+1))
	return err == nil && n == a.Size && hex.EncodeToString(sum.Sum(nil)) == a.SHA256
}

func length(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// room refuses what the disk has no space for.
func (s *Store) room(archive int64, networksMB int) error {
	var disk unix.Statfs_t
	if err := unix.Statfs(s.State, &disk); err != nil {
		return fmt.Errorf("ask how full the disk is: %w", err)
	}
	free := int64(disk.Bavail) * int64(disk.Bsize) / 1_000_000
	need := max(archive, 0)/1_000_000 + int64(networksMB) + reserveMB
	if free < need {
		return fmt.Errorf("it needs %d MB on the disk of %s, and %d MB are free", need, s.State, free)
	}
	return nil
}

// copy takes an archive from a folder, such as that of a stick, and checks what it has taken:
// the folder may give something else when it is read again.
func (s *Store) copy(ctx context.Context, from, to string, a catalogue.Archive) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	sum, n := sha256.New(), int64(0)
	err = files.Replace(to, 0o644, func(w io.Writer) error {
		out := io.MultiWriter(w, sum)
		for {
			got, err := io.CopyN(out, in, 1<<20)
			n += got
			s.progress("copy", a.Name(), n, a.Size)
			switch {
			case n > a.Size:
				return fmt.Errorf("%w: it is longer than %d bytes", fetch.ErrChecksum, a.Size)
			case errors.Is(err, io.EOF):
				return wrong(a, n, hex.EncodeToString(sum.Sum(nil)))
			case err != nil:
				return err
			case ctx.Err() != nil:
				return context.Cause(ctx)
			}
		}
	})
	if err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return nil
}

// wrong says that a file is not the archive, or nothing.
func wrong(a catalogue.Archive, n int64, sum string) error {
	if n == a.Size && sum == a.SHA256 {
		return nil
	}
	return fmt.Errorf("%w: it has %d bytes and the SHA-256 %s, and should have %d and %s", fetch.ErrChecksum, n, sum,
		a.Size, a.SHA256)
}

// unpack unpacks an archive into a folder of this name that is not in its place yet.
func (s *Store) unpack(ctx context.Context, name, archive string, want func(string) string) (string, error) {
	dir, err := s.fresh(name)
	if err != nil {
		return "", err
	}
	size := length(archive)
	limits := unpack.Limits{Entries: maxEntries, Bytes: maxRatio * size}
	return dir, unpack.Into(ctx, dir, archive, limits, want, func(read int64) {
		s.progress("unpack", filepath.Base(archive), read, size)
	})
}

// fresh is an empty folder for what is not in its place yet.
func (s *Store) fresh(name string) (string, error) {
	dir := s.path(newFolder, name)
	return dir, errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755))
}

// place puts a folder in its place, or in that of the one that is there, in one step.
func (s *Store) place(dir, to string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := errors.Join(unix.Syncfs(int(d.Fd())), d.Close()); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	err = unix.Renameat2(unix.AT_FDCWD, dir, unix.AT_FDCWD, to, unix.RENAME_EXCHANGE)
	if errors.Is(err, fs.ErrNotExist) { // nothing is there yet
		err = os.Rename(dir, to)
	}
	if err != nil {
		return fmt.Errorf("put %s in place: %w", to, err)
	}
	return errors.Join(files.Sync(filepath.Dir(to)), os.RemoveAll(dir))
}

// Remove takes a model away, with what has come of its archive, and whatever use.yaml says of it.
func (s *Store) Remove(name string) error {
	if err := model.CheckName(name); err != nil {
		return err
	}
	left := false // of a download that did not end
	if m := s.Catalogue.Find(name); m != nil {
		for _, end := range []string{"", ".part", ".tag"} {
			err := os.Remove(s.path(downloadFolder, m.Archive.Name()+end))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			left = left || err == nil
		}
	}
	use, err := model.ReadUse(s.State)
	if err != nil {
		return err
	}
	n := len(use.Hear) + len(use.Speak)
	for _, chosen := range []map[string]string{use.Hear, use.Speak} {
		for language, as := range chosen {
			if is, _, _ := strings.Cut(as, "/"); is == name {
				delete(chosen, language)
			}
		}
	}
	if n != len(use.Hear)+len(use.Speak) {
		if err := use.Write(s.State); err != nil {
			return err
		}
	}
	if _, err := os.Lstat(s.path(model.ModelsFolder, name)); errors.Is(err, fs.ErrNotExist) {
		if left {
			return nil
		}
		return fmt.Errorf("%s is not installed", name)
	}
	// Out of its place first: half a model must not be found.
	gone := s.path(newFolder, fmt.Sprint(name, ".", time.Now().UnixNano()))
	if err := os.MkdirAll(filepath.Dir(gone), 0o755); err != nil {
		return err
	}
	if err := os.Rename(s.path(model.ModelsFolder, name), gone); err != nil {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	return errors.Join(files.Sync(s.path(model.ModelsFolder)), os.RemoveAll(gone))
}
