package library

import (
	"context"
	"slices"
	"strings"

	"hearthd/config/letters"
	"hearthd/media"
)

const (
	// proposed is how many names of the store are compared with what was said.
	proposed = 300
	// enough is how like what was said a name has to be: a word of four may be another, or a tenth of the letters.
	enough = 0.75
	// long is the length of a word in letters below which it says little of a name: of, the, in.
	long = 3
)

// Find gives the name that a person means, of a kind or of any, and false if there is none.
func (l *Library) Find(ctx context.Context, kind media.Kind, said string) (media.Named, bool, error) {
	if l.Folder == "" || len(words(said)) == 0 {
		return media.Named{}, false, nil
	}
	var lists []media.Named
	if kind == "" || kind == media.Playlist {
		lists = l.playlists()
	}
	whole := sounding(media.Named{Kind: kind, Name: said})
	parts := media.Sounding{Named: whole.Named, Words: telling(whole.Words)}
	for _, asked := range []media.Sounding{whole, parts} {
		all := lists
		if kind != media.Playlist {
			found, err := l.Store.FindNames(ctx, asked, proposed)
			if err != nil {
				return media.Named{}, false, err
			}
			all = append(slices.Clone(lists), found...)
		}
		if best, ok := nearest(said, all); ok {
			return best, true, nil
		}
	}
	return media.Named{}, false, nil
}

// nearest is the name that is most like what was said, if it is like enough.
func nearest(said string, all []media.Named) (best media.Named, ok bool) {
	most := 0.0
	for _, n := range all {
		if score := likeness(said, n.Name); score >= enough && score+favour[n.Kind] > most {
			best, most = n, score+favour[n.Kind]
		}
	}
	return best, most > 0
}

// favour is which of several that are called the same is meant.
var favour = map[media.Kind]float64{media.Playlist: 0.05, media.Artist: 0.04, media.Genre: 0.03, media.Album: 0.02}

// telling are the sounds that few names have, or all if there are none.
func telling(sounds []string) []string {
	some := slices.DeleteFunc(slices.Clone(sounds), func(s string) bool { return len(s) < 2 })
	if len(some) == 0 {
		return sounds
	}
	return some
}

// likeness is 1 for the same name, and 0 for one of which nothing was said.
func likeness(said, name string) float64 {
	a, b := words(said), words(name)
	whole := near(strings.Join(a, ""), strings.Join(b, ""))
	asked, heard, there := 0.0, 0.0, 0.0
	for _, w := range a {
		best := 0.0
		for _, v := range b {
			best = max(best, near(w, v))
		}
		asked += weight(w)
		heard += best * weight(w)
	}
	for _, v := range b {
		there += weight(v)
	}
	if asked <= float64(len(a)) || there == 0 { // what was said tells nothing but as a whole
		return whole
	}
	// What was said has to be in the name; what else the name has, as "remastered", says little.
	return max(whole, heard/asked*(0.85+0.15*min(asked/there, 1)))
}

func weight(word string) float64 {
	if len(word) < long || slices.Contains(articles, word) {
		return 1
	}
	return float64(len(word))
}

// articles stand in front of names, or do not: the Beatles.
var articles = []string{"the", "a", "an", "der", "die", "das"}

// near is how like two words are.
func near(a, b string) float64 {
	if a == b {
		return 1
	}
	size := max(len(a), len(b))
	if size < 4 {
		return 0
	}
	if sound(a) == sound(b) {
		return max(0.8, 1-float64(letters.Edits(a, b, size))/float64(2*size))
	}
	most := size / 4
	if d := letters.Edits(a, b, most); d <= most {
		return 1 - float64(d)/float64(size)
	}
	return 0
}
