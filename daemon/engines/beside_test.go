package engines

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/config"
	"hearthd/daemon/health"
	"hearthd/llm"
	"hearthd/llm/gone"
	"hearthd/llm/stt"
)

// room is a recogniser that counts.
type room struct {
	opened, frames, closed int
	heard                  llm.Transcript
	err                    error         // of Finish and Peek
	away                   error         // of Open
	breaks                 int           // the frame at which Write begins to fail; 0: none
	takes                  time.Duration // Finish and Peek
}

func (r *room) Open(context.Context) (stt.Stream, error) {
	if r.away != nil {
		return nil, r.away
	}
	r.opened++
	return &roomStream{r: r}, nil
}

type roomStream struct{ r *room }

func (s *roomStream) Write(*audio.Frame) error {
	if s.r.frames++; s.r.frames == s.r.breaks {
		if s.r.err != nil {
			return s.r.err
		}
		return errors.New("the engine has crashed")
	}
	return nil
}
func (s *roomStream) Close() error { s.r.closed++; return nil }
func (s *roomStream) Finish(ctx context.Context) (llm.Transcript, error) {
	select {
	case <-ctx.Done():
		return llm.Transcript{}, ctx.Err()
	case <-time.After(s.r.takes):
	}
	return s.r.heard, s.r.err
}
func (s *roomStream) Peek(ctx context.Context, _ func(llm.Transcript)) (llm.Transcript, error) {
	return s.Finish(ctx)
}

// besideOf is a recogniser with one beside it, which is made while the test runs.
func besideOf(t *testing.T, name string, engine stt.Engine, local func() (stt.Engine, error),
	asks func(text string) string, phrase *Phrase) *beside {
	t.Helper()
	s := newBeside(name, engine, func(context.Context) (stt.Engine, error) { return local() }, asks, phrase)
	done := make(chan error, 1)
	go func() { done <- s.Run(t.Context()) }()
	t.Cleanup(func() {
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s
}

// utterance has both hear 20 frames, and gives what is believed, how long after the end, and what the condition says.
func utterance(t *testing.T, s *beside, e *Engines) (got llm.Transcript, took time.Duration, condition string) {
	t.Helper()
	stream, err := s.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if err := stream.Write(&audio.Frame{}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	began := time.Now()
	got, err = stream.Finish(ctx)
	took = time.Since(began)
	e.Hearing(s).Heard(err)
	if err := stream.Close(); err != nil {
		t.Error(err)
	}
	return got, took, told(e)
}

// told is the condition of the recogniser.
func told(e *Engines) string {
	for _, c := range e.opt.Conditions.List() {
		if c.Code == "recogniser" {
			return string(c.Severity) + ": " + c.Text
		}
	}
	return ""
}

// nobody asks for anything.
func nobody(string) string { return "" }

func heard(text string, margin float64) llm.Transcript {
	return llm.Transcript{Text: text, Margin: margin}
}

func TestOneOfTwoRecognisersIsBelievedInTheSameTurn(t *testing.T) {
	const order, other = "turn on the kitchen light", "Turn on the kitchen lights."
	rejected := llm.Transcript{Rejected: true}
	crash := errors.New("connection reset")
	for name, tc := range map[string]struct {
		here, there room
		text, by    string
		took        time.Duration
		trouble     bool
	}{
		"a certain order waits for nobody": {room{heard: heard(order, 3), takes: time.Second},
			room{heard: heard(other, 0), takes: 3 * time.Second}, order, "pocketsphinx", time.Second, false},
		"free text is the server's": {room{heard: rejected, takes: time.Second},
			room{heard: heard("Why is the sky blue?", 0), takes: 2 * time.Second}, "Why is the sky blue?", "wyoming",
			2 * time.Second, false},
		"a sure order that the server confirms": {room{heard: heard(order, -13)}, room{heard: heard(other, 0)}, order,
			"pocketsphinx", 0, false},
		"a guess that the server confirms": {room{heard: heard(order, -18)}, room{heard: heard("Turn on the kitten light.", 0)},
			order, "pocketsphinx", 0, false},
		"a sure order that the server heard otherwise": {room{heard: heard("could you four minute please", -11)},
			room{heard: heard("Good morning.", 0)}, "Good morning.", "wyoming", 0, false},
		"the server is late": {room{heard: heard(order, -13), takes: time.Second},
			room{heard: heard(other, 0), takes: time.Hour}, order, "pocketsphinx", time.Second + lateAfter, true},
		"the server hangs and nothing else was heard": {room{heard: rejected}, room{takes: time.Hour}, "", "pocketsphinx",
			10 * time.Second, true},
		"the server has died": {room{heard: heard(order, -13)}, room{err: crash}, order, "pocketsphinx", 0, true},
		"the server dies while somebody speaks": {room{heard: heard(order, -13)}, room{breaks: 10}, order, "pocketsphinx",
			0, true},
		"the utterance was given up, and has ended the connection": {room{heard: heard(order, -13)},
			room{breaks: 10, err: fmt.Errorf("receive from wyoming server: %w", context.Canceled)}, order, "pocketsphinx", 0, false},
		"the server is not there": {room{heard: heard(order, -13)}, room{away: crash}, order, "pocketsphinx", 0, true},
		"the built-in one is busy": {room{heard: heard(order, 3), takes: time.Minute}, room{heard: heard(other, 0)}, other,
			"wyoming", builtInLate, false},
		"the built-in one has died": {room{breaks: 3}, room{heard: heard(other, 0)}, other, "wyoming", 0, false},
		"there is no built-in one":  {room{away: crash}, room{heard: heard(other, 0)}, other, "wyoming", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := config.Default()
				c.STT.Engine = "wyoming"
				e := made(&c)
				s := besideOf(t, "wyoming", &tc.there, func() (stt.Engine, error) { return &tc.here, nil }, nobody, nil)
				got, took, condition := utterance(t, s, e)
				if got.Text != tc.text || got.By != tc.by || took != tc.took {
					t.Errorf("%q by %s after %v", got.Text, got.By, took)
				}
				if trouble := strings.Contains(condition, "built-in recogniser hears"); trouble != tc.trouble {
					t.Errorf("condition %q", condition)
				}
				if tc.here.opened != tc.here.closed || tc.there.opened != tc.there.closed {
					t.Errorf("here %+v, there %+v", tc.here, tc.there)
				}
			})
		})
	}
}

func TestWakePhraseCountsAsTheBuiltInOneHeardIt(t *testing.T) {
	spell := func(text string) (string, bool) { return "hey hearth, " + text[len("Hey Hart "):], true }
	for name, tc := range map[string]struct {
		call room
		text string
		took time.Duration
	}{
		"heard":      {room{heard: heard("hey hearth", 3)}, "hey hearth, why?", 0},
		"not heard":  {room{heard: llm.Transcript{Rejected: true}}, "Hey Hart why?", 0},
		"late":       {room{heard: heard("hey hearth", 3), takes: time.Hour}, "Hey Hart why?", builtInLate},
		"broken":     {room{err: errors.New("it died")}, "Hey Hart why?", 0},
		"not opened": {room{away: errors.New("no memory")}, "Hey Hart why?", 0},
		"cut off":    {room{breaks: 7, heard: heard("hey hearth", 3)}, "Hey Hart why?", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := config.Default()
				c.STT.Engine = "wyoming"
				here, there := &room{heard: llm.Transcript{Rejected: true}}, &room{heard: heard("Hey Hart why?", 0)}
				s := besideOf(t, "wyoming", there, func() (stt.Engine, error) { return here, nil }, nobody,
					&Phrase{Engine: &tc.call, Called: spell})
				got, took, condition := utterance(t, s, made(&c))
				if got.Text != tc.text || took != tc.took || condition != "" {
					t.Errorf("%q after %v; condition %q", got.Text, took, condition)
				}
				if tc.call.opened != tc.call.closed {
					t.Errorf("opened %d, closed %d", tc.call.opened, tc.call.closed)
				}
			})
		})
	}
}

func TestDeadRecogniserIsAskedAgainAndItsConditionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config.Default()
		c.STT.Engine = "wyoming"
		e := made(&c)
		here, there := &room{heard: heard("stop", -11)}, &room{err: errors.New("dead"), heard: heard("Why?", 0)}
		s := besideOf(t, "wyoming", there, func() (stt.Engine, error) { return here, nil }, nobody, nil)
		for range 3 {
			utterance(t, s, e)
		}
		if there.opened != 1 || told(e) == "" {
			t.Errorf("a dead recogniser was asked %d times; condition %q", there.opened, told(e))
		}
		time.Sleep(lostTime)
		there.err = nil
		if got, _, condition := utterance(t, s, e); got.Text != "Why?" || condition != "" {
			t.Errorf("afterwards %+v, condition %q", got, condition)
		}
	})
}

func TestModelThatIsGoneIsNamedWhileTheBuiltInOneHears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := &room{heard: heard("set a timer", 2)}, &room{away: &gone.Error{Model: "write-9"}}
		c := config.Default()
		c.STT.Engine = "openai"
		e := made(&c)
		s := besideOf(t, "openai", there, func() (stt.Engine, error) { return here, nil }, nobody, nil)
		for range 2 {
			got, _, condition := utterance(t, s, e)
			if got.Text != "set a timer" || !strings.HasPrefix(condition, string(health.Error)) ||
				!strings.Contains(condition, "write-9") {
				t.Errorf("%+v, condition %q", got, condition)
			}
		}
	})
}

func TestWithoutEitherRecogniserTheFaultIsTold(t *testing.T) {
	s := besideOf(t, "wyoming", &room{away: errors.New("refused")}, func() (stt.Engine, error) {
		return nil, errors.New("not installed")
	}, nobody, nil)
	if _, err := s.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "refused") ||
		!strings.Contains(err.Error(), "not installed") {
		t.Errorf("open: %v", err)
	}
}

// A small box needs seconds to set the built-in one up.
func TestNobodyWaitsForTheBuiltInOneToBeMade(t *testing.T) {
	const wish, order = "Why is the sky blue?", "turn on the kitchen light"
	synctest.Test(t, func(t *testing.T) {
		here, there := &room{heard: heard(order, 3)}, &room{heard: heard(wish, 0)}
		c := config.Default()
		c.STT.Engine = "wyoming"
		e := made(&c)
		s := besideOf(t, "wyoming", there, func() (stt.Engine, error) {
			time.Sleep(10 * time.Second)
			return here, nil
		}, nobody, nil)
		begun := time.Now()
		if got, _, condition := utterance(t, s, e); got.Text != wish || got.By != "wyoming" || condition != "" ||
			time.Since(begun) != builtInLate {
			t.Errorf("%+v after %v, condition %q", got, time.Since(begun), condition)
		}
		there.away = errors.New("refused") // then it is worth a wait
		if got, _, _ := utterance(t, s, e); got.Text != order || time.Since(begun) != 10*time.Second {
			t.Errorf("%+v after %v", got, time.Since(begun))
		}
	})
}

func TestFaultOfTheServerIsToldWhereThereIsNoBuiltInOne(t *testing.T) {
	s := besideOf(t, "wyoming", &room{err: errors.New("it has crashed")}, func() (stt.Engine, error) {
		return nil, errors.New("not installed")
	}, nobody, nil)
	stream, err := s.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := stream.Finish(t.Context()); err == nil {
		t.Errorf("%+v", got)
	}
}

func TestWordsSoFarWaitForTheOneThatIsBelieved(t *testing.T) {
	for name, tc := range map[string]struct {
		here, there llm.Transcript
		err         error
		text        string
		peeks       bool
	}{
		"certain":             {heard("stop the music", 1), heard("", 0), stt.ErrNoPeek, "stop the music", true},
		"not certain":         {heard("stop the music", -13), heard("", 0), stt.ErrNoPeek, "", false},
		"the server's":        {llm.Transcript{Rejected: true}, heard("why is", 0), nil, "why is", true},
		"both heard the same": {heard("stop the music", -13), heard("Stop the music.", 0), nil, "stop the music", true},
	} {
		s := besideOf(t, "wyoming", &room{heard: tc.there, err: tc.err}, func() (stt.Engine, error) {
			return &room{heard: tc.here}, nil
		}, nobody, nil)
		stream, err := s.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := stream.(stt.Peeker).Peek(t.Context(), func(llm.Transcript) {})
		if got.Text != tc.text || (err == nil) != tc.peeks {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// The built-in one takes 450 ms for a sentence of three seconds, and 200 ms after the pause was noticed a whole
// request has ended.
func TestWordsOfTheServerAreToldWhileTheBuiltInOneStillDecodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here := &room{heard: heard("turn on the kitchen light", -13), takes: 450 * time.Millisecond}
		there := &room{heard: heard("Turn on the kitchen light.", 0), takes: 120 * time.Millisecond}
		s := besideOf(t, "wyoming", there, func() (stt.Engine, error) { return here, nil }, nobody, nil)
		stream, err := s.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		began, told := time.Now(), time.Duration(0)
		got, err := stream.(stt.Peeker).Peek(t.Context(), func(early llm.Transcript) {
			if told = time.Since(began); early.Text != there.heard.Text {
				t.Errorf("early %+v", early)
			}
		})
		if told != there.takes || got.Text != here.heard.Text || got.By != builtInName || time.Since(began) != here.takes {
			t.Errorf("told after %v, and %+v after %v, %v", told, got, time.Since(began), err)
		}
	})
}
