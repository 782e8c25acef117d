package player_test

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hearthd/audio"
	"hearthd/media"
	"hearthd/media/player"
	"hearthd/media/source"
	"hearthd/tools/fetch"
)

const (
	cuts = 200
	rate = 48000
)

var stretch = flag.Int("stretch", 25,
	"seconds of music between two cuts: more than what makes good for the attempts before; 480 make a day")

// station sends some seconds of music to each listener, and then breaks off in one of the ways in which networks do.
func station(b *testing.B) (url string, opened *atomic.Int32) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "music.mp3")
	tone := fmt.Sprintf("sine=frequency=440:duration=%d", *stretch)
	if out, err := exec.Command("ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", tone, "-b:a", "128k",
		path).CombinedOutput(); err != nil {
		b.Fatalf("ffmpeg: %v: %s", err, out)
	}
	music, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	opened = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := opened.Add(1)
		if n%10 == 0 {
			http.Error(w, "too many listeners", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "audio/mpeg")
		w.Write(music)
		switch n % 3 {
		case 0: // the server ends it
		case 1: // it breaks off in a chunk
			panic(http.ErrAbortHandler)
		case 2: // the network resets it
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			if err := errors.Join(c.(*net.TCPConn).SetLinger(0), c.Close()); err != nil {
				panic(err)
			}
		}
	}))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	b.Cleanup(s.Close)
	return s.URL, opened
}

// cost is what a process has taken.
type cost struct {
	heap, files, goroutines int
	resident                int // KiB
	own, ffmpeg             time.Duration
}

func measure(b *testing.B) (c cost) {
	b.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		b.Fatal(err)
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Fatal(err)
	}
	var size, pages int
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		b.Fatal(err)
	}
	c = cost{heap: int(m.HeapAlloc), files: len(files), goroutines: runtime.NumGoroutine(),
		resident: pages * os.Getpagesize() >> 10}
	for who, to := range map[int]*time.Duration{unix.RUSAGE_SELF: &c.own, unix.RUSAGE_CHILDREN: &c.ffmpeg} {
		var u unix.Rusage
		if err := unix.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		*to = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return c
}

// BenchmarkCuts plays a station of the local network, which is cut 200 times, with a real ffmpeg, as fast as it is
// decoded. Nothing of a cut may stay: no memory, no file, no goroutine.
func BenchmarkCuts(b *testing.B) {
	url, opened := station(b)
	s, err := source.New(source.Options{Client: fetch.New(fetch.Options{UserAgent: "hearthd/bench"}), FFmpeg: "ffmpeg",
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	mixer, failed := audio.NewMixer(100), make(chan error, 1)
	mixer.SetRate(rate)
	p, err := player.New(player.Options{
		Mixer: mixer, Wake: func() {}, Source: s, Volume: 100, Log: slog.New(slog.DiscardHandler),
		Changed: func(media.Now) {}, Failed: func(_ media.Item, err error) { failed <- err },
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		play(b, p, mixer, url, opened, failed)
	}
}

func play(b *testing.B, p *player.Player, mixer *audio.Mixer, url string, opened *atomic.Int32, failed <-chan error) {
	b.Helper()
	done := make(chan error)
	go func() { done <- p.Run(b.Context()) }()
	p.Play([]media.Item{{Station: "One", URL: url}}, 0)
	tick, block, heard := time.NewTicker(time.Millisecond), make([]int16, rate/50), 0
	defer tick.Stop()
	var early cost
	for early == (cost{}) || opened.Load() <= cuts {
		select {
		case err := <-failed:
			b.Fatalf("after %d cuts: %v", opened.Load(), err)
		case <-tick.C:
		}
		for mixer.Media().Left() > 0 {
			mixer.Mix(block)
			heard += len(block)
		}
		if early == (cost{}) && opened.Load() > cuts/10 {
			early = measure(b)
			heard = 0
		}
	}
	late, seconds := measure(b), float64(heard)/rate
	p.Stop()
	if late.goroutines > early.goroutines+2 || late.files > early.files+2 || late.heap > early.heap+1<<20 {
		b.Errorf("something stays: after %d cuts %+v, after %d %+v", cuts/10, early, cuts, late)
	}
	for name, v := range map[string]int{"heap-KiB": late.heap >> 10, "heap-KiB-grown": (late.heap - early.heap) >> 10,
		"resident-KiB-grown": late.resident - early.resident, "files-grown": late.files - early.files,
		"goroutines-grown": late.goroutines - early.goroutines} {
		b.ReportMetric(float64(v), name)
	}
	b.ReportMetric(seconds, "s-of-music")
	b.ReportMetric(100*(late.own-early.own).Seconds()/seconds, "%-of-a-core")
	b.ReportMetric(100*(late.ffmpeg-early.ffmpeg).Seconds()/seconds, "%-of-a-core-ffmpeg")
}
