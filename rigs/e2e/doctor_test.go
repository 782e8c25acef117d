package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"hearthd/rigs/llmtest"
	"hearthd/rigs/llmtest/real"
	"hearthd/rigs/testcard"
)

type finding struct {
	Check, Verdict, Text, Fix, Because string
	Numbers                            map[string]float64
}

// diagnosis is what a test reads of hearthctl doctor --json.
type diagnosis struct {
	Cause    string
	Running  bool
	Fixed    []string
	Findings []finding
}

// ward is a box that hearthctl doctor looks at: programs of the machine that it asks,
// and, where a test says so, its /proc and /sys.
type ward struct {
	*kitchen
	bin  string // before the others in PATH
	args []string
	env  []string
}

func newWard(k *kitchen) *ward {
	w := &ward{kitchen: k, bin: filepath.Join(k.dir, "bin")}
	check(k.t, os.Mkdir(w.bin, 0o755))
	w.program("timedatectl", "echo NTP=yes; echo NTPSynchronized=yes")
	w.program("systemctl", "exit 1")
	w.program("systemd-analyze", "exit 1")
	return w
}

// begin starts the daemon with a time zone that is wanted: a machine in UTC is one of the doctor's findings.
func (w *ward) begin(env ...string) { w.kitchen.begin(append(env, "HEARTHD_TOOLS_TIMEZONE=UTC")...) }

// program puts a program of the machine into the box.
func (w *ward) program(name, script string) {
	w.t.Helper()
	check(w.t, os.WriteFile(filepath.Join(w.bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

// file writes a file of the kernel, and has the doctor look for all of them there.
func (w *ward) file(name, text string) {
	w.t.Helper()
	root := filepath.Join(w.dir, "root")
	check(w.t, os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755))
	check(w.t, os.WriteFile(filepath.Join(root, name), []byte(text+"\n"), 0o644))
	w.args = append(w.args, "--root", root)
}

// doctor runs hearthctl doctor with the environment of the kitchen's daemon.
func (w *ward) doctor(args ...string) diagnosis {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, suite.ctl, append(append([]string{"--socket", w.Socket(), "doctor", "--json"}, w.args...), args...)...)
	cmd.Env = append(append(append(os.Environ(), w.card.Environ()...), w.env...), "PATH="+w.bin+":"+os.Getenv("PATH"))
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	var d diagnosis
	if err := json.Unmarshal(out, &d); err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
	if failed := d.Findings[0].Verdict == "fail"; failed != (err != nil) {
		w.t.Errorf("exit status %v, and the first finding is %+v", err, d.Findings[0])
	}
	return d
}

// page is the diagnosis for the log of a test.
func (d *diagnosis) page() string {
	var b strings.Builder
	for _, f := range d.Findings {
		fmt.Fprintf(&b, "%-4s %-13s %s %v because of %q; fix: %s\n", f.Verdict, f.Check, f.Text, f.Numbers, f.Because, f.Fix)
	}
	return b.String()
}

// brokenBox is a box with one thing wrong.
type brokenBox struct {
	name  string
	cause string // the check that must stand first
	says  string // in its text
	fix   string // in what mends it
	deaf  bool   // the microphone gives nothing but zeros
	begin func(w *ward)
}

func boxes() []brokenBox {
	return []brokenBox{
		{name: "wrong password of the broker", cause: "broker", says: "refuses the user or password", fix: "secret", begin: func(w *ward) {
			b := newMosquitto(w.t, w.dir)
			check(w.t, os.WriteFile(b.path("secret"), []byte("pepper and salt\n"), 0o600))
			w.launch(b.environ()...)
		}},
		{name: "no Ollama", cause: "thinker", says: "no Ollama answers at http://127.0.0.1:1", fix: "ollama", begin: func(w *ward) {
			w.begin("HEARTHD_THINKER_URL=http://127.0.0.1:1")
		}},
		{name: "Ollama without the model", cause: "thinker", says: "does not have the model qwen3:1.7b", fix: "ollama pull qwen3:1.7b", begin: func(w *ward) {
			w.begin("HEARTHD_THINKER_URL=" + w.ollama())
		}},
		{name: "full disk", cause: "disk", says: "full", fix: "du -xh", begin: func(w *ward) {
			w.fillDisk()
			w.launch()
		}},
		{name: "state folder of somebody else", cause: "permissions", says: "nobody cannot write", fix: "chown -R nobody", begin: func(w *ward) {
			w.asNobody()
			w.launch()
		}},
		{name: "no recogniser", cause: "recogniser", says: "pocketsphinx_batch", fix: "apt-get install pocketsphinx", begin: func(w *ward) {
			flite, err := exec.LookPath("flite")
			check(w.t, err)
			only := filepath.Join(w.dir, "only")
			check(w.t, os.Mkdir(only, 0o755))
			check(w.t, os.Symlink(flite, filepath.Join(only, "flite")))
			w.launch("PATH=" + only)
		}},
		{name: "no voice", cause: "voice", says: "flite", fix: "apt-get install flite", begin: func(w *ward) {
			batch, err := exec.LookPath("pocketsphinx_batch")
			check(w.t, err)
			only := filepath.Join(w.dir, "only")
			check(w.t, os.Mkdir(only, 0o755))
			check(w.t, os.Symlink(batch, filepath.Join(only, "pocketsphinx_batch")))
			w.launch("PATH=" + only)
		}},
		{name: "silent microphone", cause: "microphone", says: "digital silence", fix: "alsamixer", deaf: true, begin: func(w *ward) { w.begin() }},
		{name: "card held by another program", cause: "card use", says: "arecord (pid ", fix: "kill ", begin: func(w *ward) {
			check(w.t, w.card.BreakCapture(testcard.Busy))
			w.holdCard()
			w.launch()
			w.await("the condition", func(s Status) bool { return s.Has("microphone") })
		}},
		{name: "clock not synchronised", cause: "clock", says: "not synchronised", fix: "timedatectl set-ntp true", begin: func(w *ward) {
			w.program("timedatectl", "echo NTP=no; echo NTPSynchronized=no")
			w.file("run/systemd/timesync/clock", "")
			w.begin()
		}},
		{name: "bad configuration", cause: "configuration", says: "hearthd.yaml:2: audio.volume", fix: "sudoedit /", begin: func(w *ward) {
			check(w.t, os.WriteFile(w.ConfigPath(), []byte("audio:\n  volume: 170\n"), 0o600))
			w.program("systemctl", "echo LoadState=loaded; echo ActiveState=failed; echo SubState=failed; echo Result=exit-code; echo ExecMainStatus=78; echo NRestarts=0")
			w.args = append(w.args, "--config", w.ConfigPath())
		}},
		{name: "refused password of the calendar", cause: "calendar", says: "does not accept the password of \"anna\"", fix: "pass",
			begin: func(w *ward) {
				server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
					http.Error(rw, "", http.StatusUnauthorized)
				}))
				w.t.Cleanup(server.Close)
				pass := filepath.Join(w.dir, "pass")
				check(w.t, os.WriteFile(pass, []byte("sesame\n"), 0o600))
				w.begin("HEARTHD_TOOLS_CALENDAR_URL="+server.URL, "HEARTHD_TOOLS_CALENDAR_USER=anna",
					"HEARTHD_TOOLS_CALENDAR_PASSWORD=file:"+pass)
			}},
		{name: "no server of the calendar", cause: "calendar", says: "connection refused", fix: "hearthctl config show tools.calendar",
			begin: func(w *ward) { w.begin("HEARTHD_TOOLS_CALENDAR_URL=http://127.0.0.1:1") }},
		{name: "refused key", cause: "cloud", says: "refuses the key of responder.key", fix: "key", begin: func(w *ward) {
			service := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				http.Error(rw, "{}", http.StatusUnauthorized)
			}))
			w.t.Cleanup(service.Close)
			key := filepath.Join(w.dir, "key")
			check(w.t, os.WriteFile(key, []byte("sesame\n"), 0o600))
			w.begin("HEARTHD_RESPONDER_URL="+service.URL+"/v1", "HEARTHD_RESPONDER_KEY=file:"+key)
		}},
	}
}

func TestDoctorNamesTheCauseOfEachBrokenBoxFirst(t *testing.T) {
	for _, box := range boxes() {
		t.Run(box.name, func(t *testing.T) {
			w := newWard(newRoom(t, &Room{Voice: suite.voice, Silent: box.deaf}))
			box.begin(w)
			d := w.doctor("--quiet")
			first := d.Findings[0]
			if first.Verdict == "warn" && busy(d.Cause, box.cause) { // before other warnings
				first = d.Findings[max(0, slices.IndexFunc(d.Findings, func(f finding) bool { return f.Check == box.cause }))]
			} else if d.Cause != box.cause {
				t.Errorf("the cause is %q", d.Cause)
			}
			if first.Check != box.cause || !strings.Contains(first.Text, box.says) || !strings.Contains(first.Fix, box.fix) {
				t.Errorf("the cause is %q, want %q, which says %q and is mended by %q\n%s", d.Cause, box.cause, box.says, box.fix, d.page())
			}
		})
	}
}

func TestDoctorMendsAMutedMicrophone(t *testing.T) {
	w := newWard(newKitchen(t))
	w.begin()
	w.post("/v1/mute", map[string]bool{"muted": true})
	w.await("silence", func(s Status) bool { return s.Muted })
	d := w.doctor("--quiet")
	if !busy(d.Cause, "microphone") || !slices.ContainsFunc(d.Findings, func(f finding) bool {
		return f.Check == "microphone" && f.Verdict == "warn" && strings.Contains(f.Fix, "hearthctl unmute")
	}) {
		t.Errorf("the cause is %q\n%s", d.Cause, d.page())
	}
	if s := w.status(); !s.Muted {
		t.Error("mended without being asked to")
	}
	if d := w.doctor("--quiet", "--fix"); !busy(d.Cause, "") || !strings.Contains(strings.Join(d.Fixed, "\n"), "mended: microphone: hearthctl unmute") {
		t.Errorf("the cause is %q, mended %q\n%s", d.Cause, d.Fixed, d.page())
	}
	if s := w.status(); s.Muted {
		t.Error("not mended")
	}
}

// ollama is a server without the usual model: a real one, where there is one.
func (w *ward) ollama() string {
	w.t.Helper()
	s, err := findOllama(w.t)
	if errors.Is(err, real.ErrNone) {
		return llmtest.NewOllama(w.t, "another", nil).URL
	}
	check(w.t, err)
	return s.URL
}

// fillDisk puts the state folder on a disk of one megabyte, which is full.
func (w *ward) fillDisk() {
	w.t.Helper()
	state := filepath.Join(w.dir, "state")
	check(w.t, os.Mkdir(state, 0o700))
	if err := unix.Mount("tmpfs", state, "tmpfs", 0, "size=1m"); err != nil {
		w.t.Skip("a small disk cannot be mounted: ", err)
	}
	w.t.Cleanup(func() {
		if err := unix.Unmount(state, unix.MNT_DETACH); err != nil {
			w.t.Error(err)
		}
	})
	check(w.t, os.WriteFile(filepath.Join(state, "video"), make([]byte, 1000<<10), 0o600))
}

// asNobody has the daemon run as nobody, and its state folder belong to root.
func (w *ward) asNobody() {
	w.t.Helper()
	if os.Geteuid() != 0 {
		w.t.Skip("only root can start the daemon as somebody else")
	}
	const nobody = 65534
	check(w.t, os.Mkdir(filepath.Join(w.dir, "state"), 0o700))
	check(w.t, os.Mkdir(filepath.Join(w.dir, "run"), 0o750))
	check(w.t, os.Chown(filepath.Join(w.dir, "run"), nobody, nobody))
	check(w.t, os.WriteFile(w.ConfigPath(), nil, 0o644))
	files, err := filepath.Glob(filepath.Join(w.dir, "*"))
	check(w.t, err)
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && !info.IsDir() {
			check(w.t, os.Chmod(f, 0o666))
		}
	}
	for _, d := range []string{w.dir, suite.dir} {
		check(w.t, os.Chmod(d, 0o777))
	}
	script := filepath.Join(w.dir, "as-nobody")
	check(w.t, os.WriteFile(script, []byte("#!/bin/sh\nHOME=/ exec setpriv --reuid=nobody --regid=nogroup --clear-groups "+suite.hearthd+" \"$@\"\n"), 0o755))
	w.kitchen.program = script
}

// holdCard has a program of the name arecord hold the only card of the box.
func (w *ward) holdCard() {
	w.t.Helper()
	sleep, err := exec.LookPath("sleep")
	check(w.t, err)
	text, err := os.ReadFile(sleep)
	check(w.t, err)
	arecord := filepath.Join(w.dir, "arecord")
	check(w.t, os.WriteFile(arecord, text, 0o755))
	cmd := exec.Command(arecord, "1000")
	check(w.t, cmd.Start())
	w.t.Cleanup(func() {
		_ = cmd.Process.Kill() // it sleeps
		_ = cmd.Wait()         // killed
	})
	pid := strconv.Itoa(cmd.Process.Pid)
	w.file("proc/asound/cards", " 0 [Device         ]: USB-Audio - USB PnP Audio Device")
	w.file("proc/asound/card0/pcm0c/sub0/status", "state: RUNNING\nowner_pid   : "+pid)
	w.file("proc/asound/card0/pcm0c/sub0/hw_params", "access: RW_INTERLEAVED\nrate: 48000 (48000/1)")
	w.file("proc/asound/card0/pcm0p/sub0/status", "closed")
	check(w.t, os.Symlink(filepath.Join("/proc", pid), filepath.Join(w.dir, "root", "proc", pid)))
}

func TestDoctorFindsAHealthyBoxWellAndMeasuresIt(t *testing.T) {
	w := newWard(newEchoes(t))
	b := newMosquitto(t, w.dir)
	ollama := llmtest.NewOllama(t, model, nil)
	w.begin(append(b.environ(), minds(strings.TrimPrefix(ollama.URL, "http://"))...)...)
	d := w.doctor()
	t.Log("\n" + d.page())
	if !d.Running || d.Findings[0].Verdict == "fail" || !busy(d.Cause, "") {
		t.Errorf("the cause is %q", d.Cause)
	}
	wellMeasured(t, &d, map[string]string{
		"microphone": "noise_dbfs", "echo": "delay_ms", "disk": "free_mb", "memory": "hearthd_mb", "broker": "round_trip_ms",
		"thinker": "warm_first_token_ms", "voice": "first_sound_ms", "recogniser": "transcript_ms",
	})
}

// busy reports whether the cause is the one that is wanted, or one to which a machine
// comes that runs tests beside each other.
func busy(cause, want string) bool {
	return cause == want || slices.Contains([]string{"disk", "echo", "voice", "recogniser", "thinker"}, cause)
}

// wellMeasured expects checks to be well and to have measured.
func wellMeasured(t *testing.T, d *diagnosis, want map[string]string) {
	t.Helper()
	for name, number := range want {
		found := false
		for _, f := range d.Findings {
			_, has := f.Numbers[number]
			found = found || f.Check == name && (f.Verdict == "ok" || f.Verdict == "warn") && has
		}
		if !found {
			t.Errorf("%s is not well with %s", name, number)
		}
	}
}

func TestDoctorMeasuresWithoutADaemon(t *testing.T) {
	w := newWard(newEchoes(t))
	check(t, os.WriteFile(w.ConfigPath(), []byte("thinker: {url: \"\"}\ntools: {timezone: UTC}\n"), 0o600))
	w.args = []string{"--config", w.ConfigPath()}
	w.env = []string{"STATE_DIRECTORY=" + filepath.Join(w.dir, "state"), "RUNTIME_DIRECTORY=" + w.dir}
	d := w.doctor()
	t.Log("\n" + d.page())
	if d.Running || d.Findings[0].Verdict == "fail" || !busy(d.Cause, "service") {
		t.Errorf("the cause is %q", d.Cause)
	}
	wellMeasured(t, &d, map[string]string{
		"microphone": "rate_hz", "echo": "delay_ms", "disk": "free_mb", "voice": "first_sound_ms", "recogniser": "transcript_ms",
	})
}

func TestDoctorMeasuresARealOllamaColdAndWarm(t *testing.T) {
	s, name := realOllama(t)
	w := newWard(newKitchen(t))
	w.begin("HEARTHD_THINKER_URL="+s.URL, "HEARTHD_THINKER_MODEL="+name)
	w.doctor("--quiet") // loads it, if the daemon has not
	warm, cold := w.doctor("--quiet"), w.doctor("--quiet", "--cold")
	t.Log("\n" + warm.page() + "\n" + cold.page())
	wellMeasured(t, &warm, map[string]string{"thinker": "warm_first_token_ms"})
	wellMeasured(t, &cold, map[string]string{"thinker": "cold_first_token_ms"})
}

func TestDoctorKnowsThatTheBuiltInEnginesAreEnglish(t *testing.T) {
	w := newWard(newKitchen(t, "HEARTHD_TOOLS_INTENTS_LANGUAGE=de"))
	w.begin()
	d := w.doctor()
	for check, verdict := range map[string]string{"recogniser": "fail", "voice": "warn"} {
		if !slices.ContainsFunc(d.Findings, func(f finding) bool {
			return f.Check == check && f.Verdict == verdict && strings.Contains(f.Text, `"de"`) && f.Fix == "sudo hearthctl speech install"
		}) {
			t.Errorf("nothing is said of the %s\n%s", check, d.page())
		}
	}
}
