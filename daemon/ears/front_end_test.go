package ears

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"hearthd/audio"
	"hearthd/rigs/tflitetest"
	"hearthd/vad"
	"hearthd/vad/wake"
)

// usual is the setup of the default configuration.
func usual(t testing.TB) Setup {
	t.Helper()
	return Setup{State: t.TempDir(), AEC: "auto", AutoGain: true, Segment: vad.DefaultOptions()}
}

// quietEars are the front end of the default configuration with two wake words, in
// a quiet room with a card of 48 kHz.
type quietEars struct {
	*FrontEnd
	down  *audio.Resampler
	room  []int16 // a second at the card's rate
	at    audio.Position
	heard []int16
	frame audio.Frame
}

func newQuietEars(t testing.TB) *quietEars {
	t.Helper()
	s := usual(t)
	for _, model := range wakeModels(t) {
		s.Words = append(s.Words, Word{Model: model, Name: filepath.Base(model)})
	}
	e, err := NewFrontEnd(FrontEndOptions{Setup: s, Emit: func(*vad.Signal) {},
		Detected: func(wake.Detection) bool { return false }})
	if err != nil || len(e.unheard) > 0 || len(e.spotters) != 1 || e.canceller == nil || e.leveller == nil {
		t.Fatalf("%+v, %v", e, err)
	}
	down, err := audio.NewResampler(48000, audio.Rate)
	if err != nil {
		t.Fatal(err)
	}
	q := &quietEars{FrontEnd: e, down: down, room: make([]int16, 48000), heard: make([]int16, 0, 2*audio.FrameSamples)}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range q.room {
		q.room[i] = int16(rng.IntN(91) - 45)
	}
	for range 250 { // until nothing is learnt any more
		q.push()
	}
	return q
}

// wakeModels names two: those of people where HEARTHD_TEST_MODELS names a folder
// that has them, else one that the test writes.
func wakeModels(t testing.TB) []string {
	t.Helper()
	if dir := os.Getenv("HEARTHD_TEST_MODELS"); dir != "" {
		return []string{filepath.Join(dir, "wake", "hey_jarvis.json"), filepath.Join(dir, "wake", "okay_nabu.json")}
	}
	t.Log("HEARTHD_TEST_MODELS names no folder with wake/hey_jarvis.json and wake/okay_nabu.json: two tiny networks stand in")
	dir := t.TempDir()
	var list []string
	for _, name := range []string{"one", "two"} {
		manifest, err := tflitetest.WriteLoud(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, manifest)
	}
	return list
}

// push is one frame from the card to the end of the front end.
func (q *quietEars) push() {
	n := int(q.at) / audio.FrameSamples % 50 * 960
	q.heard = q.down.Process(q.heard[:0], q.room[n:n+960])
	copy(q.frame[:], q.heard)
	q.Front.Push(&q.frame, nil, q.at)
	q.at += audio.FrameSamples
}

func TestFrontEndAllocatesNothingPerFrame(t *testing.T) {
	q := newQuietEars(t)
	if n := testing.AllocsPerRun(200, q.push); n != 0 {
		t.Errorf("%v allocations per frame, want 0: this is on the sample path", n)
	}
}

// BenchmarkFrontEndIdle says what listening to a quiet room costs without the card:
// resampler, level, two wake words, detector and gate. With the card the goal is 0.8
// CPU seconds per minute (rigs/e2e: BenchmarkIdleListening).
func BenchmarkFrontEndIdle(b *testing.B) {
	q := newQuietEars(b)
	cpu := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	b.ReportAllocs()
	from := cpu()
	for b.Loop() {
		q.push()
	}
	frames := time.Minute / audio.FrameDuration
	b.ReportMetric((cpu()-from).Seconds()/float64(b.N)*float64(frames), "cpu-s/min")
}

// TestAECModesTellWhenSpeechIsHeardOverTheSpeaker plays noise and hears it, 12 dB
// lower and 40 ms later.
func TestAECModesTellWhenSpeechIsHeardOverTheSpeaker(t *testing.T) {
	for _, mode := range []struct {
		name                   string
		cancels, before, after bool
	}{
		{name: "auto", cancels: true, after: true}, // once the canceller was seen to work
		{name: "on", cancels: true, before: true, after: true},
		{name: "off"},
		{name: "device", before: true, after: true}, // the microphone cancels itself
	} {
		s := usual(t)
		s.AEC = mode.name
		e, err := NewFrontEnd(FrontEndOptions{Setup: s, Emit: func(*vad.Signal) {},
			Detected: func(wake.Detection) bool { return false }})
		if err != nil {
			t.Fatal(err)
		}
		before := e.FullDuplex()
		rng := rand.New(rand.NewPCG(1, 2))
		var played [3]audio.Frame
		for i := range 500 {
			for j := range played[i%3] {
				played[i%3][j] = int16(rng.IntN(8001) - 4000)
			}
			heard := played[(i+1)%3]
			for j := range heard {
				heard[j] /= 4
			}
			e.Front.Push(&heard, &played[i%3], audio.Position(i*audio.FrameSamples))
		}
		if after := e.FullDuplex(); (e.canceller != nil) != mode.cancels || before != mode.before ||
			after != mode.after {
			t.Errorf("%s: canceller %t, heard over the speaker %t at first and %t after 10 s; want %+v",
				mode.name, e.canceller != nil, before, after, mode)
		}
	}
}
