// Package packaging_test checks what a newcomer and the Debian package rely on:
// the dependency script, the changelog, and the man page of the configuration.
package packaging_test

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"hearthd/tools/intent"
)

// machine is a PATH on which the programs behave as the test says.
func machine(t *testing.T, programs map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{"go": ""}
	maps.Copy(all, programs)
	for name, body := range all {
		if body == absent {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"bash", "env"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// absent is the body of a program that a machine lacks.
const absent = "absent"

// deps runs deps.sh on a machine and returns what it printed.
func deps(t *testing.T, path string, target ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(filepath.Join(path, "bash"), append([]string{"deps.sh"}, target...)...)
	cmd.Env = []string{"PATH=" + path}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

const (
	allInstalled = `echo installed`
	noPocket     = `case "$*" in *pocketsphinx) exit 1;; *) echo installed;; esac`
	dpkgAMD64    = `echo amd64`
)

func TestDepsDoesNothingWhenAllIsThere(t *testing.T) {
	path := machine(t, map[string]string{"dpkg": dpkgAMD64, "dpkg-query": allInstalled})
	for _, target := range []string{"build", "demo", "test", "lint", "deb"} {
		if out, err := deps(t, path, target); out != "" || err != nil {
			t.Errorf("%s: %q, %v", target, out, err)
		}
	}
}

func TestDepsInstallsAsRootAndSaysWhat(t *testing.T) {
	path := machine(t, map[string]string{
		"dpkg": dpkgAMD64, "dpkg-query": noPocket,
		"id": "echo 0", "apt-get": `echo "apt-get $*"`,
	})
	out, err := deps(t, path, "demo")
	want := `Installing Debian packages: pocketsphinx
apt-get update -q
apt-get install -q -y --no-install-recommends pocketsphinx
`
	if diff := cmp.Diff(want, out); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestDepsPrintsTheLineWithoutRights(t *testing.T) {
	for name, programs := range map[string]map[string]string{
		"no sudo":         {},
		"sudo says no":    {"sudo": "exit 1"},
		"sudo not wanted": {"sudo": `[ "$1" = -n ] && exit 1; echo "asked for a password"`},
	} {
		programs["dpkg"], programs["dpkg-query"], programs["id"] = dpkgAMD64, noPocket, "echo 1000"
		out, err := deps(t, machine(t, programs), "demo")
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if !strings.HasSuffix(out, "\n  apt-get update && apt-get install -y --no-install-recommends pocketsphinx\n") {
			t.Errorf("%s: printed %q", name, out)
		}
	}
}

func TestDepsFailsWhenAptDoes(t *testing.T) {
	path := machine(t, map[string]string{
		"dpkg": dpkgAMD64, "dpkg-query": noPocket, "id": "echo 0", "apt-get": `exit 100`,
	})
	if out, err := deps(t, path, "test"); err == nil {
		t.Errorf("no error; printed %q", out)
	}
}

// Without Go, hundreds of megabytes were fetched before anybody said that it is missing.
func TestDepsInstallsGoWhereThereIsNone(t *testing.T) {
	none := map[string]string{"go": absent, "dpkg": dpkgAMD64, "dpkg-query": `case "$*" in *golang-go) exit 1;; *base-files) ` +
		`echo 13.2;; *) echo installed;; esac`, "id": "echo 0", "apt-get": `echo "apt-get $*"`}
	if out, err := deps(t, machine(t, none), "demo"); err != nil || !strings.Contains(out, "Installing Debian packages: golang-go\n") {
		t.Errorf("%q, %v", out, err)
	}
	none["dpkg-query"] = `case "$*" in *base-files) echo 12.4+deb12u11;; *) echo installed;; esac`
	if out, err := deps(t, machine(t, none), "demo"); err == nil || !strings.Contains(out, "go.dev/dl") {
		t.Errorf("%q, %v", out, err)
	}
}

func TestDepsInstallsTheCrossCompilersThatAreAskedFor(t *testing.T) {
	path := machine(t, map[string]string{"dpkg": dpkgAMD64, "dpkg-query": `case "$*" in *cross) exit 1;; *) echo installed;; esac`,
		"id": "echo 0", "apt-get": `echo "apt-get $*"`})
	for arch, want := range map[string]string{"amd64": "", "arm64": "libc6-dev-arm64-cross\n", "": "libc6-dev-arm64-cross libc6-dev-armhf-cross\n"} {
		out, err := deps(t, path, strings.Fields("deb "+arch)...)
		if err != nil || (want == "") != (out == "") || !strings.Contains(out, want) {
			t.Errorf("%s: %q, %v", arch, out, err)
		}
	}
}

func TestDepsNamesTheProgramsOnAnotherSystem(t *testing.T) {
	out, err := deps(t, machine(t, nil), "build")
	if err == nil || !strings.Contains(out, "not Debian") || !strings.Contains(out, "gcc") {
		t.Errorf("printed %q, %v", out, err)
	}
}

func TestChangelogBecomesADebianOne(t *testing.T) {
	cmd := exec.Command("./changelog.sh", "0.1.0~1", "A B <a@b.org>")
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1795132800")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(out), "\n -- ")
	head, body, _ := strings.Cut(first, "\n\n")
	if head != "hearthd (0.1.0~1) unstable; urgency=medium" {
		t.Errorf("first line is %q", head)
	}
	for line := range strings.Lines(body) {
		if line != "\n" && !strings.HasPrefix(line, "  ") {
			t.Errorf("line %q is not indented", line)
		}
	}
	trailer := regexp.MustCompile(`(?m)^ -- A B <a@b\.org>  [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000$`)
	if !trailer.Match(out) {
		t.Errorf("no trailer in %q", out)
	}
}

// TestManPageNamesEveryKey reads the shipped file, which config compares with
// its own keys.
func TestManPageNamesEveryKey(t *testing.T) {
	text, err := os.ReadFile("../config/hearthd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("man/hearthd.yaml.5")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), ".Sh KEYS\n")
	section, _, _ = strings.Cut(section, "\n.Sh ")
	documented := make(map[string]bool)
	for _, line := range regexp.MustCompile(`(?m)^\.It Sy (.*)$`).FindAllStringSubmatch(section, -1) {
		for key := range strings.SplitSeq(line[1], " , ") {
			documented[key] = true
		}
	}
	if diff := cmp.Diff(keys(string(text)), documented); diff != "" {
		t.Errorf("hearthd.yaml (-) and hearthd.yaml.5 (+) differ:\n%s", diff)
	}
}

// keys are the paths of the scalars and lists in a YAML text of nested maps,
// indented by two.
func keys(text string) map[string]bool {
	found := make(map[string]bool)
	var path []string
	entry := regexp.MustCompile(`(?m)^( *)([a-z0-9_]+):(.*)$(?:\n( *- ))?`)
	for _, m := range entry.FindAllStringSubmatch(text, -1) {
		path = append(path[:len(m[1])/2], m[2])
		if m[3] != "" || m[4] != "" { // a value, or a list
			found[strings.Join(path, ".")] = true
		}
	}
	return found
}

// What a package brings for the machine, such as the right to set its lights, comes with
// make install too, and make uninstall takes it away.
func TestMakeInstallLeavesNothingOfTheMachineOut(t *testing.T) {
	for _, target := range []string{"install", "uninstall"} {
		out, err := exec.CommandContext(t.Context(), "make", "-C", "..", "-n", target, "DESTDIR=/nowhere").CombinedOutput()
		if err != nil {
			t.Fatalf("make -n %s: %v: %s", target, err, out)
		}
		for _, file := range []string{
			"systemd/system/hearthd.service", "systemd/system/hearthd.socket", "systemd/system/hearth-speech.service",
			"systemd/system/hearth-speech.socket", "systemd/system/hearth-speech-install.service",
			"systemd/system/hearth-speech-install.path", "sysusers.d/hearthd.conf",
			"tmpfiles.d/hearthd.conf", "catalog/hearthd.catalog", "udev/rules.d/70-hearthd.rules",
		} {
			if !strings.Contains(string(out), "/nowhere/etc/"+file) && !strings.Contains(string(out), "/nowhere/usr/lib/systemd/"+file) {
				t.Errorf("make %s leaves %s out", target, file)
			}
		}
	}
}

// An older hearthd may not read what a newer one has left, and dpkg can refuse before anything is changed.
func TestAnOlderPackageIsRefusedWithTheWayBack(t *testing.T) {
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip(err)
	}
	const kept = "/var/lib/hearthd/hearthd.db.kept-1.backup"
	refused := func(older string) string {
		return "hearthd " + older + " is older than 2, which is installed, and may not read its memory and configuration: " +
			"nothing was changed.\nTo go back all the same: apt remove hearthd, which keeps both, and install " + older +
			"; no backup by " + older + " is here.\n"
	}
	script, err := os.ReadFile("scripts/preinst")
	if err != nil {
		t.Fatal(err)
	}
	own := t.TempDir() // a way back is there
	back := filepath.Join(own, "hearthd.db.kept-1.backup")
	if err := os.WriteFile(back, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("/bin/sh", "-c", strings.ReplaceAll(string(script), "/var/lib/hearthd", own), "preinst",
		"upgrade", "2", "1").CombinedOutput()
	if way := "\n    systemctl stop hearthd.socket; hearthctl restore " + back + "; systemctl start hearthd\n"; err == nil ||
		!strings.HasSuffix(string(out), way) { // to be copied as it is
		t.Errorf("%v: %s", err, out)
	}
	for _, c := range []struct {
		args, backup, want string
		refused            bool
	}{
		{args: "upgrade 2 1", refused: true, want: refused("1")},
		{args: "upgrade 2 2~1", refused: true, want: refused("2~1")},
		{args: "install 2 1", want: "hearthd 1 is older than 2, which was here; no backup by 1 is here.\n"},
		{args: "upgrade 1 2", backup: "echo \"$*\" >&2", want: "backup --force " + kept + "\n" +
			"chown --no-dereference --reference=/var/lib/hearthd " + kept + "\n" +
			"find /var/lib/hearthd -maxdepth 1 -name hearthd.db.kept-*.backup ! -name hearthd.db.kept-1.backup -delete\n"},
		{args: "upgrade 1 2", backup: "exit 1", want: "hearthd: no backup was made before the upgrade; it goes on.\n"},
		{args: "upgrade 1 1"}, {args: "install"}, {args: "abort-upgrade 2 1"},
	} {
		dir := machine(t, map[string]string{"hearthctl": c.backup, "find": `echo "find $*" >&2`,
			"chown": `echo "chown $*" >&2`})
		cmd := exec.Command("/bin/sh", append([]string{"scripts/preinst"}, strings.Fields(c.args)...)...)
		cmd.Env = []string{"PATH=" + dir + ":/usr/sbin:/usr/bin:/sbin:/bin"}
		out, err := cmd.CombinedOutput()
		if diff := cmp.Diff(c.want, string(out)); diff != "" || (err != nil) != c.refused {
			t.Errorf("%s: %v\n%s", c.args, err, diff)
		}
	}
}

// A package that is half written is not one that apt could be given.
func TestAPackageHasItsNameWhenItIsWhole(t *testing.T) {
	root := t.TempDir()
	text, err := os.ReadFile("deb.sh")
	if err != nil {
		t.Fatal(err)
	}
	stub := []byte("#!/bin/sh\necho 1\n")
	for name, text := range map[string][]byte{"deb.sh": text, "version.sh": stub, "copyright.sh": stub,
		"changelog.sh": stub, "man/hearthd.8": nil, "man/hearth-speech.8": nil, "man/hearthd.yaml.5": nil} {
		path := filepath.Join(root, "packaging", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	// What go builds is one program, which makes the man pages and packs: hearthctl and nfpm.
	const made = `case $1 in gen-man) mkdir -p "$2"; : >"$2/hearthctl.1";; package) ls dist; : >"$7"; ls dist;; esac`
	path := machine(t, map[string]string{"git": "echo 1", "gcc": "", "x86_64-linux-gnu-gcc": "",
		"go": `while [ $# -gt 1 ] && [ "$1" != -o ]; do shift; done
case $2 in *?/) exit;; esac
[ "$1" != -o ] || { mkdir -p "${2%/*}"; printf '%s\n' '#!/bin/sh' '` + made + `' >"$2"; chmod +x "$2"; }`})
	cmd := exec.Command("bash", filepath.Join(root, "packaging", "deb.sh"), "amd64")
	cmd.Env = []string{"PATH=" + path + ":/usr/bin:/bin", "TMPDIR=" + t.TempDir()}
	out, err := cmd.CombinedOutput()
	if !strings.HasSuffix(string(out), "…\nhearthd_1_amd64.deb.part\n") || err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if made, err := filepath.Glob(filepath.Join(root, "dist", "*")); len(made) != 1 ||
		filepath.Base(made[0]) != "hearthd_1_amd64.deb" {
		t.Errorf("%v, %v", made, err)
	}
}

// Who installs it for the first time is told what comes next; an upgrade is silent.
func TestANewPackageNamesTheNextStep(t *testing.T) {
	quiet := map[string]string{"systemd-sysusers": "", "systemd-tmpfiles": "", "udevadm": "", "deb-systemd-helper": "",
		"deb-systemd-invoke": "", "systemctl": ""}
	for args, want := range map[string]string{
		"configure":   "hearthd is installed. What it needs to know of this box is asked by: sudo hearthctl setup\n",
		"configure 1": "",
	} {
		cmd := exec.Command("/bin/sh", append([]string{"scripts/postinst"}, strings.Fields(args)...)...)
		cmd.Env = []string{"PATH=" + machine(t, quiet) + ":/usr/bin:/bin"}
		out, err := cmd.CombinedOutput()
		if diff := cmp.Diff(want, string(out)); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", args, err, diff)
		}
	}
}

// Debian 12 has systemd 252, and warns at each start of what it does not know.
func TestUnitsHaveNothingThatDebian12WarnsOf(t *testing.T) {
	units, err := filepath.Glob("../systemd/*.service")
	if err != nil || len(units) == 0 {
		t.Fatal(units, err)
	}
	newer := regexp.MustCompile(`(?m)^(RestartSteps|RestartMaxDelaySec|RestartMode|FileDescriptorStorePreserve|MemoryZSwapMax|OpenFile)=`)
	for _, unit := range units {
		text, err := os.ReadFile(unit)
		if found := newer.Find(text); err != nil || found != nil {
			t.Errorf("%s: %v: %s", unit, err, found)
		}
	}
}

// Whoever writes a sentence of their own begins with what the guide shows.
func TestTheExampleOfTheGuideIsUnderstood(t *testing.T) {
	text, err := os.ReadFile("guide/sentences.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("there is no example")
	}
	m, err := intent.New(intent.Options{Language: "en", Extra: fstest.MapFS{"mine.yaml": {Data: []byte(example)}}})
	if err != nil {
		t.Fatal(err)
	}
	if wrong := append(m.CheckExamples(), m.Mistakes()...); len(wrong) > 0 {
		t.Errorf("%v", wrong)
	}
	if n := strings.Count(example, "examples:"); n < 3 {
		t.Errorf("%d examples were checked", n)
	}
	if got, ok := m.Match("eggs for six minutes"); !ok || string(got.Call.Arguments) != `{"duration_s":360,"label":"egg"}` {
		t.Errorf("%+v, %v", got, ok)
	}
}
