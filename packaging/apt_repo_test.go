package packaging_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// aptRepo makes a repository with one package and a key of its own, as of a time.
func aptRepo(t *testing.T, made time.Time, env ...string) (folder string, out string, err error) {
	t.Helper()
	for _, program := range []string{"gpg", "apt-ftparchive", "dpkg-deb", "apt-get"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	dir, err := os.MkdirTemp("", "apt") // gpg's sockets want a short path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return aptRepoIn(t, dir, made, env...)
}

// aptRepoIn makes it in a folder; with the key that is there, if it makes it again.
func aptRepoIn(t *testing.T, dir string, made time.Time, env ...string) (folder string, out string, err error) {
	t.Helper()
	script := `set -e
cd "$1"; mkdir -p home p/DEBIAN; chmod 700 home
printf 'Package: hearthd\nVersion: 1\nArchitecture: all\nMaintainer: a <a@example.org>\nDescription: a\n' >p/DEBIAN/control
dpkg-deb -b p p.deb >/dev/null
[ -d repo ] || gpg --batch --quiet --passphrase '' --quick-gen-key test@example.org default default never
KEY=$(gpg --batch --list-secret-keys --with-colons | awk -F: '$1 == "fpr" { print $10; exit }')
export KEY
"$2" "$1/repo" "$1/p.deb"; status=$?
gpgconf --kill all
exit $status`
	self, err := filepath.Abs("apt-repo.sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-c", script, "bash", dir, self)
	cmd.Env = append(os.Environ(), "GNUPGHOME="+filepath.Join(dir, "home"), fmt.Sprint("SOURCE_DATE_EPOCH=", made.Unix()))
	cmd.Env = append(cmd.Env, env...)
	text, err := cmd.CombinedOutput()
	return filepath.Join(dir, "repo"), string(text), err
}

// update is apt-get update of nothing but the repository, in folders of its own.
func update(t *testing.T, repo string) (string, error) {
	t.Helper()
	root := filepath.Dir(repo)
	for _, dir := range []string{"state/lists/partial", "cache/archives/partial", "etc"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	list := fmt.Sprintf("deb [signed-by=%s] file://%s stable main\n", filepath.Join(repo, "hearthd.asc"), repo)
	if err := os.WriteFile(filepath.Join(root, "etc", "sources.list"), []byte(list), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "state", "status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	options := []string{
		"Dir::Etc::SourceList=" + root + "/etc/sources.list", "Dir::Etc::SourceParts=/dev/null", "Dir::State=" + root + "/state",
		"Dir::State::Lists=" + root + "/state/lists", "Dir::State::Status=" + root + "/state/status", "Dir::Cache=" + root + "/cache", "APT::Sandbox::User=",
		"Acquire::Check-Valid-Until=true", "Acquire::Check-Date=true", // as they are unless a machine says else
		"APT::Update::Post-Invoke::=true", "APT::Update::Post-Invoke-Success::=true",
	}
	args := []string{"update", "--error-on=any"} // as hearthctl update check --refresh
	for _, o := range options {
		args = append(args, "-o", o)
	}
	cmd := exec.Command("apt-get", args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestAptRefusesARepositoryWhoseTimeIsOver(t *testing.T) {
	repo, out, err := aptRepo(t, time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got, err := update(t, repo); err != nil {
		t.Errorf("a fresh one: %v: %s", err, got)
	}
	if repo, out, err = aptRepo(t, time.Now().Add(-61*24*time.Hour)); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got, err := update(t, repo); err == nil || !strings.Contains(got, "expired") {
		t.Errorf("one of 61 days ago: %v: %s", err, got)
	}
	if repo, out, err = aptRepo(t, time.Now().Add(-61*24*time.Hour), "DAYS=90"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got, err := update(t, repo); err != nil {
		t.Errorf("one for 90 days: %v: %s", err, got)
	}
	for _, days := range []string{"0", "367", "-1", "a", "1000"} {
		cmd := exec.Command("./apt-repo.sh")
		cmd.Env = append(os.Environ(), "KEY=none", "DAYS="+days)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "must be 1 to 366") {
			t.Errorf("DAYS=%s: %v: %s", days, err, out)
		}
	}
}

// A machine that knows a repository is not led back by one of before, nor elsewhere by another key.
func TestAptRefusesAnotherKeyAndKeepsWhatItKnowsOverAnOlderRepository(t *testing.T) {
	repo, out, err := aptRepo(t, time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got, err := update(t, repo); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	known := func() string {
		t.Helper()
		lists, err := filepath.Glob(filepath.Join(filepath.Dir(repo), "state/lists/*InRelease"))
		if err != nil || len(lists) != 1 {
			t.Fatalf("%q, %v", lists, err)
		}
		text, err := os.ReadFile(lists[0])
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	before := known()
	if _, out, err = aptRepoIn(t, filepath.Dir(repo), time.Now().Add(-48*time.Hour)); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got, err := update(t, repo); err != nil || known() != before {
		t.Errorf("an older repository: %v: %s", err, got)
	}
	other, out, err := aptRepo(t, time.Now())
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// Whoever has the server has the key that lies there too: the machine has its own.
	if err := errors.Join(os.RemoveAll(filepath.Join(repo, "dists")),
		os.Rename(filepath.Join(other, "dists"), filepath.Join(repo, "dists"))); err != nil {
		t.Fatal(err)
	}
	got, err := update(t, repo)
	if err == nil || known() != before || !strings.Contains(got, "NO_PUBKEY") && !strings.Contains(got, "Missing key") {
		t.Errorf("another key: %v: %s", err, got)
	}
}
