package esphome

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/llm"
)

// happens sends an event of a pipeline, with pairs of data.
func (p *peer) happens(kind uint64, data ...string) {
	p.Helper()
	p.send(voiceEvent, func(m *message) {
		m.number(1, kind)
		for ; len(data) > 0; data = data[2:] {
			var pair message
			pair.text(1, data[0])
			pair.text(2, data[1])
			m.text(2, string(pair))
		}
	})
}

// pipeline is a run that a client has begun.
func pipeline(t *testing.T) (*peer, *Run) {
	t.Helper()
	p := connect(t, options(new(kitchen)))
	if _, err := p.s.Begin(t.Context(), ""); !errors.Is(err, errGone) {
		t.Fatalf("nobody is there: %v", err)
	}
	p.send(voiceSubscribe, func(m *message) { m.flag(1, true) })
	eventually(t, p.s.Wanted)
	r, err := p.s.Begin(t.Context(), "")
	check(t, err)
	if !p.get(voiceRequest).flag(1) {
		t.Fatal("nothing is begun")
	}
	return p, r
}

// answered is all that r yields, its sound as its length.
func answered(r *Run) (list []string, sound int, err error) {
	for d, err := range r.Answer(context.Background(), thinks/2, 0) {
		if err != nil {
			return list, sound, err
		}
		if d.Heard != "" {
			list = append(list, "heard "+d.Heard)
		}
		if d.Text != "" {
			list = append(list, "says "+d.Text)
		}
		sound += len(d.Audio)
	}
	return list, sound, nil
}

func TestPipelineHearsAndAnswers(t *testing.T) {
	p, r := pipeline(t)
	check(t, r.Write([]int16{1, -2}))
	if f := p.get(voiceAudio); f.text(1) != "\x01\x00\xfe\xff" || f.flag(2) {
		t.Errorf("%q", f.text(1))
	}
	check(t, r.Commit())
	if f := p.get(voiceAudio); !f.flag(2) {
		t.Error("the end is not told")
	}
	p.happens(pipelineEnded) // of the one before
	p.happens(begun)
	p.happens(heardIt, "text", " how warm is it ")
	p.happens(didIt, "continue_conversation", "0")
	p.happens(saysIt, "text", "Warm.")
	p.happens(soundsAt, "url", "http://ha/a")
	p.happens(pipelineEnded)
	list, sound, err := answered(r)
	if strings.Join(list, ", ") != "heard how warm is it, says Warm." || sound != AnswerRate/10 || err != nil {
		t.Errorf("%v, %d samples, %v", list, sound, err)
	}
	r.Cut(time.Second)
	if !p.get(voiceAnnounced).flag(1) {
		t.Error("the end of the answer is not told")
	}
	r.Cut(0) // which does nothing
	if err := r.Commit(); !errors.Is(err, errCut) {
		t.Error(err)
	}
	p.send(pingRequest, nil)
	if kind, _, err := p.read(); kind != pingResponse || err != nil {
		t.Errorf("message %d %v", kind, err)
	}
}

func TestQuestionOfAPipelineIsListenedTo(t *testing.T) {
	for _, c := range []struct {
		more  string
		heard time.Duration
		want  string
	}{{"1", math.MaxInt64, "converse"}, {"0", math.MaxInt64, ""}, {"1", time.Second, ""}, {"1", 0, ""}} {
		p, r := pipeline(t)
		p.happens(begun)
		p.happens(didIt, "continue_conversation", c.more)
		p.happens(soundsAt, "url", "http://ha/a")
		p.happens(pipelineEnded)
		if _, _, err := answered(r); err != nil {
			t.Error(err)
		}
		r.Cut(c.heard)
		p.send(voiceConfig, nil) // which waits for its turn
		p.get(voiceConfigResponse)
		if told := strings.Join(p.s.opt.Box.(*kitchen).list(), ", "); told != c.want {
			t.Errorf("%+v: told %q", c, told)
		}
	}
}

func TestPipelineThatIsCutIsEndedThere(t *testing.T) {
	p, r := pipeline(t)
	r.Cut(0)
	if p.get(voiceRequest).flag(1) {
		t.Error("another one is begun")
	}
	p.get(voiceAnnounced)
}

func TestPipelineThatFailsSaysWhy(t *testing.T) {
	for _, c := range []struct {
		does func(p *peer, r *Run)
		want string
	}{
		{func(p *peer, _ *Run) { p.happens(pipelineFailed, "code", "stt-no-text-recognized") }, "stt-no-text-recognized"},
		{func(p *peer, _ *Run) { p.send(voiceResponse, func(m *message) { m.flag(2, true) }) }, errNotBegun.Error()},
		{func(p *peer, _ *Run) { check(p.T, p.Close()) }, errGone.Error()},
		{func(p *peer, _ *Run) { p.send(voiceSubscribe, nil) }, errGone.Error()},
		{func(p *peer, _ *Run) { _, _ = p.s.Begin(context.Background(), "") }, errSuperseded.Error()},
		{func(p *peer, _ *Run) {
			p.happens(begun)
			for range maxEvents + 1 {
				p.happens(saysIt, "text", "a")
			}
			p.send(pingRequest, nil)
			p.get(pingResponse)
		}, errFull.Error()},
	} {
		p, r := pipeline(t)
		c.does(p, r)
		if _, _, err := answered(r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want %s: %v", c.want, err)
		}
		r.Cut(0)
	}
}

// The words are then said by the box's own voice.
func TestAnswerWithoutASoundIsItsWords(t *testing.T) {
	p, r := pipeline(t)
	p.happens(begun)
	p.happens(saysIt, "text", "Warm.")
	p.happens(soundsAt, "url", "http://ha/gone")
	p.happens(pipelineEnded)
	if list, sound, err := answered(r); strings.Join(list, ", ") != "says Warm." || sound != 0 || err != nil {
		t.Errorf("%v, %d samples, %v", list, sound, err)
	}
}

func TestPipelineThatIsSilentIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &Run{s: new(Server), events: make(chan happened, maxEvents), gone: make(chan struct{})}
		for _, most := range []time.Duration{thinks / 2, thinks} { // which does not begin, and does not go on
			from := time.Now()
			if _, _, err := answered(r); !errors.Is(err, errSlow) || time.Since(from) != most {
				t.Errorf("%v after %v", err, time.Since(from))
			}
			r.events <- happened{kind: begun}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, err := range r.Answer(ctx, 0, 0) {
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	})
}

// The one who says the word again at once is not taken for another satellite.
func TestWakeWordOfARequestIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{opt: Options{Words: []string{"all", "phrase"}}}
		c := &session{Server: s, out: make(chan packet, maxOut)}
		s.voice = c
		for _, r := range []struct {
			by, told string
			after    time.Duration
		}{{"barge_in", "", 0}, {"phrase", "phrase", 0}, {"phrase", "phrase", cooldown}, {"all", "all", 0}} {
			begun := time.Now()
			_, err := s.Begin(t.Context(), r.by)
			check(t, err)
			<-c.out // the ping
			f, err := parse((<-c.out).body)
			if check(t, err); f.text(5) != r.told || time.Since(begun) != r.after {
				t.Errorf("%s is told as %q after %v", r.by, f.text(5), time.Since(begun))
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Begin(ctx, "all"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestRequestThatAnotherSatelliteHasIsNoFailure(t *testing.T) {
	p, r := pipeline(t)
	p.happens(pipelineFailed, "code", taken)
	if _, _, err := answered(r); !errors.Is(err, llm.ErrElsewhere) {
		t.Error(err)
	}
}
