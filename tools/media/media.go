// Package media holds the tools for radio and music. A station is named and never addressed: whoever asks, a person or
// a model, chooses among those of the household. It runs no goroutine.
package media

import (
	"cmp"
	"context"
	"errors"
	"time"

	"hearthd/media"
	"hearthd/media/library"
	"hearthd/media/player"
	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
)

// patience is how long an answer waits to know whether a station plays. What is known later is announced.
const patience = 7 * time.Second

// Options are what the tools work with.
type Options struct {
	Book     *phrase.Book
	Player   *player.Player
	Stations func() []media.Station // of the household, and podcasts
	Sources  []media.Item           // other players, which play through us
	Library  *library.Library
	Episodes func(ctx context.Context, podcast media.Station) ([]media.Item, error) // the oldest first
	Present  func([]media.Item) []media.Item                                        // leaves out what is gone
	// Directory looks for stations on the internet; nil: nobody has allowed that.
	Directory func(ctx context.Context, words string) ([]media.Found, error)
	Length    func(ctx context.Context, path string) (time.Duration, error) // of a file
	Memory    keeper
	// Elsewhere does the same with another player of the room: pause, stop, resume, next, previous, what, volume, or
	// louder by so many percent points. It reports whether one plays there.
	Elsewhere func(ctx context.Context, do string, percent int) (tools.Result, bool, error)
	// Timers lets timers that are paused go on, or pauses those that run. It reports whether there are any.
	Timers func(ctx context.Context, run bool) (tools.Result, bool, error)
	// All plays on all boxes together; nil: this one cannot have them do so. AllAt is another one that can.
	All   *player.Player
	AllAt string
	// There has the speaker in another room run one of these tools. It reports whether that is this one, which
	// does not.
	There func(ctx context.Context, room, tool string, args any) (r tools.Result, here bool, err error)
}

// keeper keeps what was played, and what people like.
type keeper interface {
	Queue(ctx context.Context, podcast string) (media.Queue, bool, error)
	LastPodcast(ctx context.Context) (string, error)
	Favourites(ctx context.Context) ([]media.Item, error)
	SetFavourite(ctx context.Context, it media.Item, liked bool) error
}

// New makes the tools.
func New(o Options) []tools.Tool {
	all := []tools.Tool{
		tools.Action("media_play", "Plays a radio station, a podcast, music of the household, or what another player sends, "+
			"by its name.", o.play),
		tools.Action("media_control", "Pauses, resumes or stops what plays, goes to the next or previous of it, "+
			"begins it again, goes forward or back in it, or shuffles what is to come.", o.control),
		tools.Action("media_move", "Lets what plays go on in another room, and stops it here.", o.move),
		tools.Query("media_what", "Tells what plays: the station, the title, the artist.", o.what),
		tools.Query("media_stations", "Tells what there is to hear: radio stations, podcasts, music.", o.stations),
		tools.WithLimits(tools.Action("media_volume", "Sets how loud radio and music are, or changes that by a step.",
			o.volume), tools.Limits{Grave: tools.Loud}),
		tools.Action("media_sleep", "Stops what plays after a while.", o.sleep),
		tools.Action("media_favourite", "Remembers what plays as a favourite, or forgets it.", o.favourite),
		tools.Query("media_left", "Tells how long what plays is, and how much of it is left.", o.left),
	}
	if o.Directory != nil {
		all = append(all, o.finder())
	}
	return all
}

// begun waits until it is known whether something plays, and says so.
func (o *Options) begun(ctx context.Context) (tools.Result, error) {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := o.Player.Await(wait)
	now := o.Player.Now()
	switch {
	case err == nil:
		return tools.Result{Text: o.Book.Say("media.playing", phrase.Args{
			"name": fetch.Line(now.Item.Called(), 200), "artist": fetch.Line(now.Item.Artist, 100),
			"podcast": now.Item.Podcast,
		}), Foreign: !now.Item.Live()}, nil
	case errors.Is(err, context.DeadlineExceeded):
		return tools.Result{Text: o.Book.Say("media.trying", phrase.Args{"name": now.Item.Called()})}, nil
	case ctx.Err() != nil:
		return tools.Result{}, ctx.Err()
	case errors.Is(err, media.NoSpeaker):
		o.Player.Stop() // or it would begin by itself, hours later
		if o.Player == o.All {
			return tools.Result{}, &tools.Failure{Say: o.Book.Say("media.not_everywhere"), Cause: err}
		}
	}
	return tools.Result{}, &tools.Failure{Say: Failed(o.Book, now.Item, err), Cause: err}
}

// keys are how problems are told.
var keys = map[media.Problem]string{
	media.Unreachable: "media.unreachable", media.Refused: "media.refused", media.Gone: "media.gone",
	media.Inside: "media.inside", media.NoSound: "media.no_sound", media.Nothing: "media.nothing",
	media.Lost: "media.lost", media.Silent: "media.silent", media.Locked: "media.locked", media.NoList: "media.no_list",
	media.NoDecoder: "media.no_decoder", media.Broken: "media.broken", media.NoSpeaker: "media.no_speaker",
}

// Failed says why an item does not play.
func Failed(book *phrase.Book, it media.Item, err error) string {
	var problem media.Problem
	if !errors.As(err, &problem) {
		problem = media.Lost
	}
	return book.Say(keys[problem], phrase.Args{"name": fetch.Line(it.Called(), 200)})
}

// order is what is to become of what plays.
type order struct {
	Do      string `json:"do" need:"yes" enum:"pause,resume,stop,next,previous,again,forward,back,shuffle"`
	Seconds int    `json:"duration_s,omitempty" min:"0" max:"86400" about:"of forward and back: how far"`
	Any     bool   `json:"any,omitempty" about:"pause or resume a timer if nothing plays"`
	Room    string `json:"room,omitempty" max:"100" about:"of another speaker of the house"`
}

// within reports whether it is about a place in what plays here, or what comes after it.
func (a order) within() bool {
	switch a.Do {
	case "again", "forward", "back", "shuffle":
		return true
	}
	return false
}

func (o *Options) control(ctx context.Context, a order) (tools.Result, error) {
	if room := a.Room; room == everywhere || room == relayed {
		told := a
		told.Room, a.Room = relayed, ""
		return o.onAll(ctx, room, "media_control", told,
			func(all *Options) (tools.Result, error) { return all.control(ctx, a) })
	} else if room != "" {
		a.Room = ""
		if r, here, err := o.There(ctx, room, "media_control", a); !here {
			return r, err
		}
	}
	if o.Player.Now().State == media.Stopped && !a.within() {
		if r, ok, err := o.elsewhere(ctx, a); ok || err != nil {
			return r, err
		}
	}
	done := false
	switch a.Do {
	case "pause":
		done = o.Player.Pause()
	case "resume":
		done = o.Player.Resume()
	case "stop":
		done = o.Player.Stop()
	case "next":
		return o.skip(ctx, 1)
	case "previous":
		return o.skip(ctx, -1)
	case "again":
		return o.skip(ctx, 0)
	case "forward", "back":
		by := time.Duration(a.Seconds) * time.Second
		if a.Do == "back" {
			by = -by
		}
		if !o.Player.Seek(by) {
			return o.skipped()
		}
		done = true
	case "shuffle":
		done = o.Player.Shuffle()
	}
	if !done {
		return tools.Result{Text: o.Book.Say("media.none")}, nil
	}
	return tools.Result{Text: o.Book.Say("core.okay")}, nil
}

// elsewhere does what is asked with another player of the room or with timers. A timer that is paused waits,
// and what plays may be playing already.
func (o *Options) elsewhere(ctx context.Context, a order) (r tools.Result, ok bool, err error) {
	resume := a.Do == "resume"
	if a.Any && resume {
		r, ok, err = o.Timers(ctx, true)
	}
	if !ok && err == nil {
		r, ok, err = o.Elsewhere(ctx, a.Do, 0)
	}
	if !ok && err == nil && a.Any && !resume {
		r, ok, err = o.Timers(ctx, false)
	}
	return r, ok, err
}

// skip goes by so many items of what plays, and says what plays then.
func (o *Options) skip(ctx context.Context, by int) (tools.Result, error) {
	if o.Player.Skip(by) {
		return o.begun(ctx)
	}
	return o.skipped()
}

// skipped says why there is nothing where somebody wants to be.
func (o *Options) skipped() (tools.Result, error) {
	switch now := o.Player.Now(); {
	case now.Item.Source != "":
		return tools.Result{Text: o.Book.Say("media.elsewhere", phrase.Args{"name": now.Item.Called()})}, nil
	case now.State != media.Stopped:
		return tools.Result{Text: o.Book.Say("media.no_more")}, nil
	}
	return tools.Result{Text: o.Book.Say("media.none")}, nil
}

// Do does with what plays what a person asks: what a control does, or what. It reports whether something plays.
func (o *Options) Do(ctx context.Context, do string) (r tools.Result, plays bool, err error) {
	switch {
	case o.Player.Now().State == media.Stopped:
		return r, false, nil
	case do == "what":
		r, err = o.what(ctx, struct{}{})
	default:
		r, err = o.control(ctx, order{Do: do})
	}
	return r, true, err
}

func (o *Options) what(ctx context.Context, _ struct{}) (tools.Result, error) {
	now := o.Player.Now()
	if now.State == media.Stopped {
		if r, ok, err := o.Elsewhere(ctx, "what", 0); ok || err != nil {
			return r, err
		}
		return tools.Result{Text: o.Book.Say("media.none")}, nil
	}
	return tools.Result{Text: o.Book.Say("media.what", phrase.Args{
		"station": cmp.Or(now.Item.Station, now.Item.Podcast, now.Item.Source), "title": fetch.Line(now.Title, 200),
		"artist": fetch.Line(now.Item.Artist, 100),
	}), Foreign: true}, nil
}

func (o *Options) volume(ctx context.Context, a struct {
	_       struct{} `oneof:"percent,step"`
	Percent *int     `json:"percent" min:"0" max:"100"`
	Step    int      `json:"step" min:"-100" max:"100" about:"percent points up or down"`
}) (tools.Result, error) {
	do, by, to := "louder", a.Step, o.Player.Now().Volume+a.Step
	if a.Percent != nil {
		do, by, to = "volume", *a.Percent, *a.Percent
	}
	if o.Player.Now().State == media.Stopped {
		if r, ok, err := o.Elsewhere(ctx, do, by); ok || err != nil {
			return r, err
		}
	}
	o.Player.SetVolume(to)
	return tools.Result{Text: o.Book.Say("media.volume", phrase.Args{"percent": o.Player.Now().Volume})}, nil
}

func (o *Options) sleep(_ context.Context, a struct {
	Seconds int `json:"duration_s" max:"86400" min:"0" about:"0 lets it go on"`
}) (tools.Result, error) {
	after := time.Duration(a.Seconds) * time.Second
	switch {
	case !o.Player.Sleep(after):
		return tools.Result{Text: o.Book.Say("media.none")}, nil
	case after == 0:
		return tools.Result{Text: o.Book.Say("core.okay")}, nil
	}
	return tools.Result{Text: o.Book.Say("media.sleeps", phrase.Args{"left": after})}, nil
}
