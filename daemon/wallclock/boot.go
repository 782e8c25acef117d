package wallclock

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// bootVariable holds the id of the boot, for a unit that cannot read the kernel's own file
// (ProcSubset=pid). systemd sets it, see systemd.unit(5), specifier %b.
const bootVariable = "BOOT_ID"

// Boot is a clock that nobody can set: the time since the box started.
type Boot struct{ id int64 }

// NewBoot finds out which boot this is. root is the root of the file system; empty: /.
func NewBoot(root string) Boot {
	name := os.Getenv(bootVariable)
	if name == "" {
		// If it cannot be read the boot is not known.
		data, _ := os.ReadFile(filepath.Join("/", root, "proc/sys/kernel/random/boot_id"))
		name = string(data)
	}
	name = strings.ReplaceAll(strings.TrimSpace(name), "-", "")
	if name == "" {
		return Boot{}
	}
	sum := fnv.New64a()
	fmt.Fprint(sum, name)
	return Boot{int64(sum.Sum64())}
}

// Since returns a number that differs for each boot, or 0 if the boot is not known, and the
// time since then.
func (b Boot) Since() (id int64, since time.Duration) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		return 0, 0
	}
	return b.id, time.Duration(t.Nano())
}
