package player

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/media"
)

const rate = 8000

// place is what a source sends of an item: the second that it is at, from 100 on.
func place(sample int16) int { return int(sample) - 100 }

// tape is a source of items that are so many seconds long, or do not play.
type tape struct {
	length map[string]int // by URL; 0: without end
	errs   map[string][]error
	opened []string
	silent bool
	title  string
}

func (s *tape) Open(ctx context.Context, it media.Item, from time.Duration, hz int, told func(string)) (io.ReadCloser,
	error) {
	s.opened = append(s.opened, it.URL)
	if errs := s.errs[it.URL]; len(errs) > 0 {
		s.errs[it.URL] = errs[1:]
		if errs[0] != nil {
			return nil, errs[0]
		}
	}
	if s.title != "" {
		told(s.title)
	}
	return &reel{s, ctx, int(from.Seconds() * float64(hz)), s.length[it.URL] * hz, hz}, nil
}

type reel struct {
	*tape
	ctx           context.Context
	at, end, rate int
}

func (r *reel) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	n := 0
	for ; n+1 < len(p); n += 2 {
		if r.end > 0 && r.at >= r.end {
			if n == 0 {
				return 0, io.EOF
			}
			return n, nil
		}
		v := 100 + r.at/r.rate
		if r.silent {
			v = 0
		}
		binary.LittleEndian.PutUint16(p[n:], uint16(v))
		r.at++
	}
	return n, nil
}

func (r *reel) Close() error { return nil }

// rig is a player in a room whose time only goes on when it is heard.
type rig struct {
	*Player
	t      *testing.T
	source *tape
	mixer  *audio.Mixer
	told   []media.Now
	failed []error
}

func with(t *testing.T, s *tape, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, source: s, mixer: audio.NewMixer(100)}
		r.mixer.SetRate(rate)
		var err error
		r.Player, err = New(Options{
			Mixer: r.mixer, Wake: func() {}, Source: s, Volume: 100, Log: slog.New(slog.DiscardHandler),
			Changed: func(n media.Now) { r.told = append(r.told, n) },
			Failed:  func(_ media.Item, err error) { r.failed = append(r.failed, err) },
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.Run(ctx) }()
		test(r)
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// listen is what is heard for a while.
func (r *rig) listen(d time.Duration) []int16 {
	var all []int16
	for ; d > 0; d -= 20 * time.Millisecond {
		synctest.Wait()
		block := make([]int16, max(r.mixer.Rate(), rate)/50)
		r.mixer.Mix(block)
		all = append(all, block...)
		time.Sleep(20 * time.Millisecond)
	}
	return all
}

// at expects to hear a place of an item after a moment.
func (r *rig) at(second int) {
	r.t.Helper()
	heard := r.listen(600 * time.Millisecond)
	if last := heard[len(heard)-1]; place(last) != second {
		r.t.Errorf("plays second %d, want %d", place(last), second)
	}
}

func (r *rig) quiet() {
	r.t.Helper()
	heard := r.listen(200 * time.Millisecond)[rate/10:] // after the fade
	if slices.ContainsFunc(heard, func(v int16) bool { return v != 0 }) {
		r.t.Error("something plays")
	}
}

var (
	one = media.Item{Station: "One", URL: "one"}
	two = media.Item{Station: "Two", URL: "two"}
	a   = media.Item{URL: "a", Title: "A"}
	b   = media.Item{URL: "b", Title: "B"}
)

func songs() *tape {
	return &tape{length: map[string]int{"a": 60, "b": 60}, errs: map[string][]error{}}
}

func TestPauseHoldsASongWhereItWasHoweverLong(t *testing.T) {
	with(t, songs(), func(r *rig) {
		r.Play([]media.Item{a, b}, 0)
		r.listen(3 * time.Second)
		r.Pause()
		r.quiet()
		r.listen(time.Minute)
		r.quiet()
		if len(r.source.opened) != 1 {
			t.Errorf("opened %v", r.source.opened)
		}
		r.Resume()
		r.at(3)
		if want := []string{"a", "a"}; !slices.Equal(r.source.opened, want) { // it was closed meanwhile
			t.Errorf("opened %v, want %v", r.source.opened, want)
		}
	})
}

func TestSongGoesOnAtItsSampleAfterAShortPause(t *testing.T) {
	with(t, songs(), func(r *rig) {
		r.Play([]media.Item{a}, 0)
		r.listen(2 * time.Second)
		r.Pause()
		r.listen(10 * time.Second)
		r.Resume()
		r.at(2)
		if len(r.source.opened) != 1 {
			t.Errorf("opened %v", r.source.opened)
		}
	})
}

func TestSongGoesOnWithAnotherDeviceWhereItWas(t *testing.T) {
	with(t, songs(), func(r *rig) {
		r.Play([]media.Item{a}, 0)
		r.listen(5 * time.Second)
		r.mixer.SetRate(0)
		time.Sleep(time.Minute)
		r.mixer.SetRate(2 * rate)
		r.listen(800 * time.Millisecond)
		heard := r.listen(100 * time.Millisecond)
		if got := place(heard[0]); got != 5 {
			t.Errorf("plays second %d, want 5", got)
		}
	})
}

func TestQueueIsPlayedToItsEndAndSkipped(t *testing.T) {
	with(t, songs(), func(r *rig) {
		r.Play([]media.Item{a, b}, 0)
		r.listen(62 * time.Second)
		if now := r.Now(); now.Item != b || now.Title != "B" || now.State != media.Playing {
			t.Errorf("%+v", now)
		}
		if r.Skip(1) || !r.Skip(-1) {
			t.Error("there is one before, and none after")
		}
		r.at(0)
		r.listen(122 * time.Second)
		if now := r.Now(); now.State != media.Stopped {
			t.Errorf("%+v", now)
		}
		if len(r.failed) > 0 {
			t.Errorf("failed: %v", r.failed)
		}
	})
}

func TestSeekGoesForwardAndBackInASongAndNotInAStream(t *testing.T) {
	with(t, songs(), func(r *rig) {
		if r.Seek(time.Second) {
			r.t.Error("nothing plays, and it goes forward")
		}
		r.Play([]media.Item{one}, 0)
		r.at(0)
		if r.Seek(time.Second) {
			r.t.Error("a stream goes forward")
		}
		r.Play([]media.Item{a, b}, 0)
		r.at(0)
		for _, step := range []struct {
			by time.Duration
			at int // the second that is heard then
		}{{30 * time.Second, 31}, {-time.Minute, 0}} {
			if !r.Seek(step.by) {
				r.t.Errorf("it does not go %v", step.by)
			}
			r.at(step.at)
		}
	})
}

func TestStationThatIsLostIsOpenedAgainForAWhileAndThenTold(t *testing.T) {
	s := songs()
	s.errs["one"] = slices.Concat([]error{nil, media.Unreachable, media.Unreachable, nil},
		slices.Repeat([]error{media.Lost}, 100))
	with(t, s, func(r *rig) {
		r.source.length["one"] = 30 // then it breaks off
		r.Play([]media.Item{one}, 0)
		if err := r.Await(r.t.Context()); err != nil {
			t.Error(err)
		}
		r.listen(40 * time.Second)
		if len(s.opened) != 4 || len(r.failed) > 0 {
			t.Errorf("opened %v, failed %v", s.opened, r.failed)
		}
		r.listen(15 * time.Minute)
		if len(r.failed) != 1 || r.failed[0] != media.Lost || r.Now().State != media.Stopped {
			t.Errorf("failed %v, %+v", r.failed, r.Now())
		}
		if len(s.opened) > 4+attempts {
			t.Errorf("opened %d times", len(s.opened))
		}
	})
}

func TestWhatDoesNotBeginIsToldToWhoAsked(t *testing.T) {
	s := songs()
	s.errs["one"] = []error{media.NoSound}
	s.errs["two"] = slices.Repeat([]error{media.Unreachable}, 9)
	with(t, s, func(r *rig) {
		r.Play([]media.Item{one}, 0)
		if err := r.Await(r.t.Context()); err != media.NoSound {
			t.Error(err)
		}
		r.Play([]media.Item{two}, 0)
		if err := r.Await(r.t.Context()); err != media.Unreachable || len(s.opened) != 1+firstAttempts {
			t.Errorf("%v after %v", err, s.opened)
		}
		if len(r.failed) > 0 || r.Now().State != media.Stopped {
			t.Errorf("told twice: %v; %+v", r.failed, r.Now())
		}
		s.errs["one"] = []error{media.NoSound}
		r.Play([]media.Item{one}, 0)
		r.listen(time.Second)
		if len(r.failed) != 1 {
			t.Errorf("nobody is told: %v", r.failed)
		}
	})
}

func TestStationThatSendsSilenceIsTold(t *testing.T) {
	s := songs()
	s.silent = true
	with(t, s, func(r *rig) {
		r.Play([]media.Item{one}, 0)
		r.listen(mute + 5*time.Second)
		if len(r.failed) != 1 || !errors.Is(r.failed[0], media.Silent) {
			t.Errorf("%v", r.failed)
		}
	})
}

func TestSleepStopsOnceAndCanBeUndone(t *testing.T) {
	with(t, songs(), func(r *rig) {
		if r.Sleep(time.Minute) {
			t.Error("nothing plays")
		}
		r.Play([]media.Item{one}, 0)
		r.Sleep(10 * time.Second)
		if r.Now().Until.IsZero() {
			t.Error("nobody is told")
		}
		r.listen(11 * time.Second)
		r.quiet()
		r.Resume()
		r.listen(time.Second)
		r.Sleep(10 * time.Second)
		r.Sleep(0)
		r.listen(20 * time.Second)
		if now := r.Now(); now.State != media.Playing || !now.Until.IsZero() {
			t.Errorf("%+v", now)
		}
	})
}

func TestTitlesAreShownUntilTheNextItem(t *testing.T) {
	s := songs()
	s.title = "Song by Band"
	with(t, s, func(r *rig) {
		r.Play([]media.Item{one, two}, 0)
		r.listen(time.Second)
		if r.Now().Title != "Song by Band" || r.told[len(r.told)-1] != r.Now() {
			t.Errorf("%+v", r.Now())
		}
		s.title = ""
		r.Skip(1)
		if now := r.Now(); now.Title != "" || now.Item != two {
			t.Errorf("%+v", now)
		}
	})
}

// The promise: what a person has paused or stopped is not heard until a person says so, whatever else goes on.
func TestNothingButAPersonUndoesAPause(t *testing.T) {
	const sequences, steps = 1000, 12
	random := rand.New(rand.NewPCG(26, 1))
	loud := func(heard []int16) bool { return slices.ContainsFunc(heard, func(v int16) bool { return v != 0 }) }
	with(t, songs(), func(r *rig) {
		voice := r.mixer.Voice()
		var done []string
		plays, heardSome := false, 0
		acts := map[string]func(){
			"play":   func() { r.Play([]media.Item{one, a, b}, random.IntN(3)); plays = true },
			"resume": func() { plays = r.Resume() },
			"next":   func() { plays = r.Skip(1) || plays },
			"pause":  func() { r.Pause(); plays = false },
			"stop":   func() { r.Stop(); plays = false },
			"wake":   func() { r.track.Duck(true) },
			"idle":   func() { r.track.Duck(false) },
			"announce": func() {
				r.track.Duck(true)
				voice.Write(voice.Begin(), make([]int16, rate/10))
				r.listen(100 * time.Millisecond)
				r.track.Duck(false)
			},
			"ring":   func() { r.track.Duck(true); r.mixer.SetVolume(90); r.mixer.SetVolume(100); r.track.Duck(false) },
			"device": func() { r.mixer.SetRate(0); time.Sleep(device); r.mixer.SetRate(rate) },
			"volume": func() { r.SetVolume(50 + random.IntN(50)) },
			"later":  func() { time.Sleep(rest + time.Second) },
		}
		names := slices.Sorted(func(yield func(string) bool) {
			for name := range acts {
				if !yield(name) {
					return
				}
			}
		})
		for range sequences {
			done = done[:0]
			for range steps {
				name := names[random.IntN(len(names))]
				done = append(done, name)
				acts[name]()
				heard := r.listen(140 * time.Millisecond)[rate/20:] // after the fade
				if !plays && loud(heard) {
					r.t.Fatalf("it plays after %v", done)
				}
				if plays && loud(heard) {
					heardSome++
				}
			}
		}
		if heardSome < sequences {
			t.Errorf("what was to play was heard %d times only", heardSome)
		}
		r.track.Duck(false)
		r.SetVolume(100)
		r.Play([]media.Item{a}, 0)
		r.at(0)
	})
}

func TestWhatDoesNotGoOnAfterALongPauseIsKnown(t *testing.T) {
	s := &tape{errs: map[string][]error{"radio": {nil, media.Unreachable, media.Unreachable}}}
	with(t, s, func(r *rig) {
		r.Play([]media.Item{{Station: "Radio", URL: "radio"}}, 0)
		if err := r.Await(r.t.Context()); err != nil {
			r.t.Fatal(err)
		}
		r.Pause()
		time.Sleep(2 * rest)
		r.Resume()
		if err := r.Await(r.t.Context()); err != media.Unreachable || r.Now().State != media.Stopped {
			r.t.Errorf("%v, %s", err, r.Now().State)
		}
	})
}
