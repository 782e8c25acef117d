package media

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/llm"
	"hearthd/media"
	"hearthd/media/player"
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

func TestRequestsForMusicAreDoneAndAnswered(t *testing.T) {
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
			Sources: []media.Item{{Source: "Spotify"}}})
		for _, step := range []struct{ tool, args, want string }{
			{"media_play", `{}`, "There are no radio stations yet. Somebody has to add one first."},
			{"media_control", `{"do":"pause"}`, "Nothing is playing."},
			{"media_play", `{"name":"spotify"}`, "Spotify."},
			{"media_control", `{"do":"next"}`, "Spotify chooses by itself what comes next."},
			{"media_play", `{"name":"fm4"}`, "FM4."},
			{"media_what", `{}`, "This is Song by Band, on FM4."},
			{"media_control", `{"do":"pause"}`, "Okay."},
			{"media_control", `{"do":"resume"}`, "Okay."},
			{"media_control", `{"do":"next"}`, "Ö1."},
			{"media_what", `{}`, "This is Ö1, which does not say what it plays."},
			{"media_control", `{"do":"previous"}`, "FM4."},
			{"media_control", `{"do":"previous"}`, "There is nothing more in that direction."},
			{"media_volume", `{"step":-15}`, "The music is at 45 percent."},
			{"media_volume", `{"percent":100}`, "The music is at 100 percent."},
			{"media_sleep", `{"duration_s":1800}`, "It stops in thirty minutes."},
			{"media_sleep", `{"duration_s":0}`, "Okay."},
			{"media_control", `{"do":"stop"}`, "Okay."},
			{"media_what", `{}`, "Nothing is playing."},
			{"media_sleep", `{"duration_s":60}`, "Nothing is playing."},
			{"media_play", `{}`, "FM4."},
			{"media_play", `{"name":"http://page/"}`, "I know no station called http://page/."},
			{"media_play", `{"name":"dead"}`, "I can't reach Dead right now."},
			{"media_play", `{"name":"Page"}`, "What Page sends is no sound that I can play."},
			{"media_stations", `{}`, "There are FM4, Ö1, Dead and Page."},
		} {
			if got := ask(t, all, step.tool, step.args); got != step.want {
				t.Errorf("%s %s: %q, want %q", step.tool, step.args, got, step.want)
			}
			list = []media.Station{{Name: "FM4", URL: "http://fm4/"},
				{Name: "Ö1", Aliases: []string{"one"}, URL: "http://oe1/"}, {Name: "Dead", URL: "http://dead/"}, {Name: "Page", URL: "http://page/"}}
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
