// Package library knows the music in a folder of the household: its files with their tags, which it keeps in a store,
// and the playlists. Run is one goroutine, which looks through the folder; any goroutine may ask.
package library

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"hearthd/media"
)

const (
	// look is how often the folder is looked through.
	look = 15 * time.Minute
	// idle is how many times as long as it has worked a look rests, so that it takes a fifth of a core at most.
	idle = 4
	// queue is how many tracks are played one after the other.
	queue = 500
)

// store keeps what is known of the files.
type store interface {
	Tracks(ctx context.Context, dir string) ([]media.Track, error)
	Track(ctx context.Context, dir, file string) (media.Track, bool, error)
	TrackDirs(ctx context.Context) ([]string, error)
	PutTracks(ctx context.Context, list []media.Track, sound func(media.Named) media.Sounding) error
	RemoveTracks(ctx context.Context, dir string, files ...string) error
	DropTrackNames(ctx context.Context) error
	FindNames(ctx context.Context, n media.Sounding, limit int) ([]media.Named, error)
	TracksOf(ctx context.Context, names []media.Named, shuffled bool, limit int) ([]media.Track, error)
	TopArtists(ctx context.Context, limit int) (names []string, tracks, artists int, err error)
}

// Options are what a library is made with.
type Options struct {
	Folder string // empty: there is none
	Store  store
	// Looked is called by Run after each look through the folder, with what was wrong; nil: nothing was.
	Looked func(ctx context.Context, err error)
	Log    *slog.Logger
}

// Library is the music of a household.
type Library struct {
	Options
	lists atomic.Pointer[map[string]string] // the playlists by their names, as they were last seen
}

// New checks the options.
func New(o Options) (*Library, error) {
	if o.Store == nil || o.Looked == nil || o.Log == nil {
		return nil, errors.New("new library: a store, what is to be told and a logger are needed")
	}
	l := &Library{Options: o}
	l.lists.Store(new(map[string]string))
	return l, nil
}

// Run looks through the folder now and again until ctx ends.
func (l *Library) Run(ctx context.Context) error {
	if l.Folder == "" {
		<-ctx.Done()
		return nil
	}
	for {
		err := l.Look(ctx, pace)
		if ctx.Err() != nil {
			return nil
		}
		l.Looked(ctx, err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(look):
		}
	}
}

// pace rests in proportion to the work since began.
func pace(ctx context.Context, began time.Time) {
	select {
	case <-ctx.Done():
	case <-time.After(idle * time.Since(began)):
	}
}

// Item is what plays a track.
func (l *Library) Item(t *media.Track) media.Item {
	return media.Item{Path: filepath.Join(l.Folder, filepath.FromSlash(t.Dir), t.File), Title: t.Title, Artist: t.Artist,
		Album: t.Album}
}

// Of gives what plays tracks of which all the names hold; without one, of the whole folder: in their order or shuffled.
func (l *Library) Of(ctx context.Context, shuffled bool, names ...media.Named) ([]media.Item, error) {
	if l.Folder == "" {
		return nil, nil
	}
	if len(names) == 1 && names[0].Kind == media.Playlist {
		return l.listed(ctx, names[0].Name, shuffled)
	}
	list, err := l.Store.TracksOf(ctx, names, shuffled, queue)
	return l.items(list), err
}

func (l *Library) items(list []media.Track) []media.Item {
	items := make([]media.Item, len(list))
	for i := range list {
		items[i] = l.Item(&list[i])
	}
	return items
}

// Top gives the artists with most tracks, and how many tracks and artists there are.
func (l *Library) Top(ctx context.Context, limit int) (names []string, tracks, artists int, err error) {
	if l.Folder == "" {
		return nil, 0, 0, nil
	}
	return l.Store.TopArtists(ctx, limit)
}
