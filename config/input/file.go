// Package input reads what people and other boxes wrote, files and YAML, within bounds that are
// checked before anything is parsed. It is the one package that parses YAML, as a test of package
// daemon checks. It runs no goroutine and imports nothing of hearthd.
package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// ReadFile reads a regular file of at most limit bytes. Anything else is an error: a pipe
// would wait for its writer, and a device never ends. The error does not name the file.
func ReadFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path) // before opening, which some devices take for a command
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, bare(err)
	}
	// O_NONBLOCK, so that opening does not wait if a pipe took the place of the file since.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, bare(err)
	}
	return read(f, limit)
}

// ReadFS is ReadFile for a file of a file system.
func ReadFS(files fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(files, name)
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, bare(err)
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, bare(err)
	}
	return read(f, limit)
}

// read closes f.
func read(f fs.File, limit int64) ([]byte, error) {
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, bare(err)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, bare(err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("the file has more than %d bytes", limit)
	}
	return data, nil
}

// bare is err without the path, which the caller names.
func bare(err error) error {
	if p := new(fs.PathError); errors.As(err, &p) {
		return p.Err
	}
	return err
}

func regular(info fs.FileInfo) error {
	kind := "something else"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return fmt.Errorf("it is %s, and not a file", kind)
}
