package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestReloadAppliesWhatItCanAndKeepsWhatHeldWhenThereIsAMistake(t *testing.T) {
	k := newKitchen(t)
	k.env = k.env[:1] // the folder of tools stands in the file, not in a variable
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(k.dir, name)
		check(t, os.MkdirAll(filepath.Dir(path), 0o700))
		check(t, os.WriteFile(path, []byte(text), 0o600))
	}
	put("hearthd.yaml", "tools: {dir: "+filepath.Join(k.dir, "tools.d")+", intents: {dir: "+filepath.Join(k.dir, "intents")+"}}\n")
	m := newManager(t, k.dir)
	k.begin(m.environ())

	put("conf.d/a.yaml", "audio: {volume: 33}\nwake: {phrase: hello kitchen, follow_up: 0s}\nstt: {language: de}\n")
	put("tools.d/bell.yaml", "name: bell\ndescription: Rings.\nparameters: {type: object, additionalProperties: false}\ncommand: [echo, It rings.]\ntriggers: [good evening]\n")
	status, out, stderr := k.ctl(t, "reload")
	want := "changed: audio.volume\nchanged: wake.phrase\nchanged: wake.follow_up\nthere is now: bell\n" +
		"needs a restart (sudo systemctl restart hearthd): stt.language\n"
	if status != 0 || out != want || stderr != "" {
		t.Fatalf("reload: %d, %q, %q", status, out, stderr)
	}
	if s := k.status(); s.Volume != 33 || !s.Has("restart") {
		t.Errorf("after a reload: %+v", s)
	}
	if a := k.ask("good evening"); a.Answer != "It rings." {
		t.Errorf("the new tool answers %q", a.Answer)
	}
	if a := k.heard("hello kitchen, what time is it"); !strings.Contains(a.Answer, "It's") {
		t.Errorf("after the new phrase: %q", a.Answer)
	}

	put("conf.d/b.yaml", "audio: {volume: 300}\nwake: {chime: perhaps}\n")
	check(t, k.Process().Signal(syscall.SIGHUP))
	k.await("a mistake that is told", func(s Status) bool { return s.Has("configuration") && s.Volume == 33 })
	status, out, stderr = k.ctl(t, "reload")
	if status != 1 || out != "" || !strings.Contains(stderr, "mistakes: 2") || !strings.Contains(stderr, "b.yaml:1: audio.volume") || !strings.Contains(stderr, "b.yaml:2: wake.chime") {
		t.Errorf("reload of mistakes: %d, %q, %q", status, out, stderr)
	}
	check(t, os.Remove(filepath.Join(k.dir, "conf.d/b.yaml")))
	put("tools.d/bell.yaml", "name: bell\n")
	if status, _, stderr = k.ctl(t, "reload"); status != 1 || !strings.Contains(stderr, "bell.yaml") {
		t.Errorf("reload of a bad tool: %d, %q", status, stderr)
	}
	if a := k.ask("good evening"); a.Answer != "It rings." {
		t.Errorf("the tool of before answers %q", a.Answer)
	}
	check(t, os.Remove(filepath.Join(k.dir, "tools.d/bell.yaml")))
	put("conf.d/a.yaml", "audio: {volume: 34}\n")

	told := len(m.messages("RELOADING=1\nMONOTONIC_USEC="))
	for range 200 {
		check(t, k.Process().Signal(syscall.SIGHUP))
	}
	k.await("the last of a storm", func(s Status) bool { return s.Volume == 34 && len(s.Conditions) == 0 })
	m.await("RELOADING=1\nMONOTONIC_USEC=", told+1)
	if again := len(m.messages("RELOADING=1")); told != 4 || again > 150 {
		t.Errorf("%d reloads were told before the storm, and %d after", told, again)
	}
	if a := k.ask("good evening"); a.Answer == "It rings." {
		t.Error("a tool that was taken away answers")
	}
}

func TestConfigurationIsShownAndSetWhileHearthdRuns(t *testing.T) {
	k := newKitchen(t)
	check(t, os.WriteFile(k.ConfigPath(), []byte("audio:\n  volume: 41 # ours\n"), 0o600))
	k.begin()
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"config show --origin audio.volume node", 0, "# " + k.ConfigPath() + ":2"},
		{"config set audio.volume 20", 0, "written to " + filepath.Join(k.dir, "conf.d", "90-set.yaml")},
		{"config set node kitchen", 1, "HEARTHD_NODE, which hearthd was started with"},
		{"config diff --running", 0, "audio.volume: 41 -> 20  # needs a reload\n"},
		{"reload", 0, "changed: audio.volume\n"},
		{"config diff --running", 0, "hearthd runs on what the files say\n"},
		{"config diff", 0, "audio.volume: 20  # default 70, from "},
	} {
		status, out, stderr := k.ctl(t, strings.Fields(c.args)...)
		if status != c.code || !strings.Contains(out+stderr, c.want) {
			t.Errorf("%s: %d, %q, %q", c.args, status, out, stderr)
		}
	}
	if s := k.status(); s.Volume != 20 {
		t.Errorf("volume %d", s.Volume)
	}
}
