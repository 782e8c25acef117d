package box

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"hearthd/daemon/doctor"
	"hearthd/daemon/vitals"
)

// hot is where a Raspberry Pi slows down, in °C.
const hot = 80

// throttled are the bits of the firmware of a Raspberry Pi that hold now and did since
// the start (https://www.raspberrypi.com/documentation/computers/os.html#get_throttled).
var throttled = [...]struct {
	now  uint
	text string
}{{0, "the voltage is too low"}, {1, "the frequency is limited"}, {2, "the processor is slowed down"}, {3, "it is near its limit of temperature"}}

// temperature looks at heat and at what it, or a weak power supply, has led to.
func (b *Box) temperature(context.Context) []doctor.Finding {
	f := doctor.New(doctor.Temperature, doctor.OK, "")
	if c, ok := vitals.New().Temperature(); ok {
		f.Text = fmt.Sprintf("%.0f °C", c)
		f = f.With("temperature_c", round(c))
		if c >= hot {
			f.Verdict = doctor.Warn
			f = f.Mend("a heat sink, a fan, or more air; a smaller thinker.model")
		}
	}
	bits, err := strconv.ParseUint(strings.TrimPrefix(b.text("sys/devices/platform/soc/soc:firmware/get_throttled"), "0x"), 16, 32)
	if err == nil {
		for _, t := range throttled {
			switch {
			case bits&(1<<t.now) != 0:
				f.Verdict = doctor.Warn
				f.Text += ", " + t.text + " now"
			case bits&(1<<(t.now+16)) != 0:
				f.Text += ", " + t.text[:strings.Index(t.text, " is ")] + " was, since the start"
			}
		}
		if bits&0xf == 0 && bits>>16 == 0 {
			f.Text += ", never slowed down"
		}
		f = f.With("throttled_bits", float64(bits))
		if bits&1 != 0 {
			f = f.Mend("a power supply of 5.1 V and 3 A, and a short, thick cable")
		}
	}
	slowed := 0.0
	for _, file := range b.glob("sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count") {
		if n, ok := b.number(strings.TrimPrefix(file, b.opt.Root)); ok {
			slowed += n
		}
	}
	if slowed > 0 {
		f.Text += fmt.Sprintf(", slowed down %.0f times since the start", slowed)
		f = f.With("throttle_count", slowed)
	}
	if f.Text == "" {
		return []doctor.Finding{doctor.New(doctor.Temperature, doctor.Skip, "there is no thermometer that can be read")}
	}
	f.Text = strings.TrimPrefix(f.Text, ", ")
	return []doctor.Finding{f}
}

// lowMemoryMB is what must be left, or the next model or search may be killed.
const lowMemoryMB = 80

// memory looks at what is free, what hearthd has, and whether anything was killed.
func (b *Box) memory(context.Context) []doctor.Finding {
	free, ok := b.kB("MemAvailable", "proc/meminfo")
	all, _ := b.kB("MemTotal", "proc/meminfo")
	if !ok {
		return []doctor.Finding{doctor.New(doctor.Memory, doctor.Skip, "the kernel does not tell")}
	}
	f := doctor.New(doctor.Memory, doctor.OK, "%s free of %s", mb(free), mb(all)).With("free_mb", round(free)).With("size_mb", round(all))
	if b.opt.PID != 0 {
		if own, ok := b.kB("VmRSS", "proc", strconv.Itoa(b.opt.PID), "status"); ok {
			f.Text += fmt.Sprintf(", hearthd has %s", mb(own))
			f = f.With("hearthd_mb", round(own))
		}
	}
	if free < lowMemoryMB {
		f.Verdict = doctor.Warn
		f = f.Mend("a smaller thinker.model, or thinker.url of another machine; ps axo rss,comm --sort -rss | head")
	}
	for line := range strings.Lines(b.text("proc/vmstat")) {
		if n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimPrefix(line, "oom_kill ")), 64); strings.HasPrefix(line, "oom_kill ") && err == nil && n > 0 {
			f.Text += fmt.Sprintf("; the kernel has ended %.0f processes for want of memory", n)
			f = f.With("oom_kills", n)
			if f.Fix == "" {
				f = f.Mend("journalctl -k | grep -i 'out of memory' names them")
			}
		}
	}
	return []doctor.Finding{f}
}

// MemoryMB is what this machine has, or 0.
func (b *Box) MemoryMB() int {
	all, _ := b.kB("MemTotal", "proc/meminfo")
	return int(all * 1.024)
}

// kB is what a file of the kernel says of a size in its kB, which are KiB, in thousands.
func (b *Box) kB(key string, elem ...string) (float64, bool) {
	n, err := strconv.ParseFloat(first(value(b.text(elem...), key)), 64)
	return n / 1000, err == nil
}
