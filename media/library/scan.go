package library

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"hearthd/media"
)

const (
	// batch is how many tracks are stored at once.
	batch = 200
	// maxDepth bounds folders within folders.
	maxDepth = 12
	// maxEntries is what is looked at in one folder.
	maxEntries = 20_000
	// maxPath is the longest path of a track, in bytes.
	maxPath = 1000
)

// scan is one look through the folder.
type scan struct {
	*Library
	root    *os.Root
	rest    func(ctx context.Context, began time.Time)
	fresh   []media.Track // to be stored
	seen    map[string]bool
	closed  []string // folders that cannot be read
	changed bool
	lists   map[string]string
}

// Look reads what is new or has changed in the folder, and forgets what is gone. It calls rest after each folder, with
// the time at which the work on it began. A folder that cannot be read at all is an error, as is one that
// has become empty, and then nothing is forgotten.
func (l *Library) Look(ctx context.Context, rest func(ctx context.Context, began time.Time)) error {
	root, err := os.OpenRoot(l.Folder)
	if err != nil {
		return err
	}
	defer root.Close()
	s := &scan{Library: l, root: root, rest: rest, seen: map[string]bool{}, lists: map[string]string{}}
	if err := s.folder(ctx, ".", 0); err != nil {
		return err
	}
	if err := s.store(ctx); err != nil {
		return err
	}
	l.lists.Store(&s.lists)
	dirs, err := l.Store.TrackDirs(ctx)
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		below := func(closed string) bool { return strings.HasPrefix(dir, closed+"/") }
		if !s.seen[dir] && !slices.ContainsFunc(s.closed, below) {
			s.changed = true
			if err := l.Store.RemoveTracks(ctx, dir); err != nil {
				return err
			}
		}
	}
	if !s.changed {
		return nil
	}
	return l.Store.DropTrackNames(ctx)
}

// folder looks through one folder and those below it. What of them cannot be read is left as it was.
func (s *scan) folder(ctx context.Context, dir string, depth int) error {
	began := time.Now()
	s.seen[dir] = true
	f, err := s.root.Open(dir)
	if err != nil {
		return s.unread(dir, depth, err)
	}
	entries, err := f.ReadDir(maxEntries)
	if closed := f.Close(); err == nil || len(entries) > 0 || errors.Is(err, io.EOF) {
		err = closed
	}
	if err == nil && depth == 0 {
		err = s.emptied(ctx, entries)
	}
	if err != nil {
		return s.unread(dir, depth, err)
	}
	if err := s.files(ctx, dir, entries); err != nil {
		return err
	}
	if s.rest(ctx, began); ctx.Err() != nil {
		return ctx.Err()
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || depth == maxDepth {
			continue
		}
		if err := s.folder(ctx, path.Join(dir, e.Name()), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// errEmpty is that of a folder in which there was music, and is nothing: what is left where a disk is not mounted.
var errEmpty = errors.New("it is empty; is its disk mounted?")

func (s *scan) emptied(ctx context.Context, entries []fs.DirEntry) error {
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".") }) {
		return nil
	}
	known, err := s.Store.TrackDirs(ctx)
	if err == nil && len(known) > 0 {
		err = errEmpty
	}
	return err
}

func (s *scan) unread(dir string, depth int, err error) error {
	if depth == 0 {
		return err
	}
	s.closed = append(s.closed, dir)
	s.Log.Warn("folder of music not read", "component", "media", "path", dir, "error", err)
	return nil
}

// files takes the files of a folder that are new or have changed.
func (s *scan) files(ctx context.Context, dir string, entries []fs.DirEntry) error {
	list, err := s.Store.Tracks(ctx, dir)
	if err != nil {
		return err
	}
	known := make(map[string]*media.Track, len(list))
	for i := range list {
		known[list[i].File] = &list[i]
	}
	for _, e := range entries {
		name := e.Name()
		if isList(name) {
			s.list(path.Join(dir, name))
		}
		if !plays(name) || !e.Type().IsRegular() || len(dir)+len(name) > maxPath {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // it is gone
		}
		t := media.Track{Dir: dir, File: name, Size: info.Size(), Modified: info.ModTime().Truncate(time.Millisecond)}
		was := known[name]
		delete(known, name)
		if was != nil && was.Size == t.Size && was.Modified.Equal(t.Modified) {
			continue
		}
		s.tags(&t)
		s.changed = s.changed || was != nil
		if s.fresh = append(s.fresh, t); len(s.fresh) >= batch {
			if err := s.store(ctx); err != nil {
				return err
			}
		}
	}
	gone := make([]string, 0, len(known))
	for name := range known {
		gone = append(gone, name)
	}
	if len(gone) == 0 {
		return nil
	}
	s.changed = true
	return s.Store.RemoveTracks(ctx, dir, gone...)
}

func (s *scan) store(ctx context.Context) error {
	list := s.fresh
	s.fresh = s.fresh[:0]
	if len(list) == 0 {
		return nil
	}
	return s.Store.PutTracks(ctx, list, sounding)
}

// tags fills in what is known of a file: its tags, or else its name and those of its folders, as artist and album.
func (s *scan) tags(t *media.Track) {
	if f, err := s.root.Open(path.Join(t.Dir, t.File)); err == nil {
		err = readTags(f, t)
		if closed := f.Close(); err != nil || closed != nil {
			s.Log.Debug("tags not read", "component", "media", "path", path.Join(t.Dir, t.File), "error", err)
		}
	}
	if t.Title == "" {
		t.Title = clean(strings.TrimLeft(strings.TrimSuffix(t.File, path.Ext(t.File)), "0123456789 ._-"))
	}
	if t.Title == "" {
		t.Title = clean(t.File)
	}
	album, above := path.Base(t.Dir), path.Base(path.Dir(t.Dir))
	if t.Album == "" && album != "." {
		t.Album = clean(album)
	}
	if t.Artist == "" && above != "." && album != "." {
		t.Artist = clean(above)
	}
}

// ends are the files that are taken for music.
var ends = map[string]bool{
	".mp3": true, ".flac": true, ".ogg": true, ".oga": true, ".opus": true, ".m4a": true, ".aac": true, ".wav": true,
	".wma": true, ".aif": true, ".aiff": true, ".ape": true, ".wv": true, ".mka": true, ".mpc": true, ".dsf": true,
}

func plays(name string) bool {
	return !strings.HasPrefix(name, ".") && ends[strings.ToLower(path.Ext(name))]
}
