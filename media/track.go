package media

import "time"

// Track is a file of music, as its tags tell it.
type Track struct {
	Dir, File string // below the folder of music
	Size      int64
	Modified  time.Time // to the millisecond

	Title, Artist, Album, Genre string
	Disc, Number                int
}

// Kind is what a name is of.
type Kind string

// The kinds of names in a folder of music.
const (
	Title    Kind = "title"
	Artist   Kind = "artist"
	Album    Kind = "album"
	Genre    Kind = "genre"
	Playlist Kind = "playlist"
)

// Named is something that has a name.
type Named struct {
	Kind Kind
	Name string
}

// Sounding is a name as it is found by its sound: that of the whole of it, and those of its words.
type Sounding struct {
	Named
	Sound string
	Words []string
}

// Names are what people may call to hear a track.
func (t *Track) Names() []Named {
	all := []Named{{Title, t.Title}, {Artist, t.Artist}, {Album, t.Album}, {Genre, t.Genre}}
	some := all[:0]
	for _, n := range all {
		if n.Name != "" {
			some = append(some, n)
		}
	}
	return some
}

// Queue is what is played one after the other, and how far that has come.
type Queue struct {
	Items []Item
	At    int           // in Items
	From  time.Duration // place in that item
}
