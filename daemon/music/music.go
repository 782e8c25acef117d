// Package music is what the box plays beside what it says: the radio stations of the household, the player, and what
// is told of both.
package music

import (
	"context"
	"log/slog"
	"os/exec"

	"hearthd/audio"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/supervise"
	"hearthd/llm"
	"hearthd/media"
	"hearthd/media/player"
	"hearthd/tools/intent"
)

// matcher knows the stations by their names.
type matcher interface {
	SetNames(vocab string, names []intent.Name)
}

// Options are what Music needs.
type Options struct {
	Mixer    *audio.Mixer
	Wake     func() // wakes a resting speaker; must not block
	Source   player.Source
	Decoder  string                                // the program that Source needs: ffmpeg
	Stations string                                // the file of them
	Volume   int                                   // percent
	Sentence func(it media.Item, err error) string // says why something does not play any more
	Matcher  matcher
	// Announce says something aloud when the room is free for it.
	Announce   func(ctx context.Context, ask llm.Ask, text string, urgent bool) error
	Conditions *health.Conditions
	Bus        *event.Bus
	Log        *slog.Logger
}

// Music is what the box plays.
type Music struct {
	*player.Player
	opt      Options
	stations *media.Household
	failed   chan failure
}

// failure is what does not play any more.
type failure struct {
	item media.Item
	err  error
}

// New makes what plays radio and music.
func New(opt Options) (*Music, error) {
	m := &Music{opt: opt, failed: make(chan failure, 1)}
	var err error
	m.Player, err = player.New(player.Options{
		Mixer: opt.Mixer, Wake: opt.Wake, Source: opt.Source, Volume: opt.Volume,
		Changed: func(now media.Now) { opt.Bus.Publish(&event.MediaChanged{Media: shown(now)}) },
		Failed:  m.fail, Log: opt.Log,
	})
	if err != nil {
		return nil, err
	}
	m.stations = media.NewHousehold(opt.Stations, m.changed)
	return m, nil
}

// Parts run it.
func (m *Music) Parts() []supervise.Part {
	return []supervise.Part{
		{Name: "media", Policy: supervise.Restart, Run: m.Player.Run},
		{Name: "stations", Policy: supervise.Restart, Run: m.stations.Run},
		{Name: "media failures", Policy: supervise.Restart, Run: m.tell},
	}
}

// Stations are those of the household.
func (m *Music) Stations() []media.Station { return m.stations.List() }

// Shown is what plays now, as events show it.
func (m *Music) Shown() event.Media { return shown(m.Now()) }

// changed has the stations understood, and says what is wrong with their file, or missing to hear them.
func (m *Music) changed(list []media.Station, err error) {
	names := make([]intent.Name, len(list))
	for i, s := range list {
		names[i] = intent.Name{Value: s.Name, Forms: append([]string{s.Name}, s.Aliases...)}
	}
	m.opt.Matcher.SetNames("station", names)
	wrong := ""
	if err != nil {
		m.opt.Log.Warn("stations not taken", "component", "media", "error", err)
		wrong = "The file of radio stations has a mistake, and those before it stay: " + err.Error() + "."
	}
	m.opt.Conditions.Keep("stations", health.Warning, wrong)
	lacks := ""
	if _, err := exec.LookPath(m.opt.Decoder); err != nil && len(list) > 0 {
		lacks = "There are radio stations, and nothing to play them with: install Debian's package ffmpeg."
	}
	m.opt.Conditions.Keep("media", health.Warning, lacks)
}

// fail leaves what does not play any more to tell. Of several that nobody has been told of one is enough.
func (m *Music) fail(it media.Item, err error) {
	select {
	case m.failed <- failure{it, err}:
	default:
	}
}

// tell says aloud what has ended by itself.
func (m *Music) tell(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case f := <-m.failed:
			err := m.opt.Announce(ctx, llm.Ask{}, m.opt.Sentence(f.item, f.err), false)
			if err != nil && ctx.Err() == nil {
				m.opt.Log.Warn("announce", "component", "media", "error", err)
			}
		}
	}
}

func shown(now media.Now) event.Media {
	return event.Media{
		State: string(now.State), Station: now.Item.Station, Title: now.Title, Artist: now.Item.Artist,
		Album: now.Item.Album, Percent: now.Volume, Until: now.Until.Round(0),
	}
}
