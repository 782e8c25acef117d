package box

import (
	"context"
	"regexp"
	"strconv"

	"hearthd/daemon/doctor"
)

const (
	// exitConfig is the status with which hearthd refuses a bad configuration.
	exitConfig = "78"
	// oftenRestarted is more than an upgrade and a few requested restarts.
	oftenRestarted = 10
	// exposed is the worst exposure that the unit is meant to have (systemd-analyze(1)).
	exposed = 1.5
)

// service checks the state in which systemd has hearthd.
func (b *Box) service(ctx context.Context) doctor.Finding {
	text, err := ask(ctx, "systemctl", "show", b.opt.Unit,
		"--property=LoadState,ActiveState,SubState,Result,ExecMainStatus,NRestarts,UnitFileState,ConditionResult")
	p := properties(text)
	running := b.opt.PID != 0
	if err != nil || p["LoadState"] == "" || p["LoadState"] == "not-found" {
		if running {
			return doctor.New(doctor.Service, doctor.OK, "hearthd runs, and not as a service")
		}
		return doctor.New(doctor.Service, doctor.Warn, "hearthd does not run, and is no service here").
			Mend("apt-get install ./hearthd_*.deb, or: make run")
	}
	unit := b.opt.Unit
	switch {
	case p["LoadState"] == "masked":
		return doctor.New(doctor.Service, doctor.Fail, "%s is masked, so nothing starts it", unit).
			Mend("systemctl unmask %s; systemctl enable --now %s", unit, unit)
	case p["ActiveState"] == "active" && p["SubState"] == "running":
		return b.restarts(p)
	case p["ExecMainStatus"] == exitConfig:
		return doctor.New(doctor.Service, doctor.Fail, "%s does not run: it refuses its configuration", unit).
			Mend("hearthd check-config; then: systemctl restart %s", unit)
	case p["ActiveState"] == "failed" || p["ActiveState"] == "activating":
		return doctor.New(doctor.Service, doctor.Fail, "%s does not run: %s, exit status %s, restarted %s times", unit,
			p["Result"], p["ExecMainStatus"], p["NRestarts"]).
			Mend("journalctl -u %s -n 30 says why; then: systemctl restart %s", unit, unit)
	}
	f := doctor.New(doctor.Service, doctor.Fail, "%s does not run: somebody stopped it, or it was not enabled", unit).
		Mend("systemctl enable --now %s", unit)
	f.Repair = repair("systemctl", "enable", "--now", unit)
	return f
}

// restarts checks a service that runs.
func (b *Box) restarts(p map[string]string) doctor.Finding {
	unit := b.opt.Unit
	n, err := strconv.Atoi(p["NRestarts"])
	f := doctor.New(doctor.Service, doctor.OK, "%s runs", unit)
	if err == nil {
		f = f.With("restarts", float64(n))
		if n > 0 {
			f.Text += ", restarted " + p["NRestarts"] + " times since it was last started by hand"
		}
	}
	if n >= oftenRestarted {
		f.Verdict = doctor.Warn
		f = f.Mend("journalctl -u %s -p warning -n 50", unit)
	}
	if p["UnitFileState"] == "disabled" {
		f.Verdict = doctor.Warn
		f.Text += ", and will not after a reboot"
		f.Repair = repair("systemctl", "enable", unit)
		f = f.Mend("systemctl enable %s", unit)
	}
	return f
}

// exposure is the last line of systemd-analyze security.
var exposure = regexp.MustCompile(`exposure level for [^:]+: ([0-9.]+)`)

// hardening asks systemd how exposed the unit is.
func (b *Box) hardening(ctx context.Context) doctor.Finding {
	text, err := ask(ctx, "systemd-analyze", "security", "--no-pager", b.opt.Unit+".service")
	m := exposure.FindStringSubmatch(text)
	if len(m) < 2 {
		why := "systemd does not tell"
		if err == errAbsent {
			why = "systemd is not here"
		}
		return doctor.New(doctor.Hardening, doctor.Skip, "%s", why)
	}
	level, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return doctor.New(doctor.Hardening, doctor.Skip, "systemd does not tell")
	}
	f := doctor.New(doctor.Hardening, doctor.OK, "exposure %.1f of 10, by systemd-analyze security; 0 is best", level).
		With("exposure", level)
	if level > exposed {
		f.Verdict = doctor.Warn
		f.Text += ", more than the package's unit has"
		f = f.Mend("systemctl cat %s shows what was added; systemctl revert %s", b.opt.Unit, b.opt.Unit)
	}
	return f
}
