package media

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"hearthd/media"
	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
)

// request is what somebody wants to hear.
type request struct {
	Name    string `json:"name,omitempty" max:"200" about:"of a station, a podcast, an artist, an album, a title, a genre or a playlist; what played last when it is not given"`
	Kind    string `json:"kind,omitempty" enum:"radio,podcast,music,artist,album,title,genre,playlist,favourites" about:"what is called so, if that is said"`
	Artist  string `json:"artist,omitempty" max:"200" about:"of the album or title"`
	Shuffle bool   `json:"shuffle,omitempty"`
	Resume  bool   `json:"resume,omitempty" about:"go on where a podcast was left"`
	Episode string `json:"episode,omitempty" max:"200" about:"of the podcast; else the newest"`
	From    int    `json:"from_s,omitempty" min:"0" max:"86400" about:"place in it to begin at"`
	Room    string `json:"room,omitempty" max:"100" about:"of another speaker of the house, if it is to play there"`
}

// play plays what is asked for, and says so, or says what there is.
func (o *Options) play(ctx context.Context, a request) (tools.Result, error) {
	if room := a.Room; room == everywhere || room == relayed {
		told := a
		told.Room, a.Room = relayed, ""
		return o.onAll(ctx, room, "media_play", told, func(all *Options) (tools.Result, error) { return all.play(ctx, a) })
	} else if room != "" {
		a.Room = ""
		if r, here, err := o.There(ctx, room, "media_play", a); !here {
			return r, err
		}
	}
	var q media.Queue
	var err error
	switch {
	case a.Kind == "favourites":
		if q.Items, err = o.favourites(ctx); err == nil && len(q.Items) == 0 {
			return tools.Result{Text: o.Book.Say("media.no_favourites")}, nil
		}
	case a.Name == "" && a.Artist == "" && a.Kind != "podcast":
		if a.Kind != "music" && o.Player.Resume() || o.Player.Now().State == media.Paused && o.Player.Resume() {
			return o.begun(ctx)
		}
		q.Items, err = o.anything(ctx, a.Kind)
	default:
		q, err = o.find(ctx, a)
	}
	if err != nil {
		return tools.Result{}, err
	}
	if len(q.Items) == 0 {
		return o.nothing(ctx, strings.TrimSpace(a.Name+" "+a.Artist))
	}
	if a.From > 0 {
		q.From = time.Duration(a.From) * time.Second
	}
	o.Player.Continue(q)
	return o.begun(ctx)
}

// move has what plays go on in another room. It is named there, as everything is that is asked for.
func (o *Options) move(ctx context.Context, a struct {
	Room string `json:"room" need:"yes" max:"100"`
}) (tools.Result, error) {
	now, q := o.Player.Now(), o.Player.Queue()
	if now.State == media.Stopped {
		return tools.Result{Text: o.Book.Say("media.none")}, nil
	}
	it := now.Item
	ask := request{Name: it.Called(), From: int(q.From.Seconds())}
	switch {
	case it.Live() || it.Source != "":
		ask.From = 0
	case it.Podcast != "":
		ask.Name, ask.Kind, ask.Episode = it.Podcast, "podcast", it.Title
	default:
		ask.Kind, ask.Artist = "title", it.Artist
	}
	if a.Room == everywhere {
		ask.Room = everywhere
		r, err := o.play(ctx, ask)
		if err == nil && o.Player.Now().Item == it { // and not yet what all boxes play
			o.Player.Stop()
		}
		return r, err
	}
	r, here, err := o.There(ctx, a.Room, "media_play", ask)
	if here {
		return tools.Result{Text: o.Book.Say("core.okay")}, nil
	}
	if err == nil {
		o.Player.Stop()
	}
	return r, err
}

// anything is music, the first station, or another player.
func (o *Options) anything(ctx context.Context, kind string) ([]media.Item, error) {
	radio, _ := o.radio()
	if kind != "music" && len(radio) > 0 {
		return radio, nil
	}
	list, err := o.Library.Of(ctx, true)
	if len(list) == 0 {
		list = radio
	}
	if len(list) == 0 && len(o.Sources) > 0 {
		list = o.Sources[:1]
	}
	return list, err
}

// radio is what plays the stations, and the podcasts.
func (o *Options) radio() (items []media.Item, podcasts []media.Station) {
	for _, s := range o.Stations() {
		if s.Podcast {
			podcasts = append(podcasts, s)
		} else {
			items = append(items, s.Item())
		}
	}
	return items, podcasts
}

// find finds what is called so: another player, a station or podcast, or else something in the folder of music.
func (o *Options) find(ctx context.Context, a request) (media.Queue, error) {
	stations, podcasts := o.radio()
	s, ok := media.Find(o.Stations(), a.Name)
	source := slices.IndexFunc(o.Sources, func(it media.Item) bool { return strings.EqualFold(it.Source, a.Name) })
	switch {
	case source >= 0 && a.Kind == "":
		return media.Queue{Items: o.Sources[source:][:1]}, nil
	case ok && s.Podcast && (a.Kind == "" || a.Kind == "podcast"), a.Kind == "podcast" && a.Name == "":
		return o.episodes(ctx, s, podcasts, a)
	case ok && !s.Podcast && (a.Kind == "" || a.Kind == "radio"):
		at := slices.IndexFunc(stations, func(it media.Item) bool { return it.Station == s.Name })
		return media.Queue{Items: stations, At: at}, nil
	case a.Kind == "" || a.Kind == "radio":
		if it, liked, err := o.liked(ctx, a.Name); liked || err != nil {
			return media.Queue{Items: []media.Item{it}}, err
		}
	}
	if a.Kind == "radio" || a.Kind == "podcast" {
		return media.Queue{}, nil
	}
	return o.music(ctx, a)
}

// music finds what is called so in the folder of music.
func (o *Options) music(ctx context.Context, a request) (media.Queue, error) {
	var names []media.Named
	for _, part := range []struct {
		kind media.Kind
		said string
	}{{media.Kind(a.Kind), a.Name}, {media.Artist, a.Artist}} {
		if part.said == "" {
			continue
		}
		if part.kind == "music" {
			part.kind = ""
		}
		n, ok, err := o.Library.Find(ctx, part.kind, part.said)
		if !ok && err == nil && part.kind == media.Genre { // "some Beatles"
			n, ok, err = o.Library.Find(ctx, "", part.said)
		}
		if err != nil || !ok {
			return media.Queue{}, err
		}
		names = append(names, n)
	}
	kind := names[0].Kind
	list, err := o.Library.Of(ctx, a.Shuffle || kind == media.Artist || kind == media.Genre, names...)
	if kind == media.Title && len(names) == 1 {
		list = list[:min(len(list), 1)] // and not every recording of it
	}
	return media.Queue{Items: list}, err
}

// episodes is a podcast from its newest episode on, or where it was left; without a name that which was heard last.
func (o *Options) episodes(ctx context.Context, s media.Station, all []media.Station, a request) (media.Queue,
	error) {
	if s.Name == "" {
		last, err := o.Memory.LastPodcast(ctx)
		if err != nil {
			return media.Queue{}, err
		}
		if s, _ = media.Find(all, last); s.Name == "" && len(all) > 0 {
			s = all[0]
		}
	}
	if s.Name == "" {
		return media.Queue{}, nil
	}
	if a.Resume {
		if q, ok, err := o.Memory.Queue(ctx, s.Name); ok || err != nil {
			return q, err
		}
	}
	list, err := o.Episodes(ctx, s)
	var problem media.Problem
	switch {
	case errors.As(err, &problem):
		return media.Queue{}, &tools.Failure{Say: Failed(o.Book, media.Item{Podcast: s.Name}, err), Cause: err}
	case err != nil:
		return media.Queue{}, fetch.Failure(o.Book, s.Name, err)
	}
	at := slices.IndexFunc(list, func(it media.Item) bool { return strings.EqualFold(it.Title, a.Episode) })
	if at < 0 {
		at = len(list) - 1
	}
	return media.Queue{Items: list, At: at}, nil
}

// nothing says that nothing is called so, and what there is.
func (o *Options) nothing(ctx context.Context, name string) (tools.Result, error) {
	there, err := o.stations(ctx, struct{}{})
	if err != nil || name == "" {
		return there, err
	}
	return tools.Result{}, &tools.Failure{
		Say:   o.Book.Say("media.unknown", phrase.Args{"name": fetch.Line(name, 80)}) + " " + there.Text,
		Cause: errors.New("nothing is called so"),
	}
}

// some is how many names people can listen to.
const some = 8

func (o *Options) stations(ctx context.Context, _ struct{}) (tools.Result, error) {
	stations, podcasts := []string{}, []string{}
	for _, s := range o.Stations() {
		if s.Podcast {
			podcasts = append(podcasts, s.Name)
		} else {
			stations = append(stations, s.Name)
		}
	}
	sources := make([]string, len(o.Sources))
	for i, s := range o.Sources {
		sources[i] = s.Source
	}
	_, tracks, artists, err := o.Library.Top(ctx, 1)
	if err != nil {
		return tools.Result{}, err
	}
	return tools.Result{Text: o.Book.Say("media.there", phrase.Args{
		"stations": stations[:min(len(stations), some)], "podcasts": podcasts[:min(len(podcasts), some)],
		"sources": sources[:min(len(sources), some)], "tracks": tracks, "artists": artists,
	}), Data: map[string]any{
		"stations": stations, "podcasts": podcasts, "sources": sources, "playlists": o.Library.Playlists(), "tracks": tracks,
	}}, nil
}

// favourites are what people like and can still be played.
func (o *Options) favourites(ctx context.Context) ([]media.Item, error) {
	list, err := o.Memory.Favourites(ctx)
	return o.Present(list), err
}

func (o *Options) favourite(ctx context.Context, a struct {
	Forget bool `json:"forget" about:"it is none any more"`
}) (tools.Result, error) {
	it := o.Player.Now().Item
	if it == (media.Item{}) {
		return tools.Result{Text: o.Book.Say("media.none")}, nil
	}
	if it.Station != "" && !it.Found {
		it.URL = "" // it may change
	}
	if err := o.Memory.SetFavourite(ctx, it, !a.Forget); err != nil {
		return tools.Result{}, err
	}
	return tools.Result{Text: o.Book.Say("media.favourite", phrase.Args{"name": fetch.Line(it.Called(), 200),
		"forget": a.Forget}), Foreign: !it.Live(), Kept: true}, nil
}
