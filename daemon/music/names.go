package music

import (
	"context"
	"errors"
	"os/exec"

	"hearthd/daemon/health"
	"hearthd/media"
	"hearthd/memory"
	"hearthd/tools/intent"
)

// changed has the stations understood, and says what is wrong with their file, or missing to hear them.
func (m *Music) changed(list []media.Station, err error) {
	names := make([]intent.Name, len(list))
	for i, s := range list {
		names[i] = intent.Name{Value: s.Name, Forms: append([]string{s.Name}, s.Aliases...)}
	}
	for _, it := range m.Sources() {
		names = append(names, intent.Name{Value: it.Source, Forms: []string{it.Source}})
	}
	m.opt.Matcher.SetNames("station", names)
	wrong := ""
	if err != nil {
		m.opt.Log.Warn("stations not taken", "component", "media", "error", err)
		wrong = "The file of radio stations has a mistake: " + err.Error() + "."
	}
	m.opt.Conditions.Keep("stations", health.Warning, wrong)
	lacks := ""
	if _, err := exec.LookPath(m.opt.Decoder); err != nil && (len(list) > 0 || m.opt.Folder != "") {
		lacks = "There are radio stations or music, and nothing to play them with: install Debian's package ffmpeg."
	}
	m.opt.Conditions.Keep("media", health.Warning, lacks)
}

// heardArtists is how many artists the built-in recogniser is taught, those with most tracks. The others, and
// all albums and titles, are understood where a server hears, or in writing.
const heardArtists = 60

// looked says what was wrong with the folder of music, and has its names understood.
func (m *Music) looked(ctx context.Context, err error) {
	wrong := ""
	switch {
	case errors.Is(err, memory.ErrTooMany):
		wrong = "There are more files in the folder of music than can be known: 100,000, and 1000 for each of memory.max_mb."
	case err != nil:
		wrong = "The folder of music cannot be read: " + err.Error() + "."
	}
	if err != nil {
		m.opt.Log.Warn("folder of music not read", "component", "media", "error", err)
	}
	m.opt.Conditions.Keep("music", health.Warning, wrong)
	m.know(ctx)
}

// know has artists and playlists understood by name.
func (m *Music) know(ctx context.Context) {
	top, _, _, err := m.library.Top(ctx, heardArtists)
	if err != nil {
		m.opt.Log.Warn("names of music not read", "component", "media", "error", err)
		return
	}
	m.opt.Matcher.SetNames("artist", called(top))
	m.opt.Matcher.SetNames("playlist", called(m.library.Playlists()))
}

func called(list []string) []intent.Name {
	names := make([]intent.Name, len(list))
	for i, name := range list {
		names[i].Value = name
	}
	return names
}
