// Package footprint keeps the resident memory of the process small: it gives the heap
// that was left behind, and the pages of the program that a quiet kitchen does not need,
// back to the system. Run does so on its caller's goroutine.
package footprint

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// startTail is how long parts go on preparing after the start: names are learnt, the broker is
	// joined, the detector settles.
	startTail = 10 * time.Second
	// restEvery is how often a quiet box gives back memory that was used since the last time: the
	// broker makes a megabyte of garbage in it, because it copies all retained messages each second
	// to see which have expired.
	restEvery = 30 * time.Second
)

// Options say when memory may be given back.
type Options struct {
	Up    <-chan struct{} // closed when the start is over
	Quiet func() bool     // nobody is talking with the box
	Log   *slog.Logger
}

// Run gives memory back: what the start needed, once when it is over and once startTail later, and
// from then on, while nobody talks, what conversations, reloads and the work of a quiet kitchen
// needed. It ends with ctx.
func Run(ctx context.Context, opt Options) error {
	select {
	case <-ctx.Done():
		return nil
	case <-opt.Up:
	}
	program, err := mappings()
	if err != nil {
		opt.Log.Warn("give back memory", "component", "daemon", "error", err)
	}
	for pause := startTail; ; pause = restEvery {
		if opt.Quiet() {
			if err := program.giveBack(); err != nil {
				opt.Log.Warn("give back memory", "component", "daemon", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}

// program is where this program is mapped, without pages that were written to: their contents would
// be lost.
type program []struct{ start, end uintptr }

// giveBack returns the unused heap to the system, on a box that may have 512 MB, and the pages of
// the program. Pages that are needed again come from the page cache, by a minor fault for each 64
// kB; the others are the first that the kernel reclaims. A minute of a quiet kitchen needs a third
// of the pages that the start touched.
func (p program) giveBack() error {
	debug.FreeOSMemory()
	for _, m := range p {
		if _, _, errno := unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, unix.MADV_DONTNEED); errno != 0 {
			return fmt.Errorf("give back mapping %x: %w", m.start, errno)
		}
	}
	return nil
}

// mappings lists those of the program.
func mappings() (program, error) {
	name, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return nil, fmt.Errorf("find program: %w", err)
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return nil, fmt.Errorf("list mappings: %w", err)
	}
	defer f.Close()
	var p program
	var start, end uintptr // of the mapping that the lines describe; 0 when it is not to be given back
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, rest, _ := strings.Cut(lines.Text(), " ")
		switch {
		case !strings.HasSuffix(key, ":"): // the first line of a mapping
			start, end = 0, 0
			if !strings.HasSuffix(rest, " "+name) || strings.HasPrefix(rest, "rw") {
				break
			}
			if _, err := fmt.Sscanf(key, "%x-%x", &start, &end); err != nil {
				return nil, fmt.Errorf("read mapping %q: %w", lines.Text(), err)
			}
		case key == "Anonymous:" && strings.TrimSpace(rest) == "0 kB" && start != 0:
			p = append(p, struct{ start, end uintptr }{start, end})
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("list mappings: %w", err)
	}
	return p, nil
}
