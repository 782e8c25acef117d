package program

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/media"
)

const rate = 8000

// room has one source, whose pump runs, and hears what it asks for.
type room struct {
	*Programs
	t     *testing.T
	in    *io.PipeWriter
	asked int
	next  int16
}

func with(t *testing.T, s Source, test func(r *room)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &room{t: t, next: 1000}
		s.Name, s.Rate, s.Width, s.Channels = "Player", rate, 2, 1
		var err error
		r.Programs, err = New(Options{Sources: []Source{s}, Sounds: func(media.Item) { r.asked++ },
			Runs: func(string, error) {}, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		out, in := io.Pipe()
		r.in = in
		done := make(chan error, 1)
		go func() { done <- r.list[0].pump(t.Context(), out) }()
		test(r)
		if err := errors.Join(in.Close(), out.CloseWithError(io.ErrClosedPipe)); err != nil {
			t.Error(err)
		}
		if err := <-done; !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
		r.list[0].idle.Stop()
	})
}

// write writes so much of a sound, each sample one more than the last, or of silence. It returns when that was read.
func (r *room) write(d time.Duration, sound bool) {
	r.t.Helper()
	block := make([]byte, 2*rate/perSecond)
	for ; d > 0; d -= time.Second / perSecond {
		for i := 0; sound && i < len(block); i += 2 {
			binary.LittleEndian.PutUint16(block[i:], uint16(r.next))
		}
		r.next++
		if _, err := r.in.Write(block); err != nil {
			r.t.Error(err)
			return
		}
	}
}

// live writes as a program that keeps time.
func (r *room) live(d time.Duration, sound bool) {
	r.t.Helper()
	for ; d > 0; d -= time.Second / perSecond {
		r.write(time.Second/perSecond, sound)
		time.Sleep(time.Second / perSecond)
	}
}

func (r *room) play() io.ReadCloser {
	r.t.Helper()
	in, err := r.Open(r.t.Context(), r.Items()[0], rate)
	if err != nil {
		r.t.Fatal(err)
	}
	return in
}

// first is the first sample of the next block that is played.
func first(t *testing.T, in io.Reader) int16 {
	t.Helper()
	block := make([]byte, 2*rate/perSecond)
	if _, err := io.ReadFull(in, block); err != nil {
		t.Fatal(err)
	}
	return int16(binary.LittleEndian.Uint16(block))
}

func TestWhatBeginsToSoundAsksOnceAndIsHeardFromItsBeginning(t *testing.T) {
	with(t, Source{Always: true}, func(r *room) {
		r.write(3*time.Second, false)
		if r.asked != 0 {
			t.Error("silence asks to be played")
		}
		begin := r.next
		go r.write(time.Second/10, true)
		time.Sleep(time.Second)
		in := r.play()
		defer in.Close()
		if got := first(t, in); got != begin || r.asked != 1 {
			t.Errorf("begins with %d, want %d; asked %d times", got, begin, r.asked)
		}
		for range 4 {
			first(t, in)
		}
		synctest.Wait()
	})
}

func TestWhatWasStoppedStaysSoUntilItHasBeenSilent(t *testing.T) {
	for _, live := range []bool{true, false} {
		with(t, Source{Always: true, Live: live}, func(r *room) {
			go r.live(time.Second/5, true)
			time.Sleep(time.Second / 10)
			if err := r.play().Close(); err != nil { // a person says stop
				t.Error(err)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			r.live(time.Minute, true)
			r.live(gap/2, false) // between two songs
			r.live(time.Minute, true)
			synctest.Wait()
			if r.asked != 1 {
				t.Errorf("live %v: asked %d times", live, r.asked)
			}
			r.live(gap, false)
			go r.live(time.Second/5, true)
			time.Sleep(time.Second / 10)
			synctest.Wait()
			if r.asked != 2 {
				t.Errorf("live %v: after a silence it asked %d times", live, r.asked)
			}
			time.Sleep(5 * time.Second)
		})
	}
}

func TestWhatIsSilentForLongIsOver(t *testing.T) {
	for _, writes := range []bool{true, false} {
		with(t, Source{Always: true, Live: true}, func(r *room) {
			in := r.play()
			defer in.Close()
			r.live(time.Second/10, true)
			if writes {
				r.live(gap, false)
			} else {
				time.Sleep(gap + time.Second)
			}
			if _, err := io.Copy(io.Discard, in); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAPlayerWaitsWhilePausedUnlessItKeepsTime(t *testing.T) {
	with(t, Source{Always: true, Live: true}, func(r *room) {
		in := r.play()
		defer in.Close()
		r.live(time.Minute, true) // nobody reads
		if got := r.next - first(t, in); got > queued {
			t.Errorf("%d blocks were kept", got)
		}
	})
	with(t, Source{Always: true}, func(r *room) {
		in := r.play()
		defer in.Close()
		begin := r.next
		go r.write(time.Second, true)
		time.Sleep(time.Hour) // it is not taken for silent
		for i := range int16(50) {
			if got := first(t, in); got != begin+i {
				t.Fatalf("block %d is %d", i, got-begin)
			}
		}
	})
}

func TestWhatNobodyWantsIsReadAtThePaceOfItsSound(t *testing.T) {
	with(t, Source{Always: true}, func(r *room) {
		began := time.Now()
		r.write(time.Minute, false)
		if took := time.Since(began); took < 59*time.Second || took > 61*time.Second {
			t.Errorf("a minute was read in %v", took)
		}
	})
}

// sources are programs of the machine.
func sources(t *testing.T, list ...Source) *Programs {
	t.Helper()
	for i := range list {
		list[i].Name, list[i].Rate, list[i].Width, list[i].Channels = "Player", 2*rate, 4, 2
	}
	p, err := New(Options{Sources: list, Sounds: func(media.Item) {}, Runs: func(string, error) {},
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAProgramThatIsWantedRunsAsLongAsItPlays(t *testing.T) {
	// Two channels of 32 bits, of which the left one is silent.
	p := sources(t, Source{Command: []string{"sh", "-c", `while printf '\0\0\0\0\0\0\0\020'; do :; done`}})
	in, err := p.Open(t.Context(), p.Items()[0], rate)
	if err != nil {
		t.Fatal(err)
	}
	heard := make([]byte, 4000)
	if _, err := io.ReadFull(in, heard); err != nil {
		t.Fatal(err)
	}
	if v := int16(binary.LittleEndian.Uint16(heard[3000:])); v < 2040 || v > 2056 {
		t.Errorf("a channel of 4096 and a silent one make %d", v)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
}

func TestAProgramThatDoesNotRunSaysSoAtOnce(t *testing.T) {
	for _, argv := range [][]string{{"/nonexistent/player"}, {"sh", "-c", "exit 3"}} {
		p := sources(t, Source{Command: argv})
		if _, err := p.Open(t.Context(), p.Items()[0], rate); !errors.Is(err, media.Broken) {
			t.Errorf("%v: %v", argv, err)
		}
	}
}

func TestAFIFOIsReadAndAFileIsNot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	p := sources(t, Source{FIFO: path})
	in, err := p.Open(t.Context(), p.Items()[0], rate)
	if err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(make([]byte, 8000)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(in, make([]byte, 600)); err != nil {
		t.Error(err)
	}
	if err := errors.Join(w.Close(), in.Close()); err != nil {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p = sources(t, Source{FIFO: file})
	if _, err := p.Open(t.Context(), p.Items()[0], rate); !errors.Is(err, media.Broken) {
		t.Errorf("a file is read: %v", err)
	}
}

func TestAProgramThatRunsAlwaysIsStartedAgain(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	ctx, cancel := context.WithCancel(t.Context())
	var told []error
	p := sources(t, Source{Always: true, Command: []string{"sh", "-c", "echo >>" + count}})
	p.opt.Runs = func(_ string, err error) {
		if told = append(told, err); len(told) == 2 {
			cancel()
		}
	}
	if err := p.Run(ctx); err != nil {
		t.Error(err)
	}
	if lines, err := os.ReadFile(count); len(lines) != 2 || err != nil || told[0] == nil {
		t.Errorf("it ran %d times: %v, %v", len(lines), err, told)
	}
}

func TestWhatAPlayerWasGivenStaysAsItIs(t *testing.T) {
	with(t, Source{Always: true, Live: true}, func(r *room) {
		in := r.play()
		defer in.Close()
		r.live(time.Second/5, true)
		block := <-in.(*tap).blocks // the player is slow with it
		was := slices.Clone(block)
		r.live(time.Second, true)
		if !slices.Equal(block, was) {
			t.Error("a block was written over while it was played")
		}
	})
}

func TestWhyAProgramEndedIsItsOwnWord(t *testing.T) {
	for script, want := range map[string]string{
		"echo no such device >&2; exit 3": "run sh: exit status 3: no such device",
		"exit 0":                          "it has ended",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		p := sources(t, Source{Always: true, Command: []string{"sh", "-c", script}})
		p.opt.Runs = func(_ string, err error) {
			if cancel(); err == nil || err.Error() != want {
				t.Errorf("%q: %v", script, err)
			}
		}
		if err := p.Run(ctx); err != nil {
			t.Error(err)
		}
	}
}
