package knowledge

import (
	"context"
	"errors"
	"fmt"
	"hearthd/llm"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

const (
	maxFiles  = 2000
	maxFile   = 20 << 20 // bytes
	maxLevels = 8        // of folders
	maxPath   = 1000     // bytes, as the store has it
	// settled is how long a file must be unchanged before it is read, because it may still be
	// being copied.
	settled = 2 * time.Second
)

// list lists the files of the folder that can be read, without links and hidden files.
func list(root *os.Root) (found []llm.Document, skipped int, err error) {
	err = fs.WalkDir(root.FS(), ".", func(at string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && at == ".":
			return err
		case err != nil:
			skipped++
			return nil
		case at != "." && strings.HasPrefix(path.Base(at), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			if strings.Count(at, "/") >= maxLevels {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular() || kind(at) == "":
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return nil // gone meanwhile
		}
		if len(found) == maxFiles || len(at) > maxPath {
			skipped++
			return nil
		}
		found = append(found, llm.Document{Path: at, Size: info.Size(),
			Modified: info.ModTime().Truncate(time.Millisecond)})
		return nil
	})
	return found, skipped, err
}

// scan updates the index to what is in the folder.
func (k *Knowledge) scan(ctx context.Context, first bool) error {
	var found []llm.Document
	var skipped int
	root, err := os.OpenRoot(k.o.Dir)
	if err == nil {
		defer root.Close()
		found, skipped, err = list(root)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read folder: %w", err)
	}
	missing := err != nil
	if k.current && missing == k.missing && skipped == k.skipped && slices.Equal(found, k.seen) {
		return nil
	}
	k.seen, k.missing, k.skipped, k.current, k.embedded = found, missing, skipped, false, false
	was, err := k.prune(ctx, found)
	if err != nil {
		return err
	}
	status, current := Status{Missing: missing, Skipped: skipped}, true
	for _, d := range found {
		old, ok := was[d.Path]
		same := ok && old.Size == d.Size && old.Modified.Equal(d.Modified)
		switch age := time.Since(d.Modified); {
		case same && !(first && old.Problem != ""): // the problem may have been solved outside the file
			d.Problem = old.Problem
		case age >= 0 && age < settled:
			current = false
			if !ok {
				continue
			}
			d.Problem = old.Problem // until then the old text is searched
		default:
			if d.Problem, err = k.index(ctx, root, d); err != nil {
				return err
			}
		}
		status.add(d)
	}
	k.current = current
	k.o.Changed(status, k.Tool())
	return nil
}

// prune removes documents that were not found, and returns all that there were.
func (k *Knowledge) prune(ctx context.Context, found []llm.Document) (was map[string]llm.Document, err error) {
	known, err := k.o.Store.Documents(ctx)
	if err != nil {
		return nil, err
	}
	there := make(map[string]bool, len(found))
	for _, d := range found {
		there[d.Path] = true
	}
	var gone []string
	was = make(map[string]llm.Document, len(known))
	for _, d := range known {
		was[d.Path] = d
		if !there[d.Path] {
			gone = append(gone, d.Path)
		}
	}
	if len(gone) > 0 {
		return was, k.o.Store.RemoveDocuments(ctx, gone...)
	}
	return was, nil
}

// index reads one file. The problem is one with the file; the error is that of the store.
func (k *Knowledge) index(ctx context.Context, root *os.Root, d llm.Document) (problem string, err error) {
	data, err := read(root, d)
	var list []llm.Passage
	if err == nil {
		list, err = k.passages(ctx, d.Path, data)
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err == nil {
		err = k.o.Store.PutDocument(ctx, d, list)
		if err == nil {
			k.o.Log.Info("document indexed", "component", "knowledge", "path", d.Path, "count", len(list))
			return "", nil
		}
		if !errors.Is(err, k.o.NoRoom) {
			return "", err
		}
	}
	k.o.Log.Warn("document skipped", "component", "knowledge", "path", d.Path, "error", err)
	d.Problem = err.Error()
	return d.Problem, k.o.Store.PutDocument(ctx, d, nil)
}

// read reads a file below the folder. No link can lead out of the folder, even if the file was
// replaced after it was listed.
func read(root *os.Root, d llm.Document) ([]byte, error) {
	if d.Size > maxFile {
		return nil, fmt.Errorf("it is larger than %d MB", maxFile>>20)
	}
	f, err := root.Open(d.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errNoText)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("it is larger than %d MB", maxFile>>20)
	}
	return data, err
}
