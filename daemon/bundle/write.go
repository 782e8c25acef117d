package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"
)

// Writer writes a bundle. It is complete only after Close.
type Writer struct {
	zip   *gzip.Writer
	tar   *tar.Writer
	about Manifest
}

// NewWriter begins a bundle on w. Files and Format of about are filled in.
func NewWriter(w io.Writer, about Manifest) *Writer {
	zip := gzip.NewWriter(w)
	about.Format, about.Files = format, []File{}
	return &Writer{zip: zip, tar: tar.NewWriter(zip), about: about}
}

// Add copies a file of size bytes. Of mode it keeps only whether the file is executable.
func (w *Writer) Add(name string, size int64, mode fs.FileMode, r io.Reader) error {
	limit, err := Limit(name)
	switch {
	case err != nil:
		return err
	case size > limit:
		return fmt.Errorf("file %q has %d bytes, a backup takes %d", name, size, limit)
	case len(w.about.Files) == maxFiles:
		return fmt.Errorf("file %q: a backup takes %d files", name, maxFiles)
	case slices.ContainsFunc(w.about.Files, func(f File) bool { return f.Name == name }):
		return fmt.Errorf("file %q stands twice", name)
	}
	if err := w.tar.WriteHeader(&tar.Header{Name: name, Size: size, Mode: int64(perm(mode)),
		ModTime: w.about.Made}); err != nil {
		return fmt.Errorf("write %q: %w", name, err)
	}
	sum := sha256.New()
	if n, err := io.Copy(io.MultiWriter(w.tar, sum), io.LimitReader(r, size)); err != nil || n < size {
		return fmt.Errorf("write %q: %w", name, errors.Join(err, short(n, size)))
	}
	w.about.Files = append(w.about.Files, File{name, size, hex.EncodeToString(sum.Sum(nil))})
	return nil
}

func short(n, size int64) error {
	if n < size {
		return fmt.Errorf("it ended after %d of %d bytes", n, size)
	}
	return nil
}

func perm(mode fs.FileMode) fs.FileMode {
	if mode&0o100 != 0 {
		return 0o755
	}
	return 0o644
}

// AddFile adds the regular file at path, unless there is none: then added is false.
func (w *Writer) AddFile(name, path string) (added bool, err error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	return true, w.Add(name, info.Size(), info.Mode(), f)
}

// AddFolder adds the regular files of a folder, and names what it leaves out.
func (w *Writer) AddFolder(name, dir string) (left []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		if _, err := Limit(path.Join(name, e.Name())); err != nil || !e.Type().IsRegular() {
			left = append(left, file)
			continue
		}
		if _, err := w.AddFile(path.Join(name, e.Name()), file); err != nil {
			return left, err
		}
	}
	return left, nil
}

// AddConfig adds the configuration whose main file is file, and names what it leaves out.
func (w *Writer) AddConfig(file string) (left []string, err error) {
	dir := filepath.Dir(file)
	files := []struct{ name, path string }{{MainFile, file}, {stations, filepath.Join(dir, path.Base(stations))}}
	for _, f := range files {
		added, err := w.AddFile(f.name, f.path)
		if err != nil {
			return nil, err
		}
		if _, err := os.Lstat(f.path); !added && err == nil {
			left = append(left, f.path) // a link
		}
	}
	languages, err := os.ReadDir(filepath.Join(dir, "intents"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return left, err
	}
	inside := Folders()
	for _, l := range languages {
		own := path.Join("intents", l.Name())
		if inside = append(inside, own); l.IsDir() {
			inside = append(inside, path.Join(own, answers))
		}
	}
	for _, f := range inside {
		more, err := w.AddFolder(path.Join(Config, f), filepath.Join(dir, f))
		if errors.Is(err, syscall.ENOTDIR) { // such as a note beside the languages
			more, err = []string{filepath.Join(dir, f)}, nil
		}
		if left = append(left, more...); err != nil {
			return left, err
		}
		if path.Base(f) == answers { // which its language has named as a folder
			left = slices.DeleteFunc(left, func(at string) bool { return at == filepath.Join(dir, f) })
		}
	}
	return left, nil
}

// Close writes the manifest and ends the bundle.
func (w *Writer) Close() (Manifest, error) {
	list, err := json.MarshalIndent(w.about, "", "  ")
	if err != nil {
		return w.about, err
	}
	err = w.tar.WriteHeader(&tar.Header{Name: manifestName, Size: int64(len(list)), Mode: 0o644, ModTime: w.about.Made})
	if err == nil {
		_, err = io.Copy(w.tar, bytes.NewReader(list))
	}
	if err = errors.Join(err, w.tar.Close(), w.zip.Close()); err != nil {
		return w.about, fmt.Errorf("end backup: %w", err)
	}
	return w.about, nil
}
