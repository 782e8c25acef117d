// Package music is what the box plays beside what it says: the radio stations of the household, the player, and what
// is told of both.
package music

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"time"

	"hearthd/audio"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/supervise"
	"hearthd/llm"
	"hearthd/media"
	"hearthd/media/player"
	"hearthd/media/program"
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
	Sources  []program.Source                      // other players
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
	programs *program.Programs
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
	m.programs, err = program.New(program.Options{Sources: opt.Sources, Sounds: m.sounds, Runs: m.runs, Log: opt.Log})
	if err != nil {
		return nil, err
	}
	m.Player, err = player.New(player.Options{
		Mixer: opt.Mixer, Wake: opt.Wake, Source: opener{opt.Source, m.programs}, Volume: opt.Volume,
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
		{Name: "media sources", Policy: supervise.Restart, Run: m.programs.Run},
		{Name: "media failures", Policy: supervise.Restart, Run: m.tell},
	}
}

// Stations are those of the household.
func (m *Music) Stations() []media.Station { return m.stations.List() }

// Sources are the other players.
func (m *Music) Sources() []media.Item { return m.programs.Items() }

// opener opens what other players send, and all else.
type opener struct {
	player.Source
	programs *program.Programs
}

// Open implements player.Source.
func (o opener) Open(ctx context.Context, it media.Item, from time.Duration, rate int,
	told func(string)) (io.ReadCloser, error) {
	if it.Source != "" {
		return o.programs.Open(ctx, it, rate)
	}
	return o.Source.Open(ctx, it, from, rate, told)
}

// sounds gives the floor to a player that begins: somebody has chosen something there.
func (m *Music) sounds(it media.Item) { m.Play([]media.Item{it}, 0) }

// runs shows what is wrong with a player that is to run always.
func (m *Music) runs(name string, err error) {
	wrong := ""
	if err != nil {
		wrong = fmt.Sprintf("The program of the media source %s does not run: %v.", name, err)
	}
	m.opt.Conditions.Keep("media_"+name, health.Warning, wrong)
}

// Shown is what plays now, as events show it.
func (m *Music) Shown() event.Media { return shown(m.Now()) }

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
		State: string(now.State), Station: now.Item.Station, Source: now.Item.Source, Title: now.Title, Artist: now.Item.Artist,
		Album: now.Item.Album, Percent: now.Volume, Until: now.Until.Round(0),
	}
}
