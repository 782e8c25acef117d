package daemon

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// startTail is how long parts go on preparing after the start: names are learnt, the
// broker is joined, the detector settles.
const startTail = 10 * time.Second

// keepSmall gives back what the start needed, when it is over and once more when its
// tail is, and what a reload needed.
func (d *Daemon) keepSmall(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-d.listener.Hearing():
	case <-d.settled:
	}
	d.giveBack()
	for tail := time.After(startTail); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-tail:
			d.giveBack()
		case <-d.reloads.done:
			tail = time.After(startTail)
		}
	}
}

func (d *Daemon) giveBack() {
	if err := trim(); err != nil {
		d.log.Debug("give back memory", "component", "daemon", "error", err)
	}
}

// trim gives back what only the start needed, to a box that may have 512 MB: the
// heap that building the parts left behind, and the pages of the program, nearly
// all of which the start touches. What is needed again comes from the page cache
// by a minor fault; the rest is the first that the kernel reclaims.
func trim() error {
	debug.FreeOSMemory()
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("find program: %w", err)
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return fmt.Errorf("list mappings: %w", err)
	}
	defer f.Close()
	var start, end uintptr // of the mapping that the lines tell of; 0 when it is not to be given back
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, rest, _ := strings.Cut(lines.Text(), " ")
		switch {
		case !strings.HasSuffix(key, ":"): // the first line of a mapping
			start, end = 0, 0
			if !strings.HasSuffix(rest, " "+program) || strings.HasPrefix(rest, "rw") {
				break
			}
			if _, err := fmt.Sscanf(key, "%x-%x", &start, &end); err != nil {
				return fmt.Errorf("read mapping %q: %w", lines.Text(), err)
			}
		// Pages that were written, such as the dynamic linker's tables, would be lost.
		case key == "Anonymous:" && strings.TrimSpace(rest) == "0 kB" && start != 0:
			if _, _, errno := unix.Syscall(unix.SYS_MADVISE, start, end-start, unix.MADV_DONTNEED); errno != 0 {
				return fmt.Errorf("give back mapping %s: %w", lines.Text(), errno)
			}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("list mappings: %w", err)
	}
	return nil
}
