// Package media says what can be played in the kitchen, and what went wrong with it: stations of radio and podcasts,
// which stand in a file of the household, files, and other players. It runs no goroutine.
package media

import (
	"cmp"
	"time"
)

// Item is something that plays: a stream without an end, or a file.
type Item struct {
	Station string `json:",omitempty"` // name of the station; empty: it is none
	Podcast string `json:",omitempty"` // name of the podcast, instead of a station
	Source  string `json:",omitempty"` // name of another player, which sends what it plays
	// Ahead is how much of what comes at its own pace waits to be heard; 0: it waits for us.
	Ahead   time.Duration `json:",omitempty"`
	Found   bool          `json:",omitempty"` // in a directory: the household's file has no such station
	URL     string        `json:",omitempty"` // of a stream, or of a file elsewhere
	Outside bool          `json:",omitempty"` // somebody outside the house wrote the URL
	Path    string        `json:",omitempty"` // of a file here, instead of URL
	Title   string        `json:",omitempty"`
	Artist  string        `json:",omitempty"`
	Album   string        `json:",omitempty"`
	Length  time.Duration `json:",omitempty"` // as its feed says; 0: that is not known
}

// Called is what people call it.
func (i Item) Called() string { return cmp.Or(i.Station, i.Source, i.Title, i.Podcast, i.Artist) }

// Live reports whether what was missed of it is gone.
func (i Item) Live() bool { return i.Station != "" }

// State is what becomes of an item.
type State string

// The states.
const (
	Stopped State = "stopped"
	Playing State = "playing" // or begins to
	Paused  State = "paused"  // by a person
)

// Now is what plays.
type Now struct {
	State  State
	Item   Item
	Title  string    // as the station or the tags tell it; words from outside the house
	Volume int       // percent, under the volume of the speaker
	Until  time.Time // when it falls silent by itself; zero: it goes on
}

// Problem is why an item does not play. Its text is for the log.
type Problem string

// The problems.
const (
	Unreachable Problem = "it cannot be reached"
	Refused     Problem = "its server refuses it"
	Gone        Problem = "its server does not have it"
	Inside      Problem = "it leads from outside into the house"
	NoSound     Problem = "it holds no sound"
	Nothing     Problem = "it sends nothing that can be played"
	Lost        Problem = "it stopped sending"
	Silent      Problem = "it sends silence"
	Locked      Problem = "it is encrypted"
	NoList      Problem = "its playlist leads to nothing that plays"
	NoDecoder   Problem = "ffmpeg is not installed"
	Broken      Problem = "its program does not run"
	NoSpeaker   Problem = "the speaker does not work"
)

// Error implements error.
func (p Problem) Error() string { return string(p) }

// Lasting reports whether another attempt would fare the same.
func (p Problem) Lasting() bool {
	switch p {
	case Unreachable, Lost, Nothing, Refused:
		return false
	}
	return true
}
