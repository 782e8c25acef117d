package dialogue

import (
	"context"
	"errors"
	"testing"
	"time"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/refusal"
	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// toolFunc is an executor that does one thing.
type toolFunc func(ctx context.Context) error

func (f toolFunc) Run(ctx context.Context, _ tools.Call) tools.Outcome {
	if err := f(ctx); err != nil {
		return tools.Outcome{Class: tools.Cancelled}
	}
	return done("It is done.")
}

func TestToolsMayCommandTheSpeakerOfTheirOwnTurn(t *testing.T) {
	var r *rig
	for name, c := range map[string]struct {
		do      toolFunc
		outcome string
	}{
		"hush":   {func(ctx context.Context) error { return r.d.Hush(ctx) }, "answered"},
		"volume": {func(ctx context.Context) error { return r.d.SetVolume(ctx, 5) }, "answered"},
		"mute":   {func(ctx context.Context) error { return r.d.SetMuted(ctx, true) }, "answered"},
		"say":    {func(ctx context.Context) error { return r.d.Announce(ctx, "later", false, false) }, "answered"},
		"stop":   {func(ctx context.Context) error { return r.d.Stop(ctx) }, "stopped"},
		"listen": {func(ctx context.Context) error { return r.d.Listen(ctx) }, "interrupted"},
		"ask": {func(ctx context.Context) error {
			_, err := r.ask(ctx, "why")
			return err
		}, "superseded"},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, func(x *rig) {
				x.ans.Tools = answer.NewToolbox(x.bus, c.do, phrase.English(), false)
				x.mind.sentences = []string{"One."}
			}, func(t *testing.T, x *rig) {
				r = x
				x.say(1, "hey hearth do it")
				if turn := x.turn(); turn.Outcome != c.outcome {
					t.Errorf("turn %+v", turn)
				}
			})
		})
	}
}

func TestAnswerThatNoVoiceCanSpeakIsAnEarcon(t *testing.T) {
	with(t, func(r *rig) {
		r.spoken.err = errMouth
		r.spoken.fb.err = errMouth
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		if turn := r.turn(); turn.Answer != "It is done." {
			t.Errorf("turn %+v", turn)
		}
		if !r.mixer.Earcon().Sounding() {
			t.Error("silence")
		}
	})
}

func TestSpeakerThatDisappearsLeavesTheAnswerAsText(t *testing.T) {
	with(t, func(r *rig) { r.mind.sentences = []string{"one two three four.", "five six."} },
		func(t *testing.T, r *rig) {
			r.say(1, "hey hearth why")
			r.speaks()
			r.mixer.SetRate(0)
			if turn := r.turn(); turn.Outcome != "answered" || turn.Answer != "one two three four. five six." {
				t.Errorf("turn %+v", turn)
			}
			r.mixer.SetRate(rigRate)
			if turn, err := r.ask(t.Context(), "do tea"); err != nil || turn.Stages.FirstSound == 0 {
				t.Errorf("turn %+v, %v", turn, err)
			}
		})
}

func TestNewRefusesWhatIsMissing(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		for name, change := range map[string]func(*Options){
			"part": func(o *Options) { o.Voice = nil },
			"ears": func(o *Options) { o.Recogniser = nil },
			"wake": func(o *Options) { o.Wake.Engine = "shout" },
		} {
			o := r.opt
			change(&o)
			if _, err := New(o); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		var refused refusal.Error
		if err := r.d.SetVolume(t.Context(), -1); !errors.As(err, &refused) {
			t.Errorf("SetVolume: %v", err)
		}
	})
}

// Two questions for two thinkers.
func TestThinkersAreAskedAtTheSameTime(t *testing.T) {
	ask := func(id, domain string) llm.Delta {
		return llm.Delta{Call: &llm.ToolCall{ID: id, Name: "route_to_thinker",
			Arguments: []byte(`{"domain":"` + domain + `"}`)}}
	}
	c := &cloud{deltas: []llm.Delta{ask("1", "weather"), ask("2", "news"), sounds("So.")}}
	h := &consulted{}
	withCloud(t, c, func(r *rig) { r.ans.Tools = answer.NewToolbox(r.bus, h, phrase.English(), true) },
		func(t *testing.T, r *rig) {
			r.say(1, "hey hearth the weather and the news")
			begun := time.Now()
			r.turn()
			if d := time.Since(begun); d > 15*time.Second {
				t.Errorf("two questions of ten seconds took %v", d)
			}
		})
}

type consulted struct{}

func (consulted) Run(context.Context, tools.Call) tools.Outcome {
	time.Sleep(10 * time.Second)
	return done("It is.")
}
