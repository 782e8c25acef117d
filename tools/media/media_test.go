package media

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/llm"
	"hearthd/media"
	"hearthd/media/library"
	"hearthd/media/player"
	"hearthd/rigs/memorytest"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// air is where stations send a hiss, but those that have a problem.
type air map[string]error

func (a air) Open(ctx context.Context, it media.Item, _ time.Duration, _ int, told func(string)) (io.ReadCloser,
	error) {
	if err := a[it.URL]; err != nil {
		return nil, err
	}
	if it.Station == "FM4" {
		told("Song by Band")
	}
	return hiss{ctx}, nil
}

type hiss struct{ ctx context.Context }

func (h hiss) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(i)
	}
	return len(p), h.ctx.Err()
}

func (h hiss) Close() error { return nil }

// shelf knows the music in a folder.
func shelf(t *testing.T, folder string) (*library.Library, keeper) {
	t.Helper()
	s := memorytest.Open(t)
	l, err := library.New(library.Options{Folder: folder, Store: s, Looked: func(context.Context, error) {},
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return l, s
}

// ask calls a tool and gives what it says.
func ask(t *testing.T, all []tools.Tool, name, args string) string {
	t.Helper()
	for _, tool := range all {
		if tool.Spec().Name != name {
			continue
		}
		r, err := tool.Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Name: name, Arguments: json.RawMessage(args)}})
		var failed *tools.Failure
		if errors.As(err, &failed) {
			return failed.Say
		}
		if err != nil {
			t.Errorf("%s %s: %v", name, args, err)
		}
		return r.Text
	}
	t.Fatalf("no tool %s", name)
	return ""
}

// elsewhere is a room with another player, which is only ever asked to go back, or to be softer.
func elsewhere(_ context.Context, do string, percent int) (tools.Result, bool, error) {
	return tools.Result{Text: "The kitchen radio does."}, do == "previous" || do == "louder" && percent < 0, nil
}

// timers are all paused.
func timers(_ context.Context, run bool) (tools.Result, bool, error) {
	return tools.Result{Text: "The timer goes on."}, run, nil
}

func TestRequestsForRadioAreDoneAndAnswered(t *testing.T) {
	none, s := shelf(t, "")
	synctest.Test(t, func(t *testing.T) {
		mixer := audio.NewMixer(50)
		mixer.SetRate(8000)
		p, err := player.New(player.Options{
			Mixer: mixer, Wake: func() {}, Source: air{"http://dead/": media.Unreachable, "http://page/": media.NoSound},
			Changed: func(media.Now) {}, Failed: func(media.Item, error) {}, Volume: 60, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- p.Run(ctx) }()
		var list []media.Station
		all := New(Options{Book: phrase.English(), Player: p, Stations: func() []media.Station { return list },
			Sources: []media.Item{{Source: "Spotify"}}, Library: none, Memory: s, Elsewhere: elsewhere, Timers: timers,
			Present: func(list []media.Item) []media.Item { return list }})
		empty := New(Options{Book: phrase.English(), Player: p, Stations: func() []media.Station { return nil }, Library: none,
			Elsewhere: elsewhere})
		if got, want := ask(t, empty, "media_play", `{}`), "There is nothing to play yet. Somebody has to add a radio "+
			"station, a podcast or a folder of music first."; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		for _, step := range []struct{ tool, args, want string }{
			{"media_stations", `{}`, "Spotify can play here."},
			{"media_control", `{"do":"pause"}`, "Nothing is playing."},
			{"media_control", `{"do":"previous"}`, "The kitchen radio does."},
			{"media_volume", `{"step":-10}`, "The kitchen radio does."},
			{"media_control", `{"do":"resume","any":true}`, "The timer goes on."},
			{"media_control", `{"do":"pause","any":true}`, "Nothing is playing."},
			{"media_play", `{"name":"spotify"}`, "Spotify."},
			{"media_control", `{"do":"next"}`, "Spotify chooses by itself what comes next."},
			{"media_play", `{"name":"fm4"}`, "FM4."},
			{"media_what", `{}`, "This is Song by Band, on FM4."},
			{"media_control", `{"do":"pause"}`, "Okay."},
			{"media_control", `{"do":"resume"}`, "Okay."},
			{"media_control", `{"do":"next"}`, "Ö1."},
			{"media_control", `{"do":"again"}`, "Ö1."},
			{"media_control", `{"do":"forward","duration_s":30}`, "There is nothing more in that direction."},
			{"media_what", `{}`, "This is Ö1, which does not say what it plays."},
			{"media_control", `{"do":"previous"}`, "FM4."},
			{"media_control", `{"do":"previous"}`, "There is nothing more in that direction."},
			{"media_left", `{}`, "FM4 has no end."},
			{"media_play", `{"name":"fm4","room":"everywhere"}`, "I cannot play on all speakers together. That needs a Snapcast server, and the setting media.everywhere."},
			{"media_volume", `{"step":-15}`, "The music is at 45 percent."},
			{"media_volume", `{"percent":100}`, "The music is at 100 percent."},
			{"media_sleep", `{"duration_s":1800}`, "It stops in thirty minutes."},
			{"media_sleep", `{"duration_s":0}`, "Okay."},
			{"media_control", `{"do":"stop"}`, "Okay."},
			{"media_what", `{}`, "Nothing is playing."},
			{"media_control", `{"do":"back","duration_s":30}`, "Nothing is playing."},
			{"media_sleep", `{"duration_s":60}`, "Nothing is playing."},
			{"media_play", `{}`, "FM4."},
			{"media_play", `{"name":"gone","artist":"nobody"}`, "I find nothing called gone nobody. There are the radio stations FM4, Ö1, Dead and Page. Spotify can play here."},
			{"media_play", `{"name":"http://page/"}`, "I find nothing called http://page/. There are the radio stations FM4, Ö1, Dead and Page. Spotify can play here."},
			{"media_play", `{"name":"dead"}`, "I can't reach Dead right now."},
			{"media_play", `{"name":"Page"}`, "What Page sends is no sound that I can play."},
			{"media_stations", `{}`, "There are the radio stations FM4, Ö1, Dead and Page. Spotify can play here."},
		} {
			if got := ask(t, all, step.tool, step.args); got != step.want {
				t.Errorf("%s %s: %q, want %q", step.tool, step.args, got, step.want)
			}
			list = []media.Station{{Name: "FM4", URL: "http://fm4/"},
				{Name: "Ö1", Aliases: []string{"one"}, URL: "http://oe1/"}, {Name: "Dead", URL: "http://dead/"}, {Name: "Page", URL: "http://page/"}}
		}
		mixer.SetRate(0)
		if got := ask(t, all, "media_play", `{"name":"fm4"}`); got !=
			"I cannot play FM4, because my speaker does not work." || p.Now().State != media.Stopped {
			t.Errorf("without a speaker: %q, %s", got, p.Now().State)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestMusicAndPodcastsAreFoundByAnyOfTheirNames(t *testing.T) {
	folder := t.TempDir()
	for _, file := range []string{
		"Nina Simone/Pastel Blues/01 Be My Husband.mp3", "Nina Simone/Pastel Blues/02 Sinnerman.mp3",
		"Nina Simone/Little Girl Blue/01 Mood Indigo.mp3", "Basil Street/Live/01 Sinnerman.mp3",
	} {
		path := filepath.Join(folder, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	list := "Nina Simone/Pastel Blues/02 Sinnerman.mp3\nBasil Street/Live/01 Sinnerman.mp3\n"
	if err := os.WriteFile(filepath.Join(folder, "Party.m3u"), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	l, s := shelf(t, folder)
	if err := l.Look(t.Context(), func(context.Context, time.Time) {}); err != nil {
		t.Fatal(err)
	}
	mixer := audio.NewMixer(50)
	mixer.SetRate(8000)
	p, err := player.New(player.Options{
		Mixer: mixer, Wake: func() {}, Source: air{"http://pod/gone": media.Gone}, Changed: func(media.Now) {},
		Failed: func(media.Item, error) {}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	all := New(Options{Book: phrase.English(), Player: p, Library: l, Memory: s, Elsewhere: elsewhere,
		Stations: func() []media.Station {
			return []media.Station{{Name: "FM4", URL: "http://fm4/"}, {Name: "Science Hour", URL: "http://pod/", Podcast: true}}
		},
		Present: func(list []media.Item) []media.Item { return list },
		Episodes: func(_ context.Context, p media.Station) ([]media.Item, error) {
			return []media.Item{{Podcast: p.Name, URL: "http://pod/1", Title: "Bees"},
				{Podcast: p.Name, URL: "http://pod/2", Title: "Ants", Length: 40 * time.Minute}}, nil
		},
		Length: func(_ context.Context, path string) (time.Duration, error) {
			return time.Duration(len(filepath.Base(path))) * time.Second, nil
		},
	})
	for _, step := range []struct{ tool, args, want string }{
		{"media_play", `{"name":"sinner man","artist":"nina simon"}`, "Sinnerman, by Nina Simone."},
		{"media_play", `{"name":"pastel blue","kind":"album"}`, "Be My Husband, by Nina Simone."},
		{"media_control", `{"do":"next"}`, "Sinnerman, by Nina Simone."},
		{"media_what", `{}`, "This is Sinnerman by Nina Simone."},
		{"media_play", `{"artist":"basil street"}`, "Sinnerman, by Basil Street."},
		{"media_left", `{}`, "It takes sixteen seconds, and sixteen seconds of that are left."},
		{"media_favourite", `{}`, "Sinnerman is a favourite now."},
		{"media_play", `{"name":"party","kind":"playlist"}`, "Sinnerman, by Nina Simone."},
		{"media_play", `{"kind":"favourites"}`, "Sinnerman, by Basil Street."},
		{"media_favourite", `{"forget":true}`, "Sinnerman is no favourite any more."},
		{"media_play", `{"kind":"favourites"}`, "There are no favourites yet. Say, add this to my favourites, while something plays."},
		{"media_play", `{"name":"science hour"}`, "Science Hour: Ants."},
		{"media_left", `{}`, "It takes forty minutes, and forty minutes of that are left."},
		{"media_control", `{"do":"previous"}`, "Science Hour: Bees."},
		{"media_left", `{}`, "I do not know how long this is."},
		{"media_play", `{"kind":"podcast"}`, "Science Hour: Ants."},
		{"media_play", `{"name":"jazz"}`, "I find nothing called jazz. There is the radio station FM4. " +
			"There is the podcast Science Hour. There is music: four tracks by two artists."},
		{"media_play", `{"name":"fm4","kind":"album"}`, "I find nothing called fm4. There is the radio station FM4. " +
			"There is the podcast Science Hour. There is music: four tracks by two artists."},
		{"media_control", `{"do":"stop"}`, "Okay."},
		{"media_play", `{}`, "Science Hour: Ants."},
	} {
		if got := ask(t, all, step.tool, step.args); got != step.want {
			t.Errorf("%s %s: %q, want %q", step.tool, step.args, got, step.want)
		}
	}
	if ask(t, all, "media_play", `{"kind":"music"}`); len(p.Queue().Items) != 4 {
		t.Errorf("of everything, %d tracks are played", len(p.Queue().Items))
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestWhatPlaysIsNamedInTheRoomToWhichItMoves(t *testing.T) {
	none, _ := shelf(t, "")
	synctest.Test(t, func(t *testing.T) {
		mixer := audio.NewMixer(50)
		mixer.SetRate(8000)
		p, err := player.New(player.Options{Mixer: mixer, Wake: func() {}, Source: air{}, Changed: func(media.Now) {},
			Failed: func(media.Item, error) {}, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- p.Run(ctx) }()
		var sent string
		all := New(Options{Book: phrase.English(), Player: p, Library: none, Elsewhere: elsewhere, AllAt: "hall",
			Stations: func() []media.Station { return []media.Station{{Name: "FM4", URL: "http://fm4/"}} },
			There: func(_ context.Context, room, tool string, args any) (tools.Result, bool, error) {
				text, err := json.Marshal(args)
				sent = tool + " " + string(text)
				return tools.Result{Text: "There."}, room == "kitchen", err
			}})
		for _, c := range []struct {
			plays            *media.Item
			tool, args, want string
			sent             string
			state            media.State
		}{
			{nil, "media_move", `{"room":"bedroom"}`, "Nothing is playing.", "", media.Stopped},
			{nil, "media_play", `{"name":"fm4","room":"bedroom"}`, "There.", `media_play {"name":"fm4"}`, media.Stopped},
			{nil, "media_play", `{"name":"fm4","room":"kitchen"}`, "FM4.", `media_play {"name":"fm4"}`, media.Playing},
			{nil, "media_control", `{"do":"pause","room":"bedroom"}`, "There.", `media_control {"do":"pause"}`, media.Playing},
			{nil, "media_move", `{"room":"kitchen"}`, "Okay.", `media_play {"name":"FM4"}`, media.Playing},
			{nil, "media_play", `{"name":"fm4","room":"everywhere"}`, "There.", `media_play {"name":"fm4","room":"everywhere from here"}`, media.Playing},
			{nil, "media_play", `{"name":"fm4","room":"everywhere from here"}`, "I cannot play on all speakers together. That needs " +
				"a Snapcast server, and the setting media.everywhere.", "", media.Playing},
			{nil, "media_control", `{"do":"stop","room":"everywhere"}`, "There.", `media_control {"do":"stop","room":"everywhere from here"}`, media.Playing},
			{nil, "media_move", `{"room":"everywhere"}`, "There.", `media_play {"name":"FM4","room":"everywhere from here"}`, media.Stopped},
			{nil, "media_play", `{"name":"fm4","room":"kitchen"}`, "FM4.", `media_play {"name":"fm4"}`, media.Playing},
			{nil, "media_move", `{"room":"bedroom"}`, "There.", `media_play {"name":"FM4"}`, media.Stopped},
			{&media.Item{Podcast: "Science Hour", URL: "http://pod/1", Title: "Bees"}, "media_move", `{"room":"bedroom"}`, "There.",
				`media_play {"name":"Science Hour","kind":"podcast","episode":"Bees","from_s":90}`, media.Stopped},
			{&media.Item{Path: "/m/a.mp3", Title: "Sinnerman", Artist: "Nina Simone"}, "media_move", `{"room":"bedroom"}`, "There.",
				`media_play {"name":"Sinnerman","kind":"title","artist":"Nina Simone","from_s":90}`, media.Stopped},
		} {
			if sent = ""; c.plays != nil {
				p.Continue(media.Queue{Items: []media.Item{*c.plays}, From: 90 * time.Second})
				synctest.Wait()
			}
			if got := ask(t, all, c.tool, c.args); got != c.want || sent != c.sent || p.Now().State != c.state {
				t.Errorf("%s %s: %q, sent %q, %s", c.tool, c.args, got, sent, p.Now().State)
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestEveryProblemIsToldInASentenceOfItsOwn(t *testing.T) {
	said := map[string]media.Problem{}
	for problem := range keys {
		text := Failed(phrase.English(), media.Item{Station: "FM4"}, problem)
		if other, twice := said[text]; twice {
			t.Errorf("%v and %v: %s", problem, other, text)
		}
		said[text] = problem
	}
}
