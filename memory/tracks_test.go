package memory

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hearthd/media"
)

// Music goes into the same database, of which the oldest notes and turns make room for what is new.
func TestMusicLeavesRoomForWhatPeopleSaid(t *testing.T) {
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "hearthd.db"), MaxBytes: minMaxBytes,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	addNotes(t, s, "the plumber is Mr Jones")
	for n := 0; err == nil && n < 5000; n += 100 {
		var list []media.Track
		for i := n; i < n+100; i++ {
			list = append(list, media.Track{Dir: fmt.Sprintf("Artist %d/Some Album %d", i/100, i/12),
				File: fmt.Sprintf("%02d - A Song Title %d.flac", i%12, i), Title: fmt.Sprintf("A Song Title %d", i),
				Artist: fmt.Sprintf("Artist %d", i/100), Album: fmt.Sprintf("Some Album %d", i/12)})
		}
		err = s.PutTracks(t.Context(), list, func(n media.Named) media.Sounding {
			return media.Sounding{Named: n, Sound: n.Name, Words: []string{n.Name}}
		})
	}
	if !errors.Is(err, ErrTooMany) {
		t.Errorf("all music is taken: %v", err)
	}
	if err := s.AddTurn(t.Context(), Turn{ID: 1, Session: 1, Time: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if got := found(t, s, Query{Text: "plumber"}); !slices.Equal(got, []string{"the plumber is Mr Jones"}) {
		t.Errorf("it remembers %q", got)
	}
	if turns, err := s.Turns(t.Context(), 5); err != nil || len(turns) != 1 {
		t.Errorf("turns %+v, %v", turns, err)
	}
}
