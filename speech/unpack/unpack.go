// Package unpack takes the files that are wanted out of an archive that a stranger made:
// .tar.bz2, .tar.gz and zip, which a Python wheel is. Names, numbers and sizes are bounded
// before anything is written, links and devices are never made, and nothing is written but
// below the folder that is given. It runs no goroutine, and syncs nothing.
package unpack

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"hearthd/config/letters"
)

// Limits bound an archive.
type Limits struct {
	Entries int   // with those that are not wanted
	Bytes   int64 // unpacked, with those that are not wanted
}

const (
	maxName  = 512 // bytes
	maxDepth = 16  // folders
)

// Into writes those files of the archive into dir for which want gives a name there; "" is
// for a file that is not wanted. Names have slashes. tick is told how many bytes of the
// archive have been read. What stands in dir after an error is for the caller to remove.
func Into(ctx context.Context, dir, archive string, limits Limits, want func(name string) string,
	tick func(read int64)) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	u := &unpacking{root: root, left: limits, want: want}
	read := bufio.NewReaderSize(&counted{f, 0, tick}, 64<<10)
	head, err := read.Peek(4)
	if err != nil {
		return fmt.Errorf("unpack: it has no beginning: %w", err)
	}
	switch {
	case bytes.HasPrefix(head, []byte("BZh")):
		err = u.tar(ctx, bzip2.NewReader(read))
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		var z *gzip.Reader
		if z, err = gzip.NewReader(read); err == nil {
			err = u.tar(ctx, z)
		}
	case bytes.Equal(head, []byte("PK\x03\x04")):
		err = u.zip(ctx, f)
	default:
		err = errors.New("it is no archive of a kind that is known")
	}
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	return nil
}

// counted tells how much was read.
type counted struct {
	r    io.Reader
	n    int64
	tick func(int64)
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	if c.n += int64(n); c.tick != nil {
		c.tick(c.n)
	}
	return n, err
}

type unpacking struct {
	root *os.Root
	left Limits
	want func(string) string
}

// tar reads all of a tar. One that is cut off is an error even where what was wanted has come.
func (u *unpacking) tar(ctx context.Context, r io.Reader) error {
	// The sizes in the heads tell too little: of what a name or a hole unpacks to, say.
	all := &bounded{r, u.left.Bytes + int64(u.left.Entries)*2048 + 64<<10}
	t := tar.NewReader(all)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, all) // to the checksum of the stream
			return err
		}
		if err != nil {
			return err
		}
		e := entry{name: h.Name, size: h.Size, file: h.Typeflag == tar.TypeReg, folder: h.Typeflag == tar.TypeDir,
			exec: h.FileInfo().Mode()&0o100 != 0}
		if err := u.take(ctx, &e, func() (io.ReadCloser, error) { return io.NopCloser(t), nil }); err != nil {
			return err
		}
	}
}

func (u *unpacking) zip(ctx context.Context, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return err
	}
	for _, h := range z.File {
		if h.UncompressedSize64 > uint64(u.left.Bytes) {
			return fmt.Errorf("%.80q is too long", h.Name)
		}
		mode := h.Mode()
		e := entry{name: h.Name, size: int64(h.UncompressedSize64), file: mode.IsRegular(), folder: mode.IsDir(),
			exec: mode&0o100 != 0}
		if err := u.take(ctx, &e, h.Open); err != nil {
			return err
		}
	}
	return nil
}

// entry is one of an archive.
type entry struct {
	name         string
	size         int64
	file, folder bool
	exec         bool
}

// take counts an entry, and writes it if it is wanted.
func (u *unpacking) take(ctx context.Context, e *entry, open func() (io.ReadCloser, error)) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	u.left.Entries--
	u.left.Bytes -= max(e.size, 0)
	switch {
	case u.left.Entries < 0:
		return errors.New("it has too many entries")
	case e.size < 0 || u.left.Bytes < 0:
		return fmt.Errorf("%.80q makes it too long", e.name)
	case e.folder:
		return nil // made where a file needs it
	}
	name, err := Name(e.name)
	if err != nil {
		return err
	}
	as := u.want(name)
	if as == "" {
		return nil
	}
	if !e.file {
		return fmt.Errorf("%.80q is no file but a link or a device", e.name)
	}
	if as, err = Name(as); err != nil {
		return err
	}
	r, err := open()
	if err != nil {
		return err
	}
	return errors.Join(u.write(as, e, r), r.Close())
}

// Name is the name of a file in an archive without what means nothing. One that leads out of
// the archive, or that no file of ours has, is an error.
func Name(text string) (string, error) {
	name := path.Clean(strings.TrimPrefix(text, "./"))
	if len(text) > maxName || !fs.ValidPath(name) || name == "." || strings.Count(name, "/") > maxDepth ||
		strings.ContainsAny(name, "\\\x00") || letters.Plain(name, maxName) != name {
		return "", fmt.Errorf("%.80q is no name for a file", text)
	}
	return name, nil
}

// write makes the file and its folders. A second one of the same name is an error.
func (u *unpacking) write(name string, e *entry, r io.Reader) error {
	if err := u.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if e.exec {
		mode = 0o755
	}
	f, err := u.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, &bounded{r, e.size})
	if err == nil && n != e.size {
		err = fmt.Errorf("%.80q ends after %d bytes of %d", name, n, e.size)
	}
	return errors.Join(err, f.Close())
}

// bounded errs where there is more than left.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errors.New("it unpacks to more than it says")
	}
	return n, err
}
