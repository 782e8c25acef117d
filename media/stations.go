package media

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"hearthd/config/files"
	"hearthd/config/input"
)

// Station is a radio station of the household, or a podcast.
type Station struct {
	Name    string   `yaml:"name" json:"name"`
	Aliases []string `yaml:"aliases,omitempty" json:"aliases,omitempty"` // what people call it too
	URL     string   `yaml:"url" json:"url"`                             // of the stream, or of a playlist of it
	Podcast bool     `yaml:"podcast,omitempty" json:"podcast,omitempty"` // URL is that of a feed of episodes
}

// Item is what plays it.
func (s Station) Item() Item { return Item{Station: s.Name, URL: s.URL} }

// Found is a station of a directory on the internet.
type Found struct {
	Name    string `json:"name"`
	URL     string `json:"url_resolved"`
	Country string `json:"country"`
	Codec   string `json:"codec"`
	Bitrate int    `json:"bitrate"`
	Outside bool   `json:"-"` // the directory is none of the house
}

// Check says what is wrong with it, or nil.
func (f Found) Check() error { return Station{Name: f.Name, URL: f.URL}.check() }

// Item is what plays it.
func (f Found) Item() Item { return Item{Station: f.Name, URL: f.URL, Found: true, Outside: f.Outside} }

// Bounds of the file.
const (
	maxFile     = 256 << 10 // bytes
	maxStations = 500
	maxName     = 80 // bytes
	maxAliases  = 10
	maxURL      = 2000 // bytes
)

// check says what is wrong with a station, or nil.
func (s Station) check() error {
	for _, name := range append([]string{s.Name}, s.Aliases...) {
		if strings.TrimSpace(name) == "" || len(name) > maxName || strings.ContainsFunc(name, unspeakable) {
			return fmt.Errorf("station %q: want a name of letters, within %d bytes", name, maxName)
		}
	}
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || len(s.URL) > maxURL:
		return fmt.Errorf("station %q: want the address of a stream, http:// or https://", s.Name)
	case len(s.Aliases) > maxAliases:
		return fmt.Errorf("station %q: more than %d aliases", s.Name, maxAliases)
	}
	return nil
}

func unspeakable(r rune) bool { return r < ' ' || r == 0x7f }

// stations is the file of the household.
type stations struct {
	Stations []Station `yaml:"stations"`
}

// ReadStations reads a file of stations. Without one there are none. With an error, the list is of those that are
// right, or nil where the file cannot be read.
func ReadStations(path string) ([]Station, error) {
	text, err := input.ReadFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all stations
	if err == nil {
		err = input.DecodeYAML(text, &all)
	}
	if err != nil && !errors.Is(err, io.EOF) { // it is empty
		return nil, fmt.Errorf("read stations: %w", err)
	}
	return sound(all.Stations)
}

// sound is the stations of list that are right, and what is wrong with the first of the others.
func sound(list []Station) (right []Station, wrong error) {
	if len(list) > maxStations {
		return nil, fmt.Errorf("read stations: more than %d", maxStations)
	}
	names := make(map[string]bool)
	for _, s := range list {
		err := s.check()
		if err == nil && names[strings.ToLower(s.Name)] {
			err = fmt.Errorf("station %q: it is there twice", s.Name)
		}
		if err != nil {
			wrong = cmp.Or(wrong, err)
			continue
		}
		names[strings.ToLower(s.Name)] = true
		right = append(right, s)
	}
	return right, wrong
}

// WriteStations puts a file of stations in the place of the one at path.
func WriteStations(path string, list []Station) error {
	if _, err := sound(list); err != nil {
		return err
	}
	text, err := input.EncodeYAML(stations{list})
	if err != nil {
		return fmt.Errorf("write stations: %w", err)
	}
	head := "# The radio stations of the household. hearthctl radio writes this file; you may edit it.\n"
	return files.Write(path, append([]byte(head), text...), 0o644)
}

// Find is the station that a person calls by a name.
func Find(list []Station, name string) (Station, bool) {
	at := slices.IndexFunc(list, func(s Station) bool {
		return slices.ContainsFunc(append([]string{s.Name}, s.Aliases...), func(n string) bool {
			return strings.EqualFold(n, strings.TrimSpace(name))
		})
	})
	if at < 0 {
		return Station{}, false
	}
	return list[at], true
}
