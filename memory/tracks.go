package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"hearthd/media"
)

const (
	// maxTracks bounds the music of a household.
	maxTracks = 100_000
	// trackBytes is what a track takes with its names (490 of 20,000, measured 2026-11). All may take half of
	// Options.MaxBytes: for them notes and turns would go that people want.
	trackBytes = 512
)

// Tracks gives the tracks in a folder.
func (s *Store) Tracks(ctx context.Context, dir string) ([]media.Track, error) {
	return s.tracks(ctx, "dir = ? ORDER BY file", dir)
}

const trackColumns = "dir, file, size, modified_ms, title, artist, album, genre, disc, number"

func (s *Store) tracks(ctx context.Context, where string, args ...any) ([]media.Track, error) {
	return read(ctx, s, "tracks", func(r *sql.Rows, t *media.Track) error {
		return r.Scan(&t.Dir, &t.File, &t.Size, (*millis)(&t.Modified), &t.Title, &t.Artist, &t.Album, &t.Genre,
			&t.Disc, &t.Number)
	}, "SELECT "+trackColumns+" FROM tracks WHERE "+where, args...)
}

// PutTracks stores tracks in place of those of the same files, and their names as sound gives them. The error matches
// ErrTooMany when there would be over 100,000, or over 1024 for each MiB of Options.MaxBytes.
func (s *Store) PutTracks(ctx context.Context, list []media.Track, sound func(media.Named) media.Sounding) error {
	return s.write(ctx, "put tracks", func(tx *sql.Tx) error {
		put, err := tx.PrepareContext(ctx, "INSERT OR REPLACE INTO tracks ("+trackColumns+
			") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
		if err != nil {
			return err
		}
		defer put.Close()
		name, err := tx.PrepareContext(ctx,
			"INSERT INTO track_names (kind, name, sound) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
		if err != nil {
			return err
		}
		defer name.Close()
		word, err := tx.PrepareContext(ctx, "INSERT INTO track_words (sound, name) VALUES (?, ?) ON CONFLICT DO NOTHING")
		if err != nil {
			return err
		}
		defer word.Close()
		for i := range list {
			t := &list[i]
			if _, err := put.ExecContext(ctx, t.Dir, t.File, t.Size, t.Modified.UnixMilli(), t.Title, t.Artist, t.Album,
				t.Genre, t.Disc, t.Number); err != nil {
				return err
			}
			for _, n := range t.Names() {
				if err := putName(ctx, name, word, sound(n)); err != nil {
					return err
				}
			}
		}
		return room(ctx, tx, "SELECT count(*) FROM tracks", int(min(maxTracks, s.maxBytes/2/trackBytes))+1)
	})
}

func putName(ctx context.Context, name, word *sql.Stmt, n media.Sounding) error {
	done, err := name.ExecContext(ctx, n.Kind, n.Name, n.Sound)
	if err != nil {
		return err
	}
	if rows, err := done.RowsAffected(); err != nil || rows == 0 { // it is known
		return err
	}
	id, err := done.LastInsertId()
	if err != nil {
		return err
	}
	for _, w := range n.Words {
		if _, err := word.ExecContext(ctx, w, id); err != nil {
			return err
		}
	}
	return nil
}

// RemoveTracks forgets files of a folder; none given: all of it.
func (s *Store) RemoveTracks(ctx context.Context, dir string, files ...string) error {
	return s.write(ctx, "remove tracks", func(tx *sql.Tx) error {
		if len(files) == 0 {
			_, err := tx.ExecContext(ctx, "DELETE FROM tracks WHERE dir = ?", dir)
			return err
		}
		for _, f := range files {
			if _, err := tx.ExecContext(ctx, "DELETE FROM tracks WHERE dir = ? AND file = ?", dir, f); err != nil {
				return err
			}
		}
		return nil
	})
}

// TrackDirs gives the folders that have tracks.
func (s *Store) TrackDirs(ctx context.Context) ([]string, error) {
	return read(ctx, s, "tracks", func(r *sql.Rows, dir *string) error { return r.Scan(dir) },
		"SELECT DISTINCT dir FROM tracks ORDER BY dir")
}

// kinds are the columns of tracks that are names.
var kinds = []media.Kind{media.Title, media.Artist, media.Album, media.Genre}

// DropTrackNames forgets the names that no track has any more.
func (s *Store) DropTrackNames(ctx context.Context) error {
	return s.write(ctx, "drop names", func(tx *sql.Tx) error {
		for _, k := range kinds {
			if _, err := tx.ExecContext(ctx, "DELETE FROM track_names WHERE kind = ? AND NOT EXISTS "+
				"(SELECT 1 FROM tracks WHERE "+string(k)+" = track_names.name)", k); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM track_words WHERE name NOT IN (SELECT id FROM track_names)")
		return err
	})
}

// FindNames gives names that sound so as a whole, or without a sound those that share most of the words, at most limit
// of them.
func (s *Store) FindNames(ctx context.Context, n media.Sounding, limit int) ([]media.Named, error) {
	one := func(r *sql.Rows, n *media.Named) error { return r.Scan(&n.Kind, &n.Name) }
	if n.Sound != "" {
		return read(ctx, s, "names", one, "SELECT kind, name FROM track_names WHERE sound = ?1 AND (?2 = '' OR kind = ?2) "+
			"LIMIT ?3", n.Sound, n.Kind, limit)
	}
	args, places := []any{n.Kind, limit}, make([]string, len(n.Words))
	for i, w := range n.Words {
		args, places[i] = append(args, w), fmt.Sprint("?", i+3)
	}
	return read(ctx, s, "names", one, `SELECT n.kind, n.name FROM
		(SELECT name, count(*) AS shared FROM track_words WHERE sound IN (`+strings.Join(places, ",")+`) GROUP BY name) AS w
		JOIN track_names n ON n.id = w.name WHERE ?1 = '' OR n.kind = ?1 ORDER BY w.shared DESC, length(n.name) LIMIT ?2`,
		args...)
}

// TracksOf gives tracks of which each of the names holds, in the order of their albums, or shuffled, at most limit.
func (s *Store) TracksOf(ctx context.Context, names []media.Named, shuffled bool, limit int) ([]media.Track, error) {
	where, args := []string{"true"}, []any{}
	for _, n := range names {
		for _, k := range kinds {
			if n.Kind == k {
				where, args = append(where, string(k)+" = ?"), append(args, n.Name)
			}
		}
	}
	order := " ORDER BY dir, disc, number, file"
	if shuffled {
		order = " ORDER BY random()"
	}
	return s.tracks(ctx, strings.Join(where, " AND ")+order+" LIMIT ?", append(args, limit)...)
}

// Track gives the track of a file.
func (s *Store) Track(ctx context.Context, dir, file string) (media.Track, bool, error) {
	list, err := s.tracks(ctx, "dir = ? AND file = ?", dir, file)
	if err != nil || len(list) == 0 {
		return media.Track{}, false, err
	}
	return list[0], true, nil
}

// TopArtists gives those with most tracks, at most limit of them, and how many tracks and artists there are.
func (s *Store) TopArtists(ctx context.Context, limit int) (names []string, tracks, artists int, err error) {
	names, err = read(ctx, s, "artists", func(r *sql.Rows, name *string) error { return r.Scan(name) },
		"SELECT artist FROM tracks WHERE artist != '' GROUP BY artist ORDER BY count(*) DESC, artist LIMIT ?", limit)
	if err == nil {
		err = s.db.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM tracks), "+
			"(SELECT count(*) FROM track_names WHERE kind = 'artist')").Scan(&tracks, &artists)
	}
	return names, tracks, artists, err
}

// maxQueues is how many podcasts have their place kept.
const maxQueues = 100

// Queue gives what was played under a name, and false if nothing was.
func (s *Store) Queue(ctx context.Context, name string) (q media.Queue, ok bool, err error) {
	var items []byte
	var from int64
	err = s.db.QueryRowContext(ctx, "SELECT items, place, from_ms FROM queues WHERE name = ?", name).
		Scan(&items, &q.At, &from)
	if errors.Is(err, sql.ErrNoRows) {
		return q, false, nil
	}
	if err == nil {
		err = json.Unmarshal(items, &q.Items)
	}
	if err != nil {
		return q, false, fmt.Errorf("read queue: %w", classify(err))
	}
	q.From = time.Duration(from) * time.Millisecond
	return q, q.At >= 0 && q.At < len(q.Items), nil
}

// LastPodcast gives the name under which an episode was played last, "" when none was.
func (s *Store) LastPodcast(ctx context.Context) (string, error) {
	list, err := read(ctx, s, "queues", func(r *sql.Rows, name *string) error { return r.Scan(name) },
		"SELECT name FROM queues WHERE name != '' ORDER BY used_ms DESC LIMIT 1")
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0], nil
}

// KeepQueue keeps what is played under a name; without items it keeps only the place in what it has.
func (s *Store) KeepQueue(ctx context.Context, name string, q media.Queue) error {
	return s.write(ctx, "keep queue", func(tx *sql.Tx) error {
		from, now := q.From.Milliseconds(), time.Now().UnixMilli()
		if len(q.Items) == 0 {
			_, err := tx.ExecContext(ctx, "UPDATE queues SET place = ?, from_ms = ?, used_ms = ? WHERE name = ?",
				q.At, from, now, name)
			return err
		}
		items, err := json.Marshal(q.Items)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO queues (name, items, place, from_ms, used_ms) "+
			"VALUES (?, ?, ?, ?, ?)", name, items, q.At, from, now); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx,
			"DELETE FROM queues WHERE name NOT IN (SELECT name FROM queues ORDER BY used_ms DESC LIMIT ?)", maxQueues)
		return err
	})
}

// maxFavourites bounds what people like.
const maxFavourites = 1000

// Favourites gives what people like, in the order in which they said so.
func (s *Store) Favourites(ctx context.Context) ([]media.Item, error) {
	return read(ctx, s, "favourites", func(r *sql.Rows, it *media.Item) error {
		var text []byte
		if err := r.Scan(&text); err != nil {
			return err
		}
		return json.Unmarshal(text, it)
	}, "SELECT item FROM favourites ORDER BY added_ms, rowid")
}

// SetFavourite keeps whether people like an item.
func (s *Store) SetFavourite(ctx context.Context, it media.Item, liked bool) error {
	text, err := json.Marshal(it)
	if err != nil {
		return fmt.Errorf("set favourite: %w", err)
	}
	return s.write(ctx, "set favourite", func(tx *sql.Tx) error {
		if !liked {
			_, err := tx.ExecContext(ctx, "DELETE FROM favourites WHERE item = ?", string(text))
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO favourites (item, added_ms) VALUES (?, ?) ON CONFLICT DO NOTHING",
			string(text), time.Now().UnixMilli()); err != nil {
			return err
		}
		return room(ctx, tx, "SELECT count(*) FROM favourites", maxFavourites+1)
	})
}
