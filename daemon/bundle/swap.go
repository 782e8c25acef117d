package bundle

import (
	"errors"
	"fmt"
	"hearthd/config/files"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Swap puts the folder fresh in the place of dir in one step, so that a power cut leaves the one or
// the other; what was there is kept under the name aside. Both are on one file system; without dir,
// fresh simply takes its name. When it fails, everything is where it was.
func Swap(dir, fresh, aside string) error {
	_, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.Join(os.Rename(fresh, dir), files.Sync(filepath.Dir(dir)))
	}
	if err := exchange(fresh, dir); err != nil {
		return err
	}
	if err := os.Rename(fresh, aside); err != nil {
		return errors.Join(err, exchange(fresh, dir))
	}
	if err := files.Sync(filepath.Dir(dir)); err != nil {
		return errors.Join(err, SwapBack(dir, fresh, aside))
	}
	return nil
}

// SwapBack undoes a Swap with the same arguments.
func SwapBack(dir, fresh, aside string) error {
	if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(dir, fresh)
	}
	if err := exchange(aside, dir); err != nil {
		return err
	}
	return os.Rename(aside, fresh)
}

func exchange(a, b string) error {
	if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
		return fmt.Errorf("exchange %s: %w", b, err)
	}
	return nil
}

// Graft adds to fresh everything that dir has and fresh has not: hard links to the same files. It
// leaves out the names directly in dir for which but is true. Files keep their owners from dir; files that only
// fresh has get the owner of dir.
func Graft(dir, fresh string, but func(name string) bool) error {
	info, err := os.Stat(dir) // the mode of a link itself admits everybody
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("look at %s: it has no owner", dir)
	}
	err = filepath.WalkDir(fresh, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, int(owner.Uid), int(owner.Gid)))
	})
	if err = errors.Join(err, os.Chmod(fresh, info.Mode().Perm())); err != nil {
		return err
	}
	return graft(dir, fresh, but)
}

func graft(dir, fresh string, but func(name string) bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if but(e.Name()) {
			continue
		}
		from, to := filepath.Join(dir, e.Name()), filepath.Join(fresh, e.Name())
		if _, err := os.Lstat(to); err == nil && !e.IsDir() {
			continue
		}
		if err := graftOne(from, to, e); err != nil {
			return fmt.Errorf("keep %s: %w", from, err)
		}
	}
	return files.Sync(fresh)
}

func graftOne(from, to string, e fs.DirEntry) error {
	info, err := e.Info()
	if err != nil {
		return err
	}
	switch {
	case e.IsDir():
		if err := os.Mkdir(to, info.Mode().Perm()); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if owner, ok := info.Sys().(*syscall.Stat_t); ok {
			if err := os.Lchown(to, int(owner.Uid), int(owner.Gid)); err != nil {
				return err
			}
		}
		return graft(from, to, func(string) bool { return false })
	case info.Mode().IsRegular():
		if err := os.Link(from, to); !errors.Is(err, unix.EXDEV) {
			return err
		}
		return Copy(from, to, info.Mode().Perm())
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	return nil // sockets and the like belong to the process that runs
}

// Copy makes the file to from another one, for what lies on another file system.
func Copy(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}
