package box

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

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
}{
	{0, "the voltage is too low"}, {1, "the frequency is limited"}, {2, "the processor is slowed down"},
	{3, "it is near its limit of temperature"},
}

// temperature measures heat, and reads whether heat or a weak power supply has slowed the processor down.
func (b *Box) temperature(context.Context) doctor.Finding {
	f := doctor.New(doctor.Temperature, doctor.OK, "")
	if c, ok := vitals.New().Temperature(); ok {
		f.Text = fmt.Sprintf("%.0f °C", c)
		f = f.With("temperature_c", round(c))
		if c >= hot {
			f.Verdict = doctor.Warn
			f = f.Mend("a heat sink, a fan, or more air; a smaller thinker.model")
		}
	}
	throttling := b.text("sys/devices/platform/soc/soc:firmware/get_throttled")
	bits, err := strconv.ParseUint(strings.TrimPrefix(throttling, "0x"), 16, 32)
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
		if n, ok := b.number(file); ok {
			slowed += n
		}
	}
	if slowed > 0 {
		f.Text += fmt.Sprintf(", slowed down %.0f times since the start", slowed)
		f = f.With("throttle_count", slowed)
	}
	if f.Text == "" {
		return doctor.New(doctor.Temperature, doctor.Skip, "there is no thermometer that can be read")
	}
	f.Text = strings.TrimPrefix(f.Text, ", ")
	return f
}

// lowMemoryMB is how much must be free, or the next model or search may be killed.
const lowMemoryMB = 80

// memory looks at what is free, what hearthd has, and whether anything was killed.
func (b *Box) memory(context.Context) doctor.Finding {
	free, ok := b.kB("MemAvailable", "proc/meminfo")
	all, _ := b.kB("MemTotal", "proc/meminfo")
	if !ok {
		return doctor.New(doctor.Memory, doctor.Skip, "the kernel does not tell")
	}
	f := doctor.New(doctor.Memory, doctor.OK, "%s free of %s", mb(free), mb(all)).With("free_mb", round(free)).
		With("size_mb", round(all))
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
		count, ok := strings.CutPrefix(strings.TrimSpace(line), "oom_kill ")
		if n, err := strconv.ParseFloat(count, 64); ok && err == nil && n > 0 {
			f.Text += fmt.Sprintf("; since its start the kernel has ended %.0f processes for want of memory "+
				"(journalctl -k -g 'out of memory')", n)
			f = f.With("oom_kills", n)
		}
	}
	return f
}

// MemoryMB is the size of this machine's memory, or 0.
func (b *Box) MemoryMB() int {
	all, _ := b.kB("MemTotal", "proc/meminfo")
	return int(all * 1.024)
}

// kB reads a size that a file of the kernel gives in kB, as MB.
func (b *Box) kB(key string, elem ...string) (float64, bool) {
	n, err := strconv.ParseFloat(first(value(b.text(elem...), key)), 64)
	return n / 1000, err == nil
}

// Zone is the name of this machine's time zone. Without a link it is not known, and without a file it is UTC.
func (b *Box) Zone() string {
	file := b.path("etc/localtime")
	target, err := os.Readlink(file)
	if errors.Is(err, os.ErrNotExist) {
		return "UTC"
	}
	_, name, _ := strings.Cut(target, "zoneinfo/")
	return name
}

// clocks checks the time, and whether anybody has said where on Earth it is to be shown.
func (b *Box) clocks(ctx context.Context) []doctor.Finding {
	found := []doctor.Finding{b.clock(ctx)}
	if zone := b.Zone(); b.opt.Timezone == "" && (zone == "UTC" || zone == "Etc/UTC") {
		found = append(found, doctor.New(doctor.Clock, doctor.Warn, "the time zone is UTC, and alarms ring by it").
			Mend("timedatectl set-timezone Europe/Vienna, or another of timedatectl list-timezones; who wants UTC: "+
				"hearthctl config set tools.timezone UTC"))
	}
	return found
}

// clock checks whether the time is right, and whether something keeps it right. timedatectl knows
// what does; without it the kernel is asked.
func (b *Box) clock(ctx context.Context) doctor.Finding {
	now := time.Now()
	text, err := ask(ctx, "timedatectl", "show")
	p := properties(text)
	synced, service := p["NTPSynchronized"] == "yes", p["NTP"]
	if p["CanNTP"] == "no" { // none is installed
		service = ""
	}
	var tx unix.Timex
	state, kernelErr := unix.Adjtimex(&tx)
	if err != nil || p["NTPSynchronized"] == "" {
		if kernelErr != nil {
			return doctor.New(doctor.Clock, doctor.Skip, "neither timedatectl nor the kernel tells of the clock")
		}
		synced = state != unix.TIME_ERROR && tx.Status&unix.STA_UNSYNC == 0
		service = ""
	}
	shown := now.Format("2 January 2006, 15:04:05 MST")
	f := doctor.New(doctor.Clock, doctor.Warn, "not synchronised: nothing keeps the time right (%s)", shown)
	switch {
	case now.Before(b.opt.Floor):
		f = doctor.New(doctor.Clock, doctor.Fail,
			"wrong: it shows %s, and hearthd was built on %s; certificates look invalid, and alarms wait", shown,
			b.opt.Floor.Format("2 January 2006"))
		f.Root = true
	case synced:
		f = doctor.New(doctor.Clock, doctor.OK, "%s, kept by a time service", shown)
		if kernelErr == nil && tx.Maxerror > 0 && tx.Maxerror < 16e6 { // 16 s stands for unknown
			f.Text += fmt.Sprintf(", at most %.0f ms wrong", float64(tx.Maxerror)/1e3)
			f = f.With("max_error_ms", round(float64(tx.Maxerror)/1e3))
		}
		return f
	case b.exists("sys/class/rtc/rtc0"):
		f.Text = fmt.Sprintf("not synchronised: %s comes from the clock of the board, which drifts", shown)
	case b.exists("run/systemd/timesync") || b.exists("run/chrony"):
		f.Verdict = doctor.Fail
		f.Text = "not synchronised: the box has no clock of its own, and the time service has not told it the " +
			"time, so " +
			"alarms wait"
	}
	return b.mendClock(f, service)
}

// mendClock says how the clock is set; service is whether a time service is switched
// on, "yes", "no", or empty where that is not known.
func (b *Box) mendClock(f doctor.Finding, service string) doctor.Finding {
	switch service {
	case "yes":
		return f.Mend("the time service runs and reaches no server: timedatectl timesync-status; ping -c 3 " +
			"deb.debian.org")
	case "no":
		f.Repair = repair("timedatectl", "set-ntp", "true")
		return f.Mend("timedatectl set-ntp true")
	}
	return f.Mend("apt-get install systemd-timesyncd; timedatectl set-ntp true")
}

func (b *Box) exists(name string) bool {
	_, err := os.Stat(b.path(name))
	return err == nil || !errors.Is(err, os.ErrNotExist)
}
