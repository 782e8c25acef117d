package remote

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/llm/wyoming"
	"hearthd/rigs/llmtest"
)

func TestFaultsOfTheServerAreToldAndHealed(t *testing.T) {
	for _, tc := range []struct {
		fault llmtest.WyomingFault
		why   string
	}{
		{llmtest.WyomingSilent, "has not answered"},
		{llmtest.WyomingDeaf, "has taken nothing"},
		{llmtest.WyomingCloses, "EOF"},
		{llmtest.WyomingClosesMidway, "EOF"},
		{llmtest.WyomingEndlessLine, "line"},
		{llmtest.WyomingNegativeLength, "payload"},
		{llmtest.WyomingHugeLength, "payload"},
		{llmtest.WyomingChatters, "without end"},
		{llmtest.WyomingComplains, "cannot do"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := script()
			s.Fault = tc.fault
			bad, good := llmtest.NewWyomingPipe(t, s), llmtest.NewWyomingPipe(t, script())
			dials := 0
			r := startOn(t, func(context.Context) (net.Conn, error) {
				if dials++; dials == 1 {
					return bad.Pipe()
				}
				return good.Pipe()
			}, "unix:/not/dialled")
			defer r.end()
			began := time.Now()
			var told []error
			for len(told) < 3 && time.Since(began) < time.Minute {
				r.play(audio.Samples(time.Since(began)), 1)
				for len(r.told) > 0 {
					told = append(told, <-r.told)
				}
			}
			if len(told) != 3 || told[0] != nil || told[1] == nil || told[2] != nil {
				t.Fatalf("%v: told %v, want that it came, went and came", tc.why, told)
			}
			if !strings.Contains(told[1].Error(), tc.why) {
				t.Errorf("told %q, want %q", told[1], tc.why)
			}
			if d := time.Since(began); d > 25*time.Second {
				t.Errorf("%s: healed after %v", tc.why, d)
			}
			r.play(audio.Samples(time.Since(began)), 10)
			if r.standing != reached {
				t.Errorf("%s: the good server does not stay", tc.why)
			}
		})
	}
}

func TestServersThatFindNoWakeWordsAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, llmtest.WyomingScript{})
		defer r.end()
		if err := <-r.told; err == nil || !strings.Contains(err.Error(), "no wake service") {
			t.Errorf("told %v", err)
		}
	})
}

func TestRetriesComeLessAndLessOftenAndAreToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries []time.Duration
		began := time.Now()
		r := startOn(t, func(context.Context) (net.Conn, error) {
			tries = append(tries, time.Since(began))
			return nil, errors.New("no route")
		}, "unix:/not/dialled")
		time.Sleep(20 * time.Minute)
		r.end()
		if n := len(tries); n < 20 || n > 50 {
			t.Errorf("%d tries in 20 minutes", n)
		}
		for i := 1; i < len(tries); i++ {
			full := min(firstRetry<<min(i-1, 10), lastRetry)
			if d := tries[i] - tries[i-1]; d < full/2 || d > full {
				t.Errorf("try %d came after %v, want %v to %v", i, d, full/2, full)
			}
		}
		if len(r.told) != 1 {
			t.Errorf("told %d times", len(r.told))
		}
	})
}

func TestPushNeverWaitsForADeafServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script()
		s.Fault = llmtest.WyomingDeaf
		r := start(t, s)
		defer r.end()
		<-r.told
		began := time.Now()
		var f audio.Frame
		for i := range 1000 {
			r.Push(&f, audio.Position(i*audio.FrameSamples))
		}
		if d := time.Since(began); d != 0 {
			t.Errorf("Push waited %v", d)
		}
		if n := r.dropped.Load(); n < 1000-queueFrames-chunkFrames-1 || n > 1000-queueFrames {
			t.Errorf("%d frames of 1000 dropped", n)
		}
	})
}

// slow is a connection to a server that takes twice as long as the sound lasts.
type slow struct{ net.Conn }

func (s slow) Write(p []byte) (int, error) {
	if len(p) > chunkFrames*audio.FrameSamples*2 {
		time.Sleep(2 * chunkFrames * audio.FrameDuration)
	}
	return s.Conn.Write(p)
}

// Such a server hears every word with holes in it, and finds none.
func TestServerThatDoesNotKeepUpIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := llmtest.NewWyomingPipe(t, script())
		r := startOn(t, func(context.Context) (net.Conn, error) {
			c, err := server.Pipe()
			return slow{c}, err
		}, "unix:/not/dialled", "okay_nabu")
		defer r.end()
		if err := <-r.told; err != nil {
			t.Fatal(err)
		}
		r.play(0, 30*50)
		select {
		case err := <-r.told:
			if !errors.Is(err, errSlow) {
				t.Errorf("told %v", err)
			}
		default:
			t.Errorf("nothing was told, and %d frames of 1500 were lost", r.dropped.Load())
		}
	})
}

// A server that waits for any phrase is told how sure it has to be, and a phrase that it refuses is a fault that stays.
func TestServerThatRefusesAPhraseIsLostUntilItTakesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan wyoming.Words, 100)
		var refuses atomic.Bool
		refuses.Store(true)
		r := startOn(t, func(context.Context) (net.Conn, error) {
			here, there := net.Pipe()
			refuse, was := refuses.Load(), len(asked)
			go func() {
				c := wyoming.NewConn(there)
				defer c.Close()
				for {
					e, err := c.Receive(t.Context())
					if err != nil {
						return
					}
					if e.Type == wyoming.Detect {
						var w wyoming.Words
						if err := e.Decode(&w); err != nil {
							t.Error(err)
						}
						asked <- w
					}
					if e.Type != wyoming.Describe {
						continue
					}
					kind, data := wyoming.Info, any(map[string]any{"wake": []any{map[string]any{"hearth_phrases": true}}})
					if refuse && len(asked) > was {
						kind, data = wyoming.Error, wyoming.Complaint{Text: "cannot write küche"}
					}
					answer, err := wyoming.NewEvent(kind, data)
					if err != nil || c.Send(t.Context(), answer) != nil {
						return
					}
				}
			}()
			return here, nil
		}, "unix:/not/dialled", "hey kitchen")
		defer r.end()
		if err := <-r.told; err == nil || !strings.Contains(err.Error(), "küche") {
			t.Errorf("told %v", err)
		}
		time.Sleep(10 * time.Second)
		if len(r.told) > 0 {
			t.Errorf("told again %v", <-r.told)
		}
		refuses.Store(false)
		if err := <-r.told; err != nil {
			t.Errorf("told %v", err)
		}
		if w := <-asked; !slices.Equal(w.Names, []string{"hey kitchen"}) || w.Context.Cutoffs["hey kitchen"] != 0.4 {
			t.Errorf("asked for %+v", w)
		}
	})
}
