package box

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"hearthd/daemon/doctor"
)

// holders looks which processes have the configured cards open. That another one does is a warning:
// cards with several playback streams, dmix and dsnoop can be shared.
func (b *Box) holders(context.Context) []doctor.Finding {
	all := b.list()
	if len(all) == 0 {
		return []doctor.Finding{doctor.New(doctor.Holders, doctor.Skip, "there is no sound card")}
	}
	var found []doctor.Finding
	ours := 0
	seen := make(map[string]bool)
	for _, c := range all {
		for _, p := range c.pcms {
			name := b.opt.Playback
			if p.capture {
				name = b.opt.Capture
			}
			if want := cardOf(name); want != "" && want != c.id && want != strconv.Itoa(c.number) {
				continue
			}
			for _, pid := range p.holders {
				pid = b.process(pid)
				if pid == b.opt.PID && pid != 0 || b.opt.PID == 0 &&
					b.text("proc", strconv.Itoa(pid), "comm") == "hearthd" {
					ours++
					continue
				}
				f := b.held(c, p, pid)
				if !seen[f.Text] {
					seen[f.Text] = true
					found = append(found, f)
				}
			}
		}
	}
	if len(found) == 0 {
		text := "nobody holds a card"
		if ours > 0 {
			text = "only hearthd holds the card"
		}
		return []doctor.Finding{doctor.New(doctor.Holders, doctor.OK, "%s", text)}
	}
	return found
}

// held is the finding about a process that is not hearthd.
func (b *Box) held(c card, p pcm, pid int) doctor.Finding {
	who := cmp.Or(b.text("proc", strconv.Itoa(pid), "comm"), "a process")
	end := "playback"
	if p.capture {
		end = "capture"
	}
	fix := fmt.Sprintf("kill %d", pid)
	if slices.Contains([]string{"pipewire", "pulseaudio", "wireplumber", "pipewire-pulse"}, who) {
		fix = fmt.Sprintf("systemctl --user --machine=%s@ disable --now %s.service %s.socket", b.owner(pid), who, who)
	}
	return doctor.New(doctor.Holders, doctor.Warn, "%s (pid %d) holds the %s of card %s", who, pid, end, c.id).
		With("pid", float64(pid)).Mend("%s", fix)
}

// process is the process that a thread belongs to.
func (b *Box) process(tid int) int {
	if n, err := strconv.Atoi(value(b.text("proc", strconv.Itoa(tid), "status"), "Tgid")); err == nil {
		return n
	}
	return tid
}

// owner is the name or the number of the user whose process it is.
func (b *Box) owner(pid int) string {
	info, err := os.Stat(b.path("proc", strconv.Itoa(pid)))
	if err != nil {
		return "USER"
	}
	return strings.TrimSpace(userName(uidOf(info)))
}
