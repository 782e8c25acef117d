// Package music is what the box plays beside what it says: the radio stations, podcasts and files of the household, the
// player, and what is told of them. What was played last, and how far, it keeps.
package music

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"hearthd/audio"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/supervise"
	"hearthd/llm"
	"hearthd/media"
	"hearthd/media/library"
	"hearthd/media/player"
	"hearthd/media/program"
	"hearthd/memory"
	"hearthd/tools/intent"
)

// matcher knows the stations by their names.
type matcher interface {
	SetNames(vocab string, names []intent.Name)
}

// Options are what Music needs.
type Options struct {
	Mixer    *audio.Mixer
	Wake     func()      // wakes a resting speaker; must not block
	Dead     func() bool // the speaker is known not to work
	Source   player.Source
	Decoder  string           // the program that Source needs: ffmpeg
	Stations string           // the file of them
	Sources  []program.Source // other players
	Folder   string           // of music; empty: there is none
	Pipe     string           // of the Snapcast server that all boxes follow; empty: there is none
	Store    *memory.Store
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
	library  *library.Library
	all      *Everywhere // nil: there is no pipe
	failed   chan failure
	lost     atomic.Bool    // what was to wake somebody does not play any more
	moved    audio.Doorbell // what plays has changed
}

// failure is what does not play any more.
type failure struct {
	item media.Item
	err  error
}

// New makes what plays radio and music.
func New(ctx context.Context, opt Options) (*Music, error) {
	m := &Music{opt: opt, failed: make(chan failure, 1), moved: audio.NewDoorbell()}
	var err error
	m.programs, err = program.New(program.Options{Sources: opt.Sources, Sounds: m.sounds, Runs: m.runs, Log: opt.Log})
	if err != nil {
		return nil, err
	}
	m.library, err = library.New(library.Options{Folder: opt.Folder, Store: opt.Store, Looked: m.looked, Log: opt.Log})
	if err != nil {
		return nil, err
	}
	m.Player, err = player.New(player.Options{
		Mixer: opt.Mixer, Wake: opt.Wake, Dead: opt.Dead, Source: opener{opt.Source, m.programs}, Volume: opt.Volume,
		Changed: func(now media.Now) {
			opt.Bus.Publish(&event.MediaChanged{Media: shown(now)})
			m.moved.Ring()
		},
		Failed: m.fail, Log: opt.Log,
	})
	if err != nil {
		return nil, err
	}
	if opt.Pipe != "" {
		m.all, err = newEverywhere(opt.Pipe, opener{opt.Source, m.programs}, m.fail, opt.Log)
		if err != nil {
			return nil, err
		}
	}
	m.stations = media.NewHousehold(opt.Stations, m.changed)
	m.know(ctx)
	last, ok, err := opt.Store.Queue(ctx, "")
	if err != nil {
		return nil, err
	}
	if ok {
		at := last.Items[last.At]
		last.Items = m.Present(last.Items)
		if last.At = slices.IndexFunc(last.Items, func(it media.Item) bool {
			return it == at || it.Station != "" && it.Station == at.Station
		}); last.At >= 0 {
			m.Load(last)
		}
	}
	return m, nil
}

// Present are items as they are now: a station has the address that the household's file gives it, if it still does,
// or that of the directory in which it was found.
func (m *Music) Present(list []media.Item) (present []media.Item) {
	for _, it := range list {
		if it.Source != "" {
			at := slices.IndexFunc(m.Sources(), func(s media.Item) bool { return s.Source == it.Source })
			if at < 0 {
				continue
			}
			it = m.Sources()[at]
		}
		if it.Station != "" && !it.Found {
			s, ok := media.Find(m.Stations(), it.Station)
			if !ok || s.Podcast {
				continue
			}
			it = s.Item()
		}
		present = append(present, it)
	}
	return present
}

// Library is the music of the household.
func (m *Music) Library() *library.Library { return m.library }

// Parts run it.
func (m *Music) Parts() []supervise.Part {
	parts := []supervise.Part{
		{Name: "media", Policy: supervise.Restart, Run: m.Player.Run},
		{Name: "stations", Policy: supervise.Restart, Run: m.stations.Run},
		{Name: "media sources", Policy: supervise.Restart, Run: m.programs.Run},
		{Name: "music", Policy: supervise.Restart, Run: m.library.Run},
		{Name: "media failures", Policy: supervise.Restart, Run: m.tell},
		{Name: "media place", Policy: supervise.Restart, Run: m.keep},
	}
	if m.all != nil {
		parts = append(parts, supervise.Part{Name: "media everywhere", Policy: supervise.Restart, Run: m.all.Run},
			supervise.Part{Name: "media pipe", Policy: supervise.Restart, Run: m.all.pour})
	}
	return parts
}

// All plays on all boxes together; nil: there is no pipe.
func (m *Music) All() *player.Player {
	if m.all == nil {
		return nil
	}
	return m.all.Player
}

// Stations are those of the household.
func (m *Music) Stations() []media.Station { return m.stations.List() }

// ReadStations reads the file of the stations now, if it has changed.
func (m *Music) ReadStations() { m.stations.Look() }

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

// fail leaves what does not play any more to tell. Of several that nobody has been told of one is enough.
func (m *Music) fail(it media.Item, err error) {
	m.lost.Store(true)
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

// often is how often the place in what plays is kept.
const often = 30 * time.Second

// keep keeps what plays and how far it has come, so that it goes on there after a restart.
func (m *Music) keep(ctx context.Context) error {
	tick := time.NewTicker(often)
	defer tick.Stop()
	var kept []media.Item
	for {
		select {
		case <-ctx.Done():
			return m.store(context.WithoutCancel(ctx), &kept)
		case <-m.moved.C():
		case <-tick.C:
			if m.Now().State != media.Playing {
				continue
			}
		}
		if err := m.store(ctx, &kept); err != nil && ctx.Err() == nil {
			m.opt.Log.Warn("keep place in media", "component", "media", "error", err)
		}
	}
}

// store keeps the queue; kept are the items that the store has.
func (m *Music) store(ctx context.Context, kept *[]media.Item) error {
	q := m.Queue()
	if len(q.Items) == 0 {
		return nil
	}
	names, items := []string{""}, q.Items
	if podcast := items[0].Podcast; podcast != "" {
		names = append(names, podcast)
	}
	if len(*kept) > 0 && &(*kept)[0] == &items[0] {
		q.Items = nil // they are there
	}
	for _, name := range names {
		if err := m.opt.Store.KeepQueue(ctx, name, q); err != nil {
			return err
		}
	}
	*kept = items
	return nil
}

func shown(now media.Now) event.Media {
	return event.Media{
		State: string(now.State), Station: cmp.Or(now.Item.Station, now.Item.Podcast), Source: now.Item.Source,
		Title: now.Title, Artist: now.Item.Artist, Album: now.Item.Album, Percent: now.Volume, Until: now.Until.Round(0),
	}
}
