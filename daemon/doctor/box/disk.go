package box

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hearthd/daemon/doctor"
)

const (
	// The store needs room for its log and a checkpoint: with less than fullMB the next write may
	// fail. Below lowMB the box's own log files run out of room.
	fullMB = 4
	lowMB  = 100
)

// disk measures the free space where the state is kept.
func (b *Box) disk(context.Context) doctor.Finding {
	at := existing(b.opt.StateDir)
	var st unix.Statfs_t
	if err := unix.Statfs(at, &st); err != nil {
		return doctor.New(doctor.Disk, doctor.Fail, "%s cannot be looked at: %v", at, err).
			Mend("findmnt -T %s; journalctl -k -p warning", at)
	}
	size := float64(st.Bsize)
	free, all := float64(st.Bavail)*size/1e6, float64(st.Blocks)*size/1e6
	text := fmt.Sprintf("%s free of %s at %s", mb(free), mb(all), b.opt.StateDir)
	found := func(v doctor.Verdict, format string, args ...any) doctor.Finding {
		return doctor.New(doctor.Disk, v, format, args...).With("free_mb", round(free)).With("size_mb", round(all))
	}
	room := fmt.Sprintf("du -xh --max-depth=2 %s | sort -h | tail", mountOf(at))
	if mountOf(at) == mountOf("/var/log") { // else there is nothing to be had from what the system keeps
		room = "journalctl --vacuum-size=50M; apt-get clean; " + room
	}
	switch {
	case st.Flags&unix.ST_RDONLY != 0:
		return found(doctor.Fail, "read-only: nothing is kept at %s", b.opt.StateDir).
			Mend("mount -o remount,rw %s; if that fails: journalctl -k | grep -i ext4", mountOf(at))
	case free < fullMB:
		return found(doctor.Fail, "full: %s", text).Mend("%s", room)
	case st.Files > 0 && st.Ffree == 0:
		return found(doctor.Fail, "no file can be made any more, there are too many (%d)", st.Files).Mend("df -i %s",
			at)
	case free < lowMB:
		return found(doctor.Warn, "nearly full: %s", text).Mend("%s", room)
	}
	return found(doctor.OK, "%s", text)
}

// wear measures how much is written, and reads what the medium reports of its wear.
func (b *Box) wear(context.Context) doctor.Finding {
	dir, name := b.blockDevice()
	if dir == "" {
		return doctor.New(doctor.Wear, doctor.Skip,
			"the disk of %s is none of the kernel's own (a network, memory or a container)", b.opt.StateDir)
	}
	f := doctor.New(doctor.Wear, doctor.OK, "%s", name)
	var written float64 // MB, since the start
	up, _ := strconv.ParseFloat(first(b.text("proc/uptime")), 64)
	// Sectors of 512 bytes written (Documentation/block/stat.rst).
	if fields := strings.Fields(b.text(dir, "stat")); len(fields) > 6 {
		if sectors, err := strconv.ParseFloat(fields[6], 64); err == nil && up > 0 {
			written = sectors * 512 / 1e6
			f.Text += fmt.Sprintf(": %s written since the start of the box, %s an hour", mb(written),
				mb(written/up*3600))
			f = f.With("written_mb", round(written)).With("written_mb_per_hour", round(written/up*3600))
		}
	}
	if own, hours, ok := b.ownWriting(up); ok {
		f.Text += fmt.Sprintf("; hearthd %s an hour", mb(own/hours))
		f = f.With("hearthd_mb_per_hour", round(own/hours))
	}
	// That of the file system, which may be younger than the disk and a part of it only.
	if kb, ok := b.number("sys/fs/ext4", name, "lifetime_write_kbytes"); ok && kb/1000 >= written {
		f.Text += fmt.Sprintf("; %s in its life", mb(kb/1000))
		f = f.With("lifetime_mb", round(kb/1000))
	}
	if n, ok := b.number("sys/fs/ext4", name, "errors_count"); ok && n > 0 {
		f.Verdict = doctor.Warn
		f.Text += fmt.Sprintf("; the file system counts %g errors", n)
		f = f.With("errors", n).Mend("back up (hearthctl memory export), then: touch /forcefsck; reboot")
	}
	return b.life(f, dir)
}

// life adds what an eMMC, or an SD card that supports it, reports of its wear: tenths of its life,
// the worse of two kinds of cells (JESD84-B51, DEVICE_LIFE_TIME_EST).
func (b *Box) life(f doctor.Finding, dir string) doctor.Finding {
	var worst uint64
	for _, text := range strings.Fields(b.text(dir, "device/life_time")) {
		if n, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 8); err == nil {
			worst = max(worst, n)
		}
	}
	if worst == 0 {
		f.Text += "; it does not tell how worn it is"
		return f
	}
	f.Text += fmt.Sprintf("; %d to %d %% of its life is used", 10*(worst-1), 10*worst)
	f = f.With("life_used_percent", float64(10*worst))
	if worst >= 9 {
		f.Verdict = doctor.Warn
		f = f.Mend("replace the card soon; hearthctl memory export takes along what is remembered")
	}
	return f
}

// blockDevice is the folder below the root with the statistics of the disk that the
// state is on, and the name of the partition.
func (b *Box) blockDevice() (dir, name string) {
	var st unix.Stat_t
	if err := unix.Stat(existing(b.opt.StateDir), &st); err != nil {
		return "", ""
	}
	link, err := filepath.EvalSymlinks(b.path("sys/dev/block", fmt.Sprintf("%d:%d", unix.Major(st.Dev),
		unix.Minor(st.Dev))))
	if err != nil {
		return "", ""
	}
	name = filepath.Base(link)
	if _, err := os.Stat(filepath.Join(link, "partition")); err == nil {
		link = filepath.Dir(link)
	}
	rel, err := filepath.Rel(b.opt.Root, link)
	if err != nil {
		return "", ""
	}
	return rel, name
}

// ownWriting is what the daemon has written, in MB, in how many hours; not ok where
// nobody but root and the daemon's own account may know.
func (b *Box) ownWriting(up float64) (megabytes, hours float64, ok bool) {
	if b.opt.PID == 0 {
		return 0, 0, false
	}
	pid := strconv.Itoa(b.opt.PID)
	bytes, err := strconv.ParseFloat(value(b.text("proc", pid, "io"), "write_bytes"), 64)
	if err != nil {
		return 0, 0, false
	}
	// The name may hold spaces and parentheses; field 22 is the start in ticks, 100 a
	// second (proc_pid_stat(5)).
	_, rest, _ := strings.Cut(b.text("proc", pid, "stat"), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return 0, 0, false
	}
	ticks, err := strconv.ParseFloat(fields[19], 64)
	if hours = (up - ticks/100) / 3600; err != nil || hours < time.Minute.Hours() {
		return 0, 0, false
	}
	return bytes / 1e6, hours, true
}

// existing is path, or the nearest folder above it that is there.
func existing(path string) string {
	for path != "/" && path != "." {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		path = filepath.Dir(path)
	}
	return path
}

// mountOf is the folder above path at which its file system is mounted, or a part of one (mount --bind), which has an
// access of its own.
func mountOf(path string) string {
	at := func(path string) (m [3]uint64, err error) {
		var st unix.Statx_t
		err = unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_MNT_ID, &st)
		return [3]uint64{st.Mnt_id, uint64(st.Dev_major), uint64(st.Dev_minor)}, err
	}
	for path != "/" {
		above := filepath.Dir(path)
		here, err1 := at(path)
		up, err2 := at(above)
		if err1 != nil || err2 != nil || here != up {
			break
		}
		path = above
	}
	return path
}

// mb writes megabytes for a person.
func mb(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1f TB", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f GB", n/1e3)
	case n >= 10:
		return fmt.Sprintf("%.0f MB", n)
	}
	return fmt.Sprintf("%.1f MB", n)
}

// round rounds to a tenth.
func round(n float64) float64 { return float64(int64(n*10+0.5)) / 10 }

func first(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}
