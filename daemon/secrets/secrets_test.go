package secrets

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/config"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
)

func TestSecretIsReadFromFileOrCredential(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CREDENTIALS_DIRECTORY", dir)
	path := filepath.Join(dir, "key")
	if err := os.WriteFile(path, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for s, want := range map[config.Secret]string{
		"": "", "file:" + config.Secret(path): "s3cret", "credential:key": "s3cret", "credential:none": "",
	} {
		if got, err := Read(s); got != want || err != nil {
			t.Errorf("Read(%q) = %q, %v", s, got, err)
		}
	}
}

func TestSecretThatCannotBeReadStopsNothingAndIsTold(t *testing.T) {
	d := New(health.New(event.NewBus()), slog.New(slog.DiscardHandler))
	if got := d.Get("file:/none/such"); got != "" {
		t.Errorf("secret %q", got)
	}
	if list := d.conditions.List(); len(list) != 1 || list[0].Code != "secrets" ||
		!strings.Contains(list[0].Text, "/none/such") {
		t.Errorf("conditions %+v", list)
	}
}

func TestSecretThatIsReadOrNotNamedAnyMoreIsToldOfNoLonger(t *testing.T) {
	d := New(health.New(event.NewBus()), slog.New(slog.DiscardHandler))
	path := filepath.Join(t.TempDir(), "key")
	c := config.Default()
	c.Tools.News.Key, c.Tools.Stocks.Key = config.Secret("file:"+path), "file:/none/such"
	for _, s := range c.Secrets() {
		d.Get(s)
	}
	if list := d.conditions.List(); len(list) != 1 || !strings.Contains(list[0].Text, path) ||
		!strings.Contains(list[0].Text, "/none/such") {
		t.Fatalf("conditions %+v", list)
	}
	if err := os.WriteFile(path, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.Get(c.Tools.News.Key)
	if list := d.conditions.List(); len(list) != 1 || strings.Contains(list[0].Text, path) {
		t.Errorf("conditions %+v", list)
	}
	c.Tools.Stocks.Key = ""
	d.Drop(&c)
	if list := d.conditions.List(); len(list) != 0 {
		t.Errorf("conditions %+v", list)
	}
}

func TestSecretIsInNoError(t *testing.T) {
	dir := t.TempDir()
	long := filepath.Join(dir, "long")
	if err := os.WriteFile(long, []byte(strings.Repeat("s3cret", maxSecret)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{long, filepath.Join(dir, "none"), dir} {
		text, err := Read(config.Secret("file:" + path))
		if err == nil || text != "" {
			t.Fatalf("%s: %q, %v", path, text, err)
		}
		if strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), path) {
			t.Errorf("error %q", err)
		}
	}
}

func TestSecretsThatCannotBeReadAreNamedByTheirKeys(t *testing.T) {
	t.Setenv("CREDENTIALS_DIRECTORY", t.TempDir())
	c := config.Default()
	if got := Check(&c); len(got) != 0 {
		t.Errorf("absent credentials: %v", got)
	}
	none := config.Secret("file:" + filepath.Join(t.TempDir(), "none"))
	c.MQTT.Password = none
	c.Thinker.Providers = []config.Provider{{Name: "gpu"}, {Name: "big", Key: none}}
	c.Tools.MCP = []config.MCPServer{{Name: "ha", Secret: none}}
	got := Check(&c)
	for i, key := range []string{"mqtt.password: ", "thinker.providers[1].key: ", "tools.mcp[0].secret: "} {
		if len(got) != 3 || !strings.HasPrefix(got[i].Error(), key) {
			t.Fatalf("%q, want %s", got, key)
		}
	}
}

func TestSecretIsMadeOnceForTheOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "console.token")
	first, err := Made(path)
	if err != nil || len(first) < 26 {
		t.Fatalf("%q, %v", first, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if again, err := Made(path); err != nil || again != first {
		t.Errorf("the second start reads %q, %v", again, err)
	}
	if err := os.WriteFile(path, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Made(path); err == nil {
		t.Errorf("an empty file gives %q", got)
	}
}
