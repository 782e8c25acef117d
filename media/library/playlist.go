package library

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hearthd/media"
)

const (
	maxPlaylists = 200
	maxPlaylist  = 512 << 10 // bytes
)

// isList reports whether a file is a playlist.
func isList(name string) bool {
	end := strings.ToLower(path.Ext(name))
	return !strings.HasPrefix(name, ".") && (end == ".m3u" || end == ".m3u8")
}

// list notes a playlist that the look comes to.
func (s *scan) list(file string) {
	name := clean(strings.TrimSuffix(path.Base(file), path.Ext(file)))
	if name != "" && len(s.lists) < maxPlaylists && s.lists[name] == "" {
		s.lists[name] = file
	}
}

func (l *Library) playlists() (names []media.Named) {
	for name := range *l.lists.Load() {
		names = append(names, media.Named{Kind: media.Playlist, Name: name})
	}
	slices.SortFunc(names, func(a, b media.Named) int { return strings.Compare(a.Name, b.Name) })
	return names
}

// Playlists are the names of those in the folder, after the first look.
func (l *Library) Playlists() (names []string) {
	for _, n := range l.playlists() {
		names = append(names, n.Name)
	}
	return names
}

// listed gives what plays a playlist: its files in the folder, and no address, for anybody may have written it.
func (l *Library) listed(ctx context.Context, name string, shuffled bool) ([]media.Item, error) {
	file := (*l.lists.Load())[name]
	root, err := os.OpenRoot(l.Folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPlaylist))
	if err != nil {
		return nil, err
	}
	var items []media.Item
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\uFEFF"))) {
		entry := strings.ReplaceAll(strings.TrimSpace(string(line)), "\\", "/")
		if entry == "" || strings.HasPrefix(entry, "#") || strings.Contains(entry, "://") || len(items) == queue {
			continue
		}
		if inside, ok := strings.CutPrefix(entry, filepath.ToSlash(filepath.Clean(l.Folder))+"/"); ok {
			entry = inside
		} else {
			entry = path.Join(path.Dir(file), entry)
		}
		if !fs.ValidPath(entry) || !plays(entry) {
			continue
		}
		t, ok, err := l.Store.Track(ctx, path.Dir(entry), path.Base(entry))
		if err != nil {
			return nil, err
		}
		if ok {
			items = append(items, l.Item(&t))
		}
	}
	if shuffled {
		rand.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	}
	return items, nil
}
