package box

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hearthd/daemon/doctor"
)

// machine is a box whose files of the kernel a test writes.
func machine(t *testing.T, files map[string]string, o Options) *Box {
	t.Helper()
	o.Root = t.TempDir()
	for name, text := range files {
		path := filepath.Join(o.Root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if o.StateDir == "" {
		o.StateDir = t.TempDir()
	}
	o.Account, o.Unit = "hearthd", "hearthd"
	return New(o)
}

// programs puts programs in front of those of the machine.
func programs(t *testing.T, scripts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

// expect looks at the only finding, or the first of several.
func expect[F doctor.Finding | []doctor.Finding](t *testing.T, found F, v doctor.Verdict, text,
	fix string) doctor.Finding {
	t.Helper()
	f, ok := any(found).(doctor.Finding)
	if list, many := any(found).([]doctor.Finding); many && len(list) > 0 {
		f, ok = list[0], true
	}
	if !ok {
		t.Fatal("nothing was found")
	}
	if f.Verdict != v || !strings.Contains(f.Text, text) || !strings.Contains(f.Fix, fix) {
		t.Errorf("%s %q, fix %q; want %s with %q, fix %q", f.Verdict, f.Text, f.Fix, v, text, fix)
	}
	if (v == doctor.Fail || v == doctor.Warn) && f.Fix == "" {
		t.Errorf("%q has no cure", f.Text)
	}
	return f
}

// kitchen is a speakerphone that hearthd has open, and a card that only plays.
func kitchen() map[string]string {
	return map[string]string{
		"proc/asound/cards": " 0 [b1             ]: bcm2835_hdmi - bcm2835 HDMI 1\n                      bcm2835 HDMI 1\n" +
			" 1 [Device         ]: USB-Audio - USB PnP Audio Device\n                      C-Media at usb-1.2",
		"proc/asound/card0/pcm0p/sub0/status":    "closed",
		"proc/asound/card0/pcm0p/sub0/hw_params": "closed",
		"proc/asound/card1/pcm0c/sub0/status":    "state: RUNNING\nowner_pid   : 712\ntrigger_time: 1.2",
		"proc/asound/card1/pcm0c/sub0/hw_params": "access: RW_INTERLEAVED\nformat: S16_LE\nrate: 48000 (48000/1)",
		"proc/asound/card1/pcm0p/sub0/status":    "closed",
		"proc/asound/card1/stream0": "USB PnP\n\nPlayback:\n  Status: Stop\n  Interface 1\n    Rates: 44100, 48000\n" +
			"Capture:\n  Status: Running\n  Interface 2\n    Rates: 16000, 48000",
		"proc/712/status": "Name:\thearthd\nTgid:\t700\n",
		"proc/712/comm":   "hearthd",
	}
}

func TestCardsAreNamedWithTheirRates(t *testing.T) {
	b := machine(t, kitchen(), Options{Capture: "plughw:CARD=Device,DEV=0", Playback: "default", PID: 700})
	expect(t, b.cards(t.Context()), doctor.OK,
		"b1 (bcm2835 HDMI 1) plays; Device (USB PnP Audio Device) records at 48000 Hz, plays at 44100, 48000 Hz if asked", "")
	expect(t, b.holders(t.Context()), doctor.OK, "only hearthd", "")
}

func TestCardThatIsNotThereIsNamedWithOneThatIs(t *testing.T) {
	b := machine(t, kitchen(), Options{Capture: "plughw:CARD=Jabra,DEV=0", Playback: "default"})
	expect(t, b.cards(t.Context()), doctor.Fail, "audio.capture names the card Jabra",
		`audio: {capture: "plughw:CARD=Device,DEV=0"}`)
	b = machine(t, kitchen(), Options{Capture: "hw:0,0", Playback: "default"})
	expect(t, b.cards(t.Context()), doctor.Fail, "cannot record", "CARD=Device")
	expect(t, machine(t, nil, Options{}).cards(t.Context()), doctor.Fail, "no sound card", "aplay -l")
}

func TestWhoHoldsTheCardIsNamed(t *testing.T) {
	files := kitchen()
	files["proc/712/comm"], files["proc/712/status"] = "arecord", "Tgid:\t712"
	b := machine(t, files, Options{Capture: "plughw:CARD=Device", Playback: "plughw:CARD=Device", PID: 700})
	expect(t, b.holders(t.Context()), doctor.Warn, "arecord (pid 712) holds the capture of card Device", "kill 712")
	files["proc/712/comm"] = "pipewire"
	b = machine(t, files, Options{Capture: "default", Playback: "default", PID: 700})
	expect(t, b.holders(t.Context()), doctor.Warn, "pipewire (pid 712)", "systemctl --user")
	b = machine(t, files, Options{Capture: "plughw:CARD=b1", Playback: "plughw:CARD=b1", PID: 700})
	expect(t, b.holders(t.Context()), doctor.OK, "nobody", "")
}

func TestClockTellsWhoKeepsIt(t *testing.T) {
	rtc := map[string]string{"sys/class/rtc/rtc0/name": "rtc"}
	timesync := map[string]string{"run/systemd/timesync/clock": ""}
	programs(t, map[string]string{"timedatectl": "echo NTP=yes; echo NTPSynchronized=yes"})
	expect(t, machine(t, nil, Options{}).clock(t.Context()), doctor.OK, "kept by a time service", "")
	f := expect(t, machine(t, nil, Options{Floor: time.Now().Add(time.Hour)}).clock(t.Context()), doctor.Fail,
		"wrong: it shows", "")
	if !f.Root {
		t.Error("a wrong clock is not the root of what else fails")
	}
	programs(t, map[string]string{"timedatectl": "echo NTP=no; echo NTPSynchronized=no"})
	if f := expect(t, machine(t, timesync, Options{}).clock(t.Context()), doctor.Fail, "alarms wait",
		"timedatectl set-ntp true"); f.Repair == nil {
		t.Error("is not mended")
	}
	expect(t, machine(t, rtc, Options{}).clock(t.Context()), doctor.Warn, "drifts", "timedatectl set-ntp true")
	programs(t, map[string]string{"timedatectl": "echo NTP=yes; echo NTPSynchronized=no"})
	expect(t, machine(t, rtc, Options{}).clock(t.Context()), doctor.Warn, "drifts", "timedatectl timesync-status")
}

func TestAClockInUTCIsToldUnlessThatIsWanted(t *testing.T) {
	programs(t, map[string]string{"timedatectl": "echo NTP=yes; echo NTPSynchronized=yes"})
	for _, c := range []struct {
		target, chosen string
		findings       int
	}{
		{"/usr/share/zoneinfo/Etc/UTC", "", 2}, {"/usr/share/zoneinfo/Etc/UTC", "Europe/Vienna", 1},
		{"/usr/share/zoneinfo/Etc/UTC", "UTC", 1}, {"../usr/share/zoneinfo/Europe/Vienna", "", 1}, {"", "", 2},
	} {
		b := machine(t, map[string]string{"etc/hostname": "box"}, Options{Timezone: c.chosen})
		if c.target != "" {
			if err := os.Symlink(c.target, b.path("etc/localtime")); err != nil {
				t.Fatal(err)
			}
		}
		found := b.clocks(t.Context())
		if len(found) != c.findings {
			t.Errorf("%s, chosen %q: %+v", c.target, c.chosen, found)
		} else if c.findings == 2 {
			expect(t, found[1], doctor.Warn, "UTC", "timedatectl set-timezone")
		}
	}
}

func TestServiceTellsWhyItDoesNotRun(t *testing.T) {
	for _, c := range []struct {
		show      string
		pid       int
		v         doctor.Verdict
		text, fix string
	}{
		{"LoadState=not-found", 0, doctor.Warn, "is no service here", "apt-get"},
		{"LoadState=not-found", 7, doctor.OK, "not as a service", ""},
		{"LoadState=masked ActiveState=inactive", 0, doctor.Fail, "masked", "systemctl unmask hearthd"},
		{"LoadState=loaded ActiveState=inactive SubState=dead", 0, doctor.Fail, "stopped",
			"systemctl enable --now hearthd"},
		{"LoadState=loaded ActiveState=failed Result=exit-code ExecMainStatus=78", 0, doctor.Fail,
			"refuses its configuration", "hearthd check-config"},
		{"LoadState=loaded ActiveState=activating Result=watchdog ExecMainStatus=6 NRestarts=4", 0, doctor.Fail,
			"watchdog", "journalctl -u hearthd"},
		{"LoadState=loaded ActiveState=active SubState=running NRestarts=0 UnitFileState=enabled", 7, doctor.OK,
			"hearthd runs", ""},
		{"LoadState=loaded ActiveState=active SubState=running NRestarts=12 UnitFileState=enabled", 7, doctor.Warn,
			"restarted 12 times", "journalctl"},
		{"LoadState=loaded ActiveState=active SubState=running NRestarts=0 UnitFileState=disabled", 7, doctor.Warn,
			"will not after a reboot", "systemctl enable hearthd"},
	} {
		script := ""
		for _, p := range strings.Fields(c.show) {
			script += "echo " + p + "\n"
		}
		programs(t, map[string]string{"systemctl": script})
		expect(t, machine(t, nil, Options{PID: c.pid}).service(t.Context()), c.v, c.text, c.fix)
	}
}

func TestHardeningIsThatOfTheUnit(t *testing.T) {
	programs(t, map[string]string{"systemd-analyze": "echo '→ Overall exposure level for hearthd.service: 1.3 OK 🙂'"})
	expect(t, machine(t, nil, Options{}).hardening(t.Context()), doctor.OK, "exposure 1.3 of 10, by systemd-analyze security; 0 is best", "")
	programs(t, map[string]string{"systemd-analyze": "echo '→ Overall exposure level for hearthd.service: 9.2 UNSAFE'"})
	expect(t, machine(t, nil, Options{}).hardening(t.Context()), doctor.Warn, "9.2", "systemctl revert hearthd")
	programs(t, nil)
	expect(t, machine(t, nil, Options{}).hardening(t.Context()), doctor.Skip, "systemd is not here", "")
}

func TestHeatAndWeakPowerAreTold(t *testing.T) {
	const firmware = "sys/devices/platform/soc/soc:firmware/get_throttled"
	at := func(bits string) doctor.Finding {
		return machine(t, map[string]string{firmware: bits}, Options{}).temperature(t.Context())
	}
	expect(t, at("50005"), doctor.Warn, "the voltage is too low now, the processor is slowed down now", "power supply")
	if f := at("50000"); !strings.Contains(f.Text, "since the start") || f.Verdict == doctor.Fail {
		t.Errorf("%+v", f)
	}
	if f := at("0"); !strings.Contains(f.Text, "never slowed down") {
		t.Errorf("%+v", f)
	}
}

func TestMemoryIsMeasured(t *testing.T) {
	b := machine(t, map[string]string{
		"proc/meminfo":  "MemTotal:         948304 kB\nMemFree:           50000 kB\nMemAvailable:     412000 kB",
		"proc/7/status": "Name:\thearthd\nVmRSS:\t   27000 kB", "proc/vmstat": "nr_free_pages 1\noom_kill 0",
	}, Options{PID: 7})
	if f := expect(t, b.memory(t.Context()), doctor.OK, "412 MB free of 948 MB, hearthd has 27 MB",
		""); f.Numbers["hearthd_mb"] != 27 {
		t.Errorf("%v", f.Numbers)
	}
	b = machine(t, map[string]string{"proc/meminfo": "MemTotal: 948304 kB\nMemAvailable: 410000 kB",
		"proc/vmstat": "oom_kill 3"}, Options{})
	if f := expect(t, b.memory(t.Context()), doctor.OK, "ended 3 processes", ""); f.Fix != "" {
		t.Errorf("what is well is to be mended: %s", f.Fix)
	}
	b = machine(t, map[string]string{"proc/meminfo": "MemTotal: 948304 kB\nMemAvailable: 31000 kB",
		"proc/vmstat": "oom_kill 3"}, Options{})
	expect(t, b.memory(t.Context()), doctor.Warn, "ended 3 processes", "thinker")
	expect(t, machine(t, nil, Options{}).memory(t.Context()), doctor.Skip, "does not tell", "")
}

func TestRightsThatTheDaemonLacksAreNamed(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files to others")
	}
	dir := t.TempDir()
	state, secret, open := filepath.Join(dir, "state"), filepath.Join(dir, "key"), filepath.Join(dir, "open")
	for _, err := range []error{
		os.Chmod(dir, 0o755), os.Chmod(filepath.Dir(dir), 0o755), os.Mkdir(state, 0o700), os.Chown(state, 1, 1),
		os.WriteFile(secret, nil, 0o600), os.WriteFile(open, nil, 0o644),
		os.WriteFile(filepath.Join(state, "hearthd.db"), nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	o := Options{StateDir: state, PID: os.Getpid(), Readable: []string{open}}
	me := strconv.Itoa(os.Getpid())
	// A process of account 1, daemon in Debian.
	b := machine(t, map[string]string{"proc/" + me + "/comm": "hearthd"}, o)
	if err := os.Chown(filepath.Join(b.opt.Root, "proc", me), 1, 1); err != nil {
		t.Fatal(err)
	}
	f := expect(t, b.permissions(t.Context()), doctor.Fail, "daemon cannot write "+filepath.Join(state, "hearthd.db"),
		"chown -R daemon: "+state)
	if f.Repair == nil {
		t.Fatal("is not mended")
	}
	chown, err := exec.LookPath("chown")
	if err != nil {
		t.Fatal(err)
	}
	restarted := filepath.Join(dir, "restarted")
	programs(t, map[string]string{"chown": `exec ` + chown + ` "$@"`, "systemctl": `echo "$@" >` + restarted})
	if err := f.Repair(t.Context()); err != nil {
		t.Fatal(err)
	}
	if said, err := os.ReadFile(restarted); err != nil || string(said) != "try-restart hearthd\n" {
		t.Errorf("systemctl was told %q, %v", said, err)
	}
	expect(t, b.permissions(t.Context()), doctor.OK, "daemon can read and write", "")
	// Documents that root has put there are only read.
	document := filepath.Join(state, "knowledge", "coffee.md")
	if err := errors.Join(os.Mkdir(filepath.Dir(document), 0o755), os.WriteFile(document, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	expect(t, b.permissions(t.Context()), doctor.OK, "daemon can read and write", "")
	if err := os.Chmod(document, 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, b.permissions(t.Context()), doctor.Fail, "daemon cannot read "+document, "chown -R daemon: "+state)
	if err := os.Chmod(document, 0o644); err != nil {
		t.Fatal(err)
	}
	b.opt.Readable = append(b.opt.Readable, secret)
	expect(t, b.permissions(t.Context()), doctor.Fail, "daemon cannot read "+secret, "chgrp hearthd "+secret)
	b.opt.Readable, b.opt.Private = nil, []string{open}
	f = expect(t, b.permissions(t.Context()), doctor.Warn, "everybody can read", "chmod o= "+open)
	if err := f.Repair(t.Context()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(open); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
	// A secret that the daemon reads itself, as everybody does, is still read by it.
	if err := os.Chmod(open, 0o644); err != nil {
		t.Fatal(err)
	}
	b.opt.Readable = []string{open}
	f = expect(t, b.permissions(t.Context()), doctor.Warn, "everybody can read",
		"chgrp daemon "+open+"; chmod g+r,o= "+open)
	if err := f.Repair(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(t, b.permissions(t.Context()), doctor.OK, "daemon can read and write", "")
}

func TestWearIsReadWhereTheMediumTells(t *testing.T) {
	b := machine(t, map[string]string{
		"proc/uptime": "7200.00 100.00", "sys/block/mmcblk0/stat": "1 0 8 0 100 0 4000000 0 0 0 0",
		"sys/block/mmcblk0/device/life_time": "0x02 0x0a",
	}, Options{})
	f := expect(t, []doctor.Finding{b.life(doctor.New(doctor.Wear, doctor.OK, "mmcblk0"), "sys/block/mmcblk0")},
		doctor.Warn, "90 to 100 % of its life", "replace the card")
	if f.Numbers["life_used_percent"] != 100 {
		t.Errorf("%v", f.Numbers)
	}
}

func FuzzKernelFiles(f *testing.F) {
	f.Add(" 0 [b1 ]: x - y", "owner_pid : 7", "rate: 48000 (48000/1)", "Playback:\nRates: 1")
	f.Add(" 99999999999999999999 [b1 ]: ", "owner_pid : -1", "rate", "Capture:")
	f.Fuzz(func(t *testing.T, cards, status, params, stream string) {
		b := machine(t, map[string]string{
			"proc/asound/cards": cards, "proc/asound/card0/pcm0c/sub0/status": status,
			"proc/asound/card0/pcm0c/sub0/hw_params": params,
			"proc/asound/card0/stream0":              stream, "proc/meminfo": cards, "proc/vmstat": status,
		}, Options{Capture: cards, Playback: params})
		for _, list := range [][]doctor.Finding{{b.cards(t.Context()), b.memory(t.Context())}, b.holders(t.Context())} {
			if len(list) == 0 {
				t.Error("nothing was found")
			}
		}
	})
}
