package box

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"hearthd/daemon/doctor"
)

// clock looks whether the time is right and kept. timedatectl knows who keeps it;
// without it the kernel is asked.
func (b *Box) clock(ctx context.Context) []doctor.Finding {
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
			return []doctor.Finding{doctor.New(doctor.Clock, doctor.Skip, "neither timedatectl nor the kernel tells of the clock")}
		}
		synced = state != unix.TIME_ERROR && tx.Status&unix.STA_UNSYNC == 0
		service = ""
	}
	shown := now.Format("2 January 2006, 15:04:05 MST")
	switch {
	case now.Before(b.opt.Floor):
		f := doctor.New(doctor.Clock, doctor.Fail, "wrong: it shows %s, and hearthd was built on %s; certificates look invalid, and alarms wait", shown, b.opt.Floor.Format("2 January 2006"))
		f.Root = true
		return []doctor.Finding{b.mendClock(f, service)}
	case synced:
		f := doctor.New(doctor.Clock, doctor.OK, "%s, kept by a time service", shown)
		if kernelErr == nil && tx.Maxerror > 0 && tx.Maxerror < 16e6 { // 16 s stands for unknown
			f.Text += fmt.Sprintf(", at most %.0f ms wrong", float64(tx.Maxerror)/1e3)
			f = f.With("max_error_ms", round(float64(tx.Maxerror)/1e3))
		}
		return []doctor.Finding{f}
	case b.exists("sys/class/rtc/rtc0"):
		return []doctor.Finding{b.mendClock(doctor.New(doctor.Clock, doctor.Warn, "not synchronised: %s comes from the clock of the board, which drifts", shown), service)}
	case b.exists("run/systemd/timesync") || b.exists("run/chrony"):
		return []doctor.Finding{b.mendClock(doctor.New(doctor.Clock, doctor.Fail, "not synchronised: the box has no clock of its own, and the time service has not told it the time, so alarms wait"), service)}
	}
	return []doctor.Finding{b.mendClock(doctor.New(doctor.Clock, doctor.Warn, "not synchronised: nothing keeps the time right (%s)", shown), service)}
}

// mendClock says how the clock is set; service is whether a time service is switched
// on, "yes", "no", or empty where that is not known.
func (b *Box) mendClock(f doctor.Finding, service string) doctor.Finding {
	switch service {
	case "yes":
		return f.Mend("the time service runs and reaches no server: timedatectl timesync-status; ping -c 3 deb.debian.org")
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
