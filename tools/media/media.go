// Package media holds the tools for radio and music. A station is named and never addressed: whoever asks, a person or
// a model, chooses among those of the household. It runs no goroutine.
package media

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"hearthd/media"
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
	Stations func() []media.Station // of the household
	Sources  []media.Item           // other players, which play through us
}

// New makes the tools.
func New(o Options) []tools.Tool {
	return []tools.Tool{
		tools.Action("media_play", "Plays a radio station of the household, or what another player sends, by its name.", o.play),
		tools.Action("media_control", "Pauses, resumes or stops what plays, or goes to the next or previous of it.",
			o.control),
		tools.Query("media_what", "Tells what plays: the station, the title.", o.what),
		tools.Query("media_stations", "Tells which radio stations there are.", o.stations),
		tools.Action("media_volume", "Sets how loud radio and music are, or changes that by a step.", o.volume),
		tools.Action("media_sleep", "Stops what plays after a while.", o.sleep),
	}
}

func (o *Options) play(ctx context.Context, a struct {
	Name string `json:"name" max:"80" about:"of the station; what played last when it is not given"`
}) (tools.Result, error) {
	list := o.Stations()
	if a.Name == "" {
		if o.Player.Resume() {
			return o.begun(ctx)
		}
		if len(list) > 0 {
			a.Name = list[0].Name
		}
	}
	if at := slices.IndexFunc(o.Sources, func(it media.Item) bool { return strings.EqualFold(it.Source, a.Name) }); at >= 0 {
		o.Player.Play(o.Sources[at:at+1], 0)
		return o.begun(ctx)
	}
	if len(list) == 0 {
		return tools.Result{Text: o.Book.Say("media.no_stations")}, nil
	}
	chosen, ok := media.Find(list, a.Name)
	if !ok {
		return tools.Result{}, &tools.Failure{Say: o.Book.Say("media.unknown", phrase.Args{"name": fetch.Line(a.Name, 80)}),
			Cause: errors.New("no such station"), Told: o.Book.Say("media.stations", phrase.Args{"names": names(list)})}
	}
	var queue []media.Item
	at := 0
	for i, s := range list {
		if queue = append(queue, s.Item()); s.Name == chosen.Name {
			at = i
		}
	}
	o.Player.Play(queue, at)
	return o.begun(ctx)
}

// begun waits until it is known whether something plays, and says so.
func (o *Options) begun(ctx context.Context) (tools.Result, error) {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := o.Player.Await(wait)
	now := o.Player.Now()
	switch {
	case err == nil:
		return tools.Result{Text: o.Book.Say("media.playing", phrase.Args{"name": called(now.Item)}),
			Foreign: !now.Item.Live()}, nil
	case errors.Is(err, context.DeadlineExceeded):
		return tools.Result{Text: o.Book.Say("media.trying", phrase.Args{"name": called(now.Item)})}, nil
	case ctx.Err() != nil:
		return tools.Result{}, ctx.Err()
	}
	return tools.Result{}, &tools.Failure{Say: Failed(o.Book, now.Item, err), Cause: err}
}

// called is what people call an item.
func called(it media.Item) string {
	switch {
	case it.Station != "" || it.Source != "":
		return it.Station + it.Source // it has one of them
	case it.Title != "":
		return it.Title
	}
	return it.Artist
}

// keys are how problems are told.
var keys = map[media.Problem]string{
	media.Unreachable: "media.unreachable", media.Refused: "media.refused", media.Gone: "media.gone",
	media.Inside: "media.inside", media.NoSound: "media.no_sound", media.Nothing: "media.nothing",
	media.Lost: "media.lost", media.Silent: "media.silent", media.Locked: "media.locked", media.NoList: "media.no_list",
	media.NoDecoder: "media.no_decoder", media.Broken: "media.broken",
}

// Failed says why an item does not play.
func Failed(book *phrase.Book, it media.Item, err error) string {
	var problem media.Problem
	if !errors.As(err, &problem) {
		problem = media.Lost
	}
	return book.Say(keys[problem], phrase.Args{"name": called(it)})
}

func (o *Options) control(ctx context.Context, a struct {
	Do string `json:"do" need:"yes" enum:"pause,resume,stop,next,previous"`
}) (tools.Result, error) {
	done := false
	switch a.Do {
	case "pause":
		done = o.Player.Pause()
	case "resume":
		done = o.Player.Resume()
	case "stop":
		done = o.Player.Stop()
	case "next":
		done = o.Player.Skip(1)
	case "previous":
		done = o.Player.Skip(-1)
	}
	switch {
	case done && (a.Do == "next" || a.Do == "previous"):
		return o.begun(ctx)
	case done:
		return tools.Result{Text: o.Book.Say("core.okay")}, nil
	case (a.Do == "next" || a.Do == "previous") && o.Player.Now().Item.Source != "":
		return tools.Result{Text: o.Book.Say("media.elsewhere", phrase.Args{"name": called(o.Player.Now().Item)})}, nil
	case (a.Do == "next" || a.Do == "previous") && o.Player.Now().State != media.Stopped:
		return tools.Result{Text: o.Book.Say("media.no_more")}, nil
	}
	return tools.Result{Text: o.Book.Say("media.none")}, nil
}

func (o *Options) what(context.Context, struct{}) (tools.Result, error) {
	now := o.Player.Now()
	if now.State == media.Stopped {
		return tools.Result{Text: o.Book.Say("media.none")}, nil
	}
	return tools.Result{Text: o.Book.Say("media.what", phrase.Args{
		"station": now.Item.Station + now.Item.Source, "title": fetch.Line(now.Title, 200), "artist": fetch.Line(now.Item.Artist, 100),
	}), Foreign: true}, nil
}

func (o *Options) stations(context.Context, struct{}) (tools.Result, error) {
	list := o.Stations()
	if len(list) == 0 {
		return tools.Result{Text: o.Book.Say("media.no_stations")}, nil
	}
	return tools.Result{Text: o.Book.Say("media.stations", phrase.Args{"names": names(list)}), Data: names(list)}, nil
}

func names(list []media.Station) (all []string) {
	for _, s := range list {
		all = append(all, s.Name)
	}
	return all
}

func (o *Options) volume(_ context.Context, a struct {
	_       struct{} `oneof:"percent,step"`
	Percent *int     `json:"percent" min:"0" max:"100"`
	Step    int      `json:"step" min:"-100" max:"100" about:"percent points up or down"`
}) (tools.Result, error) {
	to := o.Player.Now().Volume + a.Step
	if a.Percent != nil {
		to = *a.Percent
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
