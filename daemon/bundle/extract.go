package bundle

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// keepFree is how much space unpacking leaves on the disk, in bytes.
const keepFree = 64 << 20

// Extract unpacks the bundle r into dir, which is empty, and gives its manifest. When
// it returns without an error, dir holds the files of the manifest and no others, as
// they were when they were written. After an error, what is in dir is worth nothing.
func Extract(r io.Reader, dir string) (Manifest, error) {
	zip, err := gzip.NewReader(r)
	if err != nil {
		return Manifest{}, fmt.Errorf("this is not a backup of hearthctl: %w", err)
	}
	defer zip.Close()
	// The headers inside the tar are not counted separately from its files: all of it counts.
	counted := &bounded{r: zip, left: maxAll + maxRatio}
	in := tar.NewReader(counted)
	found := make(map[string]File)
	for {
		h, err := in.Next()
		if err != nil {
			return Manifest{}, fmt.Errorf("read backup: it ends without its list of files: %w", err)
		}
		if h.Name == manifestName {
			m, err := readManifest(in, h.Size)
			if err != nil {
				return Manifest{}, err
			}
			return m, m.agrees(found)
		}
		if err := take(in, h, dir, found); err != nil {
			return Manifest{}, fmt.Errorf("read backup: %w", err)
		}
	}
}

var errTooLarge = errors.New("it is larger than any backup")

func size(files map[string]File) (sum int64) {
	for _, f := range files {
		sum += f.Size
	}
	return sum
}

// take unpacks one file.
func take(in io.Reader, h *tar.Header, dir string, found map[string]File) error {
	limit, err := Limit(h.Name)
	_, twice := found[h.Name]
	switch {
	case err != nil:
		return err
	case h.Typeflag != tar.TypeReg:
		return fmt.Errorf("file %q is no plain file", h.Name)
	case h.Size > limit:
		return fmt.Errorf("file %q has %d bytes, more than %d", h.Name, h.Size, limit)
	case twice:
		return fmt.Errorf("file %q stands twice", h.Name)
	case len(found) == maxFiles:
		return fmt.Errorf("there are more than %d files", maxFiles)
	case h.Size > maxAll-size(found):
		return errTooLarge
	}
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err == nil && int64(disk.Bavail)*int64(disk.Bsize)-keepFree < h.Size {
		return fmt.Errorf("unpack %q: %w", h.Name, unix.ENOSPC)
	}
	path := filepath.Join(dir, filepath.FromSlash(h.Name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), in)
	err = errors.Join(err, short(n, h.Size), f.Chmod(perm(h.FileInfo().Mode())), f.Sync(), f.Close())
	if err != nil {
		return fmt.Errorf("unpack %q: %w", h.Name, err)
	}
	found[h.Name] = File{h.Name, n, hex.EncodeToString(sum.Sum(nil))}
	return nil
}

func readManifest(in io.Reader, size int64) (m Manifest, err error) {
	if size > maxList {
		return m, fmt.Errorf("read backup: its list of files has %d bytes, more than %d", size, maxList)
	}
	text, err := io.ReadAll(in)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	switch {
	case err != nil:
		return m, fmt.Errorf("read backup: its list of files: %w", err)
	case m.Format > format:
		return m, fmt.Errorf("a newer hearthctl (%.40s) wrote this backup, in format %d; this one reads up to %d",
			m.Version, m.Format, format)
	case m.Format < 1:
		return m, fmt.Errorf("read backup: there is no format %d", m.Format)
	}
	return m, nil
}

// agrees says whether what was found is what the manifest lists.
func (m *Manifest) agrees(found map[string]File) error {
	for _, f := range m.Files {
		if found[f.Name] != f {
			return fmt.Errorf("the backup is damaged: %q is not what its list says", f.Name)
		}
	}
	if len(m.Files) != len(found) {
		return fmt.Errorf("the backup is damaged: it holds %d files, and its list %d", len(found), len(m.Files))
	}
	return nil
}

// bounded ends with an error where io.LimitReader would end as if the stream were complete.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
