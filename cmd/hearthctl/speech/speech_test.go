package speech

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/rigs/archivetest"
	"hearthd/rigs/ctltest"
	"hearthd/speech/model"
)

// box is a machine with systemd, hearthd and its configuration, and archives on a server.
type box struct {
	*archivetest.Works
	daemon *ctltest.Fake
	dir    string
	config string
	state  string
}

const before = "# mine\nwake:\n  chime: false\n"

func newBox(t *testing.T, models ...archivetest.Model) *box {
	t.Helper()
	// Root tries models as nobody, who has to reach all this.
	dir, err := os.MkdirTemp("", "hearthctl-speech-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	b := &box{Works: archivetest.New(t, models...), daemon: ctltest.NewFake(t), dir: dir,
		config: filepath.Join(dir, "hearthd.yaml"), state: filepath.Join(dir, "state")}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]struct {
		text string
		mode os.FileMode
	}{
		"self":          {string(text), 0o755},
		"hearth-speech": {"#!/bin/sh\n" + asServer + "=1 exec " + dir + "/self \"$@\"\n", 0o755},
		// Restarting the service starts a server behind its door; restarting hearthd is counted.
		"bin/systemctl": {"#!/bin/sh\necho \"$@\" >>" + dir + "/systemctl.log\n" +
			"[ ! -e " + dir + "/fails ] || { echo 'Job failed.'; exit 1; }\n", 0o755},
		"proc/meminfo":             {"MemTotal:        3884360 kB\nMemAvailable: 2000000 kB\n", 0o644},
		"proc/device-tree/model":   {"Raspberry Pi 4 Model B Rev 1.4\x00", 0o644},
		"hearthd.yaml":             {"log: {level: info}\n", 0o644},
		"conf.d/90-set.yaml":       {before, 0o644},
		"catalogue.yaml":           {b.YAML, 0o644},
		"run/systemd/system/.keep": {"", 0o644},
		"run/hearth-speech/.keep":  {"", 0o644},
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(file.text), file.mode),
			os.Chmod(path, file.mode)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return b
}

// run runs hearthctl speech there.
func (b *box) run(t *testing.T, args ...string) ctltest.Outcome {
	t.Helper()
	args = append([]string{"speech", "--socket", b.daemon.Path, "--state", b.state, "--config", b.config, "--root", b.dir,
		"--program", filepath.Join(b.dir, "hearth-speech"), "--catalogue", filepath.Join(b.dir, "catalogue.yaml")}, args...)
	cmd := ctltest.Command(context.WithoutCancel(t.Context()), t, args...)
	cmd.Env = append(cmd.Env, "PATH="+filepath.Join(b.dir, "bin")+":"+os.Getenv("PATH"))
	return ctltest.Finish(t, cmd)
}

// service serves behind the door of the service until the test ends.
func (b *box) service(t *testing.T) {
	t.Helper()
	door := filepath.Join(b.dir, door)
	if err := os.MkdirAll(filepath.Join(b.state, "lib"), 0o755); err != nil {
		t.Fatal(err)
	}
	// The socket unit is there before the library; the service looks for the library as it starts.
	if err := os.WriteFile(filepath.Join(b.state, "lib", "libsherpa-onnx-c-api.so"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(b.dir, "hearth-speech"), "--state", b.state, "--listen", "unix:"+door)
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
	})
}

func (b *box) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

// unchanged checks that hearthd is told what it was told before.
func (b *box) unchanged(t *testing.T) {
	t.Helper()
	if got := b.read(t, "conf.d/90-set.yaml"); got != before {
		t.Errorf("configuration is now\n%s", got)
	}
	if use, err := model.ReadUse(b.state); err != nil || len(use.Hear)+len(use.Speak) != 0 {
		t.Errorf("used: %+v, %v", use, err)
	}
}

func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root restarts services")
	}
}

const works = `{"findings":[{"check":"voice","verdict":"ok","text":"speaks after 80 ms"},` +
	`{"check":"recogniser","verdict":"ok","text":"hears what the voice says"}]}`

func TestOneCommandFetchesTriesAndConfigures(t *testing.T) {
	needsRoot(t)
	b := newBox(t, archivetest.Hearer("hearer"), archivetest.Voice("voice"))
	b.service(t)
	b.daemon.Answer("/v1/probe", 200, works)
	o := b.run(t, "install", "hearer", "voice")
	if o.Code != 0 {
		t.Fatalf("%+v", o)
	}
	for _, want := range []string{"The library is installed: sherpa-onnx 9.9.", "hearer is installed. Licence: MIT.",
		"Said by the voice: “Please turn on", "(100 % of the words",
		"hearthd uses it: recogniser hears what the voice says"} {
		if !strings.Contains(o.Stdout, want) {
			t.Errorf("nothing says %q:\n%s", want, o.Stdout)
		}
	}
	door := "unix:" + b.dir + "/run/hearth-speech/wyoming.sock"
	if got, want := b.read(t, "conf.d/90-set.yaml"), before+"stt:\n  wyoming:\n    address: "+door+
		"\n  engine: wyoming\ntts:\n  wyoming:\n    address: "+door+"\n  engine: wyoming\n"; got != want {
		t.Error(cmp.Diff(want, got))
	}
	if got := b.read(t, "systemctl.log"); got != "start hearth-speech.socket\ntry-restart hearth-speech.service\n"+
		"restart hearthd.service\n" {
		t.Errorf("systemctl was asked\n%s", got)
	}
	use, err := model.ReadUse(b.state)
	if err != nil || use.Hear[""] != "hearer" || use.Speak["en"] != "voice" {
		t.Errorf("used: %+v, %v", use, err)
	}
	asked := len(b.Asked())
	if o := b.run(t, "install", "--no-use", "hearer"); o.Code != 0 || o.Stdout != "hearer is installed already.\n" ||
		len(b.Asked()) != asked {
		t.Errorf("again: %+v", o)
	}

	// It is taken back whole.
	if o := b.run(t, "remove", "hearer"); o.Code != 1 || !strings.Contains(o.Stderr, "hearer is used") {
		t.Errorf("%+v", o)
	}
	if o := b.run(t, "use", "--off"); o.Code != 0 {
		t.Errorf("%+v", o)
	}
	if got := b.read(t, "conf.d/90-set.yaml"); strings.Contains(got, "engine: wyoming") {
		t.Errorf("after use --off\n%s", got)
	}
	if o := b.run(t, "remove", "--force", "hearer", "voice"); o.Code != 0 ||
		o.Stdout != "hearer is removed.\nvoice is removed.\n" {
		t.Errorf("%+v", o)
	}
	if list, err := os.ReadDir(filepath.Join(b.state, "models")); err != nil || len(list) != 0 {
		t.Errorf("left %v, %v", list, err)
	}
}

func TestEverythingIsAsItWasWhenHearthdCannotUseIt(t *testing.T) {
	needsRoot(t)
	b := newBox(t, archivetest.Hearer("hearer"), archivetest.Voice("voice"))
	b.service(t)
	b.daemon.Answer("/v1/probe", 200, strings.Replace(works, `"recogniser","verdict":"ok","text":"hears`,
		`"recogniser","verdict":"fail","text":"cannot connect\u001b, hears`, 1))
	o := b.run(t, "install", "hearer", "voice")
	if o.Code != 1 || !strings.Contains(o.Stderr, "hearthd cannot use it, and its configuration is as it was: recogniser "+
		"cannot connect , hears") {
		t.Errorf("%+v", o)
	}
	b.unchanged(t)
	if n := strings.Count(b.read(t, "systemctl.log"), "restart hearthd.service"); n != 2 {
		t.Errorf("hearthd was restarted %d times", n)
	}

	// A restart that fails, too.
	b.daemon.Answer("/v1/probe", 200, works)
	if err := os.WriteFile(filepath.Join(b.dir, "fails"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if o := b.run(t, "use", "hearer"); o.Code != 1 || !strings.Contains(o.Stderr, "systemctl start hearth-speech.socket") {
		t.Errorf("%+v", o)
	}
	b.unchanged(t)
}

func TestModelThatMishearsIsNotUsed(t *testing.T) {
	b := newBox(t, archivetest.Hearer("deaf"), archivetest.Hearer("broken"), archivetest.Voice("voice"))
	b.service(t)
	for name, want := range map[string]string{"deaf": "only 0 % of the words", "broken": "the engine failed"} {
		if o := b.run(t, "install", name, "voice"); o.Code != 1 || !strings.Contains(o.Stderr, want) ||
			!strings.Contains(o.Stderr, "what was used before still is") {
			t.Errorf("%s: %+v", name, o)
		}
		b.unchanged(t)
	}
}

// heavier makes a model one that is proposed on a Pi 4, with so many MB of networks.
func heavier(m archivetest.Model, mb string) archivetest.Model {
	m.Head = strings.Replace(m.Head, "networks_mb: 1", "boards: [pi4], networks_mb: "+mb, 1)
	return m
}

func TestBestThatAnswersInTimeIsProposed(t *testing.T) {
	needsRoot(t)
	b := newBox(t, heavier(archivetest.Hearer("slow-but-good"), "30"), heavier(archivetest.Hearer("alike-slow"), "30"),
		heavier(archivetest.Hearer("light"), "20"), heavier(archivetest.Hearer("lightest"), "10"),
		heavier(archivetest.Voice("voice"), "10"))
	b.service(t)
	b.daemon.Answer("/v1/probe", 200, works)
	if o := b.run(t, "install"); o.Code != 1 || !strings.Contains(o.Stderr, "nobody answers; --yes asks nothing") {
		t.Errorf("without a person: %+v", o)
	}
	b.unchanged(t)
	o := b.run(t, "install", "--yes", "--language", "en")
	if o.Code != 0 || !strings.Contains(o.Stdout, "That is more than a second; something lighter is tried.") {
		t.Fatalf("%+v", o)
	}
	models, err := model.List(b.state)
	if err != nil || len(models) != 3 || models[0].Name != "light" || models[1].Name != "slow-but-good" {
		t.Errorf("%v, %v", models, err)
	}
	use, err := model.ReadUse(b.state)
	if err != nil || use.Hear[""] != "light" || use.Speak["en"] != "voice" {
		t.Errorf("used: %+v, %v", use, err)
	}
	// The second time what is there is measured, and nothing fetched.
	asked := len(b.Asked())
	if o := b.run(t, "install", "--yes"); o.Code != 0 || len(b.Asked()) != asked ||
		!strings.Contains(o.Stdout, "light, which is installed, answers within") {
		t.Errorf("%+v", o)
	}
}

func TestBenchMeasuresWhatIsInstalled(t *testing.T) {
	b := newBox(t, archivetest.Hearer("hearer"), archivetest.Hearer("broken"), archivetest.Voice("voice"))
	if o := b.run(t, "bench"); o.Code != 1 || !strings.Contains(o.Stderr, "nothing is installed") {
		t.Errorf("%+v", o)
	}
	if o := b.run(t, "install", "--no-use", "hearer", "broken", "voice"); o.Code != 0 {
		t.Fatalf("%+v", o)
	}
	o := b.run(t, "bench", "--json")
	var list []result
	if err := json.Unmarshal([]byte(o.Stdout), &list); err != nil || len(list) != 3 {
		t.Fatalf("%v: %+v", err, o)
	}
	for _, r := range list {
		switch r.Name {
		case "hearer":
			if r.Right != 1 || r.SaidBy != "voice" || r.Factor <= 0 || r.Factor > 100 || r.MemoryMB == 0 || r.Error != "" {
				t.Errorf("%+v", r)
			}
		case "broken":
			if !strings.Contains(r.Error, "the engine failed") {
				t.Errorf("%+v", r)
			}
		case "voice":
			if r.Task != model.Speak || r.Error != "" {
				t.Errorf("%+v", r)
			}
		}
	}
	if o := b.run(t, "bench", "voice"); o.Code != 0 || !strings.Contains(o.Stdout, "first sound after") ||
		strings.Contains(o.Stdout, "hearer") {
		t.Errorf("%+v", o)
	}
	if o := b.run(t, "bench", "other"); o.Code != 1 || o.Stderr != "hearthctl: other is not installed\n" {
		t.Errorf("%+v", o)
	}
}

func TestNamesAreCompleted(t *testing.T) {
	b := newBox(t, archivetest.Hearer("hearer"))
	if o := b.run(t, "install", "--no-use", "hearer"); o.Code != 0 {
		t.Fatalf("%+v", o)
	}
	for _, tc := range []struct{ command, want, not string }{
		{"install", "moonshine-tiny-en\tquick", "hearer"}, {"use", "hearer\n", "moonshine"},
		{"remove", "hearer\n", "moonshine"}, {"bench", "hearer\n", "moonshine"},
	} {
		o := ctltest.Run(t, "__complete", "speech", "--state", b.state, tc.command, "")
		if o.Code != 0 || !strings.Contains(o.Stdout, tc.want) || strings.Contains(o.Stdout, tc.not) {
			t.Errorf("%s: %+v", tc.command, o)
		}
	}
}

func TestListSaysWhatSuitsTheBox(t *testing.T) {
	big := heavier(archivetest.Hearer("big"), "3000")
	pc := archivetest.Hearer("for-pc")
	pc.Head += ", boards: [pc], about: good"
	b := newBox(t, heavier(archivetest.Hearer("hearer"), "10"), big, pc)
	if o := b.run(t, "test"); o.Code != 1 || !strings.Contains(o.Stderr, "nothing is installed yet: sudo hearthctl speech") {
		t.Errorf("%+v", o)
	}
	if o := b.run(t, "install", "--no-use", "hearer"); o.Code != 0 {
		t.Fatalf("%+v", o)
	}
	b.run(t, "list").Golden(t, "list.txt")
	var list []entry
	if o := b.run(t, "list", "--json"); json.Unmarshal([]byte(o.Stdout), &list) != nil || len(list) != 3 ||
		!list[0].Installed || list[1].Doubt == "" || list[2].Doubt != "slow on a Pi 4; measure it" {
		t.Errorf("%+v", list)
	}
	for args, want := range map[string]string{
		"install big":    "it takes about 7550 MB of memory and this machine has 3977; --anyway",
		"install none":   `there is no model "none"`,
		"install ./none": "none/model.yaml: no such file or directory",
		"install --from /nowhere --no-use for-pc": "stat /nowhere: no such file",
		"install --from / --no-use for-pc":        "/ has no for-pc.tar.bz2",
		"use none":                                "none is not installed",
		"use":                                     "name models, or say --off",
		"use hearer/amy":                          `has no speaker "amy"`,
		"remove none":                             "none is not installed",
	} {
		if o := b.run(t, strings.Fields(args)...); o.Code != 1 || !strings.Contains(o.Stderr, want) {
			t.Errorf("%s: %+v", args, o)
		}
	}
	b.unchanged(t)
}
