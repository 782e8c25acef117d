package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"hearthd/speech/model"
)

// maxOwn bounds a model that a person brings, in bytes.
const maxOwn = 8 << 30

// Own installs a model that is not of the catalogue: a folder of files with a model.yaml. Nobody
// has checked it but the person who has it. Its name is that of the folder.
func (s *Store) Own(ctx context.Context, folder string) (*model.Manifest, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	m, err := model.Read(folder)
	if err != nil {
		return nil, fmt.Errorf("install %s: %w", folder, err)
	}
	if err := s.own(ctx, folder, m); err != nil {
		return nil, fmt.Errorf("install %s: %w", m.Name, err)
	}
	return m, nil
}

func (s *Store) own(ctx context.Context, folder string, m *model.Manifest) error {
	from, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer from.Close()
	names, size, err := list(from, m)
	if err != nil {
		return err
	}
	if err := s.room(size, 0); err != nil {
		return err
	}
	dir, err := s.fresh(m.Name)
	if err != nil {
		return err
	}
	have := int64(0)
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		n, err := take(from, name, filepath.Join(dir, filepath.FromSlash(name)), size-have)
		if err != nil {
			return err
		}
		have += n
		s.progress("copy", m.Name, have, size)
	}
	if err := m.Write(dir); err != nil {
		return err
	}
	return s.place(dir, s.path(model.ModelsFolder, m.Name))
}

// list gives the files that a manifest names, and how long they are together.
func list(from *os.Root, m *model.Manifest) (names []string, size int64, err error) {
	for _, top := range m.Files {
		err := fs.WalkDir(from.FS(), path.Clean(top), func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			info, err := from.Lstat(name)
			if err != nil {
				return err
			}
			names, size = append(names, name), size+info.Size()
			switch {
			case !info.Mode().IsRegular():
				return fmt.Errorf("%.80q is no file", name)
			case len(names) > maxEntries || size > maxOwn:
				return errors.New("it has too many files, or too long ones")
			}
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	return names, size, nil
}

// take copies one file, which is not longer than limit.
func take(from *os.Root, name, to string, limit int64) (int64, error) {
	in, err := from.Open(name)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return 0, err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(out, io.LimitReader(in, limit+1))
	if err == nil && n > limit {
		err = fmt.Errorf("%.80q grows while it is copied", name)
	}
	return n, errors.Join(err, out.Close())
}
