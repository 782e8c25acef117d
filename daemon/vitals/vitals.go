// Package vitals measures this process and its processor: memory, processor time and
// temperature. It runs no goroutine, owns no buffer and imports nothing of hearthd.
package vitals

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// zones is where Linux has its thermometers (Documentation/driver-api/thermal/
// sysfs-api.rst).
const zones = "/sys/class/thermal"

// Meter takes the measurements. It belongs to one goroutine.
type Meter struct {
	thermometer string
	at          time.Time
	used        time.Duration // processor time at that moment
}

// New makes a meter, which begins to count processor time.
func New() *Meter {
	return &Meter{thermometer: Thermometer(), at: time.Now(), used: processorTime()}
}

// Thermometer is the file with the temperature of the processor, or, if no zone is named so,
// of the first zone. Empty: none can be read.
func Thermometer() string { return thermometer(zones) }

func thermometer(dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, "thermal_zone*", "temp"))
	if err != nil {
		return "" // cannot happen: only a bad pattern is an error
	}
	slices.Sort(files)
	best := ""
	for _, f := range files {
		if _, err := celsius(f); err != nil {
			continue
		}
		kind, err := os.ReadFile(filepath.Join(filepath.Dir(f), "type"))
		name := strings.ToLower(string(kind))
		for _, processor := range []string{"cpu", "soc", "x86_pkg"} {
			if err == nil && strings.Contains(name, processor) {
				return f
			}
		}
		if best == "" {
			best = f
		}
	}
	return best
}

// Temperature is that of the processor in °C; not ok: there is no thermometer.
func (m *Meter) Temperature() (degrees float64, ok bool) {
	if m.thermometer == "" {
		return 0, false
	}
	degrees, err := celsius(m.thermometer)
	return degrees, err == nil
}

// celsius reads a file of thousandths of a degree.
func celsius(file string) (float64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, fmt.Errorf("read temperature: %w", err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("read temperature: %w", err)
	}
	return float64(n) / 1000, nil
}

// Memory is the resident memory of this process in bytes; 0: it cannot be read.
func (m *Meter) Memory() int64 {
	text, err := os.ReadFile("/proc/self/statm") // in pages: size resident …
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// Processor is the share of one core that the process has used since the last call, in
// percent.
func (m *Meter) Processor() float64 {
	now, used := time.Now(), processorTime()
	passed := now.Sub(m.at)
	share := 0.0
	if passed > 0 {
		share = 100 * (used - m.used).Seconds() / passed.Seconds()
	}
	m.at, m.used = now, used
	return share
}

// processorTime is the processor time of this process: all threads, user and system.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
