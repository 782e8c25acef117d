package remote

import (
	"context"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/llm/wyoming"
	"hearthd/rigs/llmtest"
	"hearthd/vad/wake"
)

var _ wake.Spotter = (*Spotter)(nil)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// rig is a Spotter whose Run has begun, in front of a server.
type rig struct {
	*Spotter
	server *llmtest.Wyoming
	told   chan error // by Reachable
	end    func()
}

// start runs a Spotter inside of a synctest bubble.
func start(t *testing.T, script llmtest.WyomingScript, names ...string) *rig {
	t.Helper()
	server := llmtest.NewWyomingPipe(t, script)
	r := startOn(t, func(context.Context) (net.Conn, error) { return server.Pipe() }, "unix:/not/dialled", names...)
	r.server = server
	return r
}

// startOn runs a Spotter that connects with connect, or else dials address.
func startOn(t *testing.T, connect func(context.Context) (net.Conn, error), address string, names ...string) *rig {
	t.Helper()
	r := &rig{told: make(chan error, 100)}
	s, err := New(Options{Address: address, Names: names, Cutoffs: map[string]float64{"hey kitchen": 0.4},
		Log: quiet(), Reachable: func(err error) { r.told <- err }})
	if err != nil {
		t.Fatal(err)
	}
	s.connect = connect
	r.Spotter = s
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	r.end = func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run returned %v", err)
		}
	}
	return r
}

// play pushes n frames from position at on, in real time of the bubble.
func (r *rig) play(at audio.Position, n int) (found []wake.Detection) {
	var f audio.Frame
	for i := range n {
		found = append(found, r.Push(&f, at+audio.Position(i*audio.FrameSamples))...)
		time.Sleep(20 * time.Millisecond) // the bubble's clock
	}
	return found
}

// script is a server that knows okay_nabu and says that it hears it after 1.5 s.
func script() llmtest.WyomingScript {
	return llmtest.WyomingScript{Wake: []llmtest.WyomingWake{{Name: "okay_nabu", At: []int{24000}},
		{Name: "other", At: []int{100}}}}
}

func TestDetectionComesBackWithItsPosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, script(), "okay_nabu")
		defer r.end()
		if err := <-r.told; err != nil {
			t.Fatal(err)
		}
		const base = 1<<40 + 7
		found := r.play(base, 200)
		if len(found) != 1 || found[0].Name != "okay_nabu" || found[0].Score != 1 {
			t.Fatalf("found %v", found)
		}
		// To the end of its chunk of 80 ms, and a millisecond.
		if d := found[0].Position - base - 24000; d < -16 || d > 1280 {
			t.Errorf("its end is off by %d samples", d)
		}
		requests := r.server.Requests()
		if got := requests[0].Data["names"]; requests[0].Type != "detect" ||
			!slices.Equal(got.([]any), []any{"okay_nabu"}) {
			t.Errorf("asked %v", requests[0])
		}
		if n := r.dropped.Load(); n != 0 {
			t.Errorf("%d frames dropped", n)
		}
	})
}

func TestServersWithoutTimestampsAreTakenAtTheirWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script()
		s.Wake[0].Untimed = true
		r := start(t, s, "okay_nabu")
		defer r.end()
		<-r.told
		found := r.play(0, 200)
		if len(found) != 1 || found[0].Position < 24000 || found[0].Position > 24000+2*1280 {
			t.Errorf("found %v", found)
		}
	})
}

func TestRealSocketsCarryTheStream(t *testing.T) {
	for _, server := range []*llmtest.Wyoming{llmtest.NewWyoming(t, script()), llmtest.NewWyomingUnix(t, script())} {
		r := startOn(t, nil, server.Address, "okay_nabu")
		if err := <-r.told; err != nil {
			t.Fatal(err)
		}
		var f audio.Frame
		for i := range 80 {
			r.Push(&f, audio.Position(i*audio.FrameSamples))
		}
		if d := <-r.found; d.Name != "okay_nabu" {
			t.Errorf("found %v", d)
		}
		r.end()
	}
}

func TestServerIsToldThatTheStreamBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, script(), "okay_nabu")
		defer r.end()
		<-r.told
		r.play(0, 50)
		r.play(audio.Rate+200*audio.FrameSamples, 50) // 4 s are missing
		r.Reset()
		found := r.play(160, 200)
		var stamps []any
		for _, q := range r.server.Requests()[1:] {
			stamps = append(stamps, q.Data["timestamp"])
		}
		if want := []any{0.0, 5000.0, 10.0}; !slices.Equal(stamps, want) {
			t.Errorf("audio starts at %v ms, want %v", stamps, want)
		}
		if len(found) != 1 || found[0].Position < 24000 || found[0].Position > 24160+1280 {
			t.Errorf("found %v", found)
		}
	})
}

func TestOldAndForeignDetectionsAreDropped(t *testing.T) {
	s, err := New(Options{Address: "localhost:10400", Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	var f audio.Frame
	const base = 1000 * audio.Rate
	s.Push(&f, base)
	for i := range audio.Position(400) {
		s.Push(&f, base+(i+1)*audio.FrameSamples)
	}
	for _, p := range []audio.Position{0, base - 1, s.next + 2*audio.FrameSamples, s.next - audio.Samples(stale) - 1,
		s.next} {
		s.found <- wake.Detection{Name: "a", Position: p}
	}
	if got := s.Push(&f, s.next); len(got) != 1 {
		t.Errorf("found %v, want the last one alone", got)
	}
}

// The microphone's clock stands still while it is closed, so what begins then begins
// where the word ended: who muted the box after the word has not called it.
func TestWordFromBeforeAResetIsNotHeardAfterIt(t *testing.T) {
	s, err := New(Options{Address: "localhost:10400", Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	var f audio.Frame
	for i := range audio.Position(chunkFrames) {
		s.Push(&f, i*audio.FrameSamples)
	}
	s.Reset()
	s.found <- wake.Detection{Name: "a", Position: s.next} // a server without timestamps
	if got := s.Push(&f, s.next); len(got) != 0 {
		t.Errorf("found %v in a stream that had just begun", got)
	}
}

func TestNamesOfServersAreRecognised(t *testing.T) {
	for _, tc := range []struct {
		asked, found string
		same         bool
	}{
		{"okay_nabu", "okay_nabu", true}, {"ok_nabu", "ok_nabu_v0.1", true}, {"Okay Nabu", "okay_nabu", true},
		{"hey-jarvis", "hey_jarvis_v2", true}, {"okay_nabu", "alexa", false}, {"hey_v", "hey", true},
		{"v2", "v3", false}, {"_v1", "_v2", false},
		{"alexa", "", true}, // the only word that was asked for
	} {
		s := &Spotter{options: Options{Names: []string{tc.asked}}}
		if name, ok := s.name(tc.found); ok != tc.same || ok && name != tc.asked {
			t.Errorf("%q for %q: %q, %v", tc.found, tc.asked, name, ok)
		}
	}
	all := &Spotter{}
	for name, want := range map[string]bool{"alexa": true, "": false, "a\x1b[2J": false,
		strings.Repeat("a", maxName+1): false} {
		if _, ok := all.name(name); ok != want {
			t.Errorf("%.70q: %v", name, ok)
		}
	}
}

func TestBadOptionsAreRefused(t *testing.T) {
	for _, o := range []Options{
		{},
		{Address: "localhost", Log: quiet()},
		{Address: "localhost:10400"},
		{Address: "localhost:10400", Log: quiet(), Names: []string{""}},
		{Address: "localhost:10400", Log: quiet(), Names: []string{"a\nb"}},
		{Address: "localhost:10400", Log: quiet(), Names: make([]string, maxNames+1)},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}

func TestPushAllocatesNothing(t *testing.T) {
	s, err := New(Options{Address: "localhost:10400", Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	s.taking.Store(true)
	var f audio.Frame
	at := audio.Position(0)
	if n := testing.AllocsPerRun(500, func() {
		s.found <- wake.Detection{Name: "a", Position: at}
		s.Push(&f, at)
		at += audio.FrameSamples
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzDetected(f *testing.F) {
	for _, data := range []string{`{"name":"a","timestamp":1200}`, `{"timestamp":null}`,
		`{"name":"a","timestamp":-1e300}`, `{"name":5}`, `[]`} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := New(Options{Address: "localhost:10400", Log: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		l := &link{spotter: s}
		l.sent.Store(60 * audio.Rate)
		_ = l.detected(wyoming.Event{Type: "detection", Data: data})
		select {
		case d := <-s.found:
			if !plain(d.Name) || d.Position > 60*audio.Rate || d.Position < 30*audio.Rate {
				t.Errorf("found %v", d)
			}
		default:
		}
	})
}
