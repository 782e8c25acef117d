package media

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"hearthd/llm"
	"hearthd/media"
	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
)

// search is what somebody looks for in the directory of stations, and then which one of those found is to play. Its
// address is looked up again, so that nobody but the directory gives one.
type search struct {
	Name    string `json:"name" need:"yes" max:"80" about:"words of the names of stations"`
	Station string `json:"station,omitempty" max:"200" about:"name of one that was found, to play it; the person is asked first"`
	Country string `json:"country,omitempty" max:"200" about:"of that station"`
}

// finder is the tool that asks the directory. A person agrees before what it found is played.
func (o *Options) finder() tools.Tool {
	return tools.WithLimits(tools.Action("media_find", "Looks for a radio station in a directory on the internet, when "+
		"the household has none of that name.", o.lookUp), tools.Limits{ConfirmFunc: func(raw json.RawMessage) string {
		var a search
		if json.Unmarshal(raw, &a) != nil || a.Station == "" {
			return ""
		}
		return o.Book.Say("media.shall_play", phrase.Args{"name": a.Station, "country": a.Country})
	}})
}

func (o *Options) lookUp(ctx context.Context, a search) (tools.Result, error) {
	if s, ok := media.Find(o.Stations(), a.Name); ok {
		return o.play(ctx, request{Name: s.Name})
	}
	list, err := o.Directory(ctx, a.Name)
	if err != nil {
		return tools.Result{}, fetch.Failure(o.Book, o.Book.Say("media.directory"), err)
	}
	at := slices.IndexFunc(list, func(f media.Found) bool { return strings.EqualFold(f.Name, a.Station) })
	switch {
	case at >= 0:
		o.Player.Play([]media.Item{list[at].Item()}, 0)
		return o.begun(ctx)
	case len(list) == 0 || a.Station != "":
		return tools.Result{Text: o.Book.Say("media.found_none", phrase.Args{"name": fetch.Line(a.Name, 80)})}, nil
	}
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.Name
	}
	a.Station, a.Country = list[0].Name, list[0].Country
	next, err := json.Marshal(a)
	return tools.Result{Text: o.Book.Say("media.found", phrase.Args{"names": names[:min(len(names), some)]}),
		Next: &llm.ToolCall{Name: "media_find", Arguments: next}, Foreign: true}, err
}

// liked is a station of the directory that is a favourite.
func (o *Options) liked(ctx context.Context, name string) (it media.Item, ok bool, err error) {
	list, err := o.favourites(ctx)
	at := slices.IndexFunc(list, func(it media.Item) bool {
		return it.Found && strings.EqualFold(it.Station, strings.TrimSpace(name))
	})
	if at < 0 {
		return it, false, err
	}
	return list[at], true, nil
}

// left says how long what plays is, and how much of that is left.
func (o *Options) left(ctx context.Context, _ struct{}) (tools.Result, error) {
	now, q := o.Player.Now(), o.Player.Queue()
	it, length := now.Item, now.Item.Length
	switch {
	case now.State == media.Stopped:
		return tools.Result{Text: o.Book.Say("media.none")}, nil
	case it.Live() || it.Source != "":
		return tools.Result{Text: o.Book.Say("media.endless", phrase.Args{"name": it.Called()})}, nil
	case it.Path != "":
		var err error
		if length, err = o.Length(ctx, it.Path); err != nil {
			return tools.Result{}, err
		}
	}
	if length <= 0 {
		return tools.Result{Text: o.Book.Say("media.no_length")}, nil
	}
	return tools.Result{Text: o.Book.Say("media.left", phrase.Args{"length": rounded(length),
		"left": rounded(max(length-q.From, time.Second))})}, nil
}

// rounded is a time as people tell it.
func rounded(d time.Duration) time.Duration {
	if d > 3*time.Minute {
		return d.Round(time.Minute)
	}
	return d.Round(time.Second)
}
