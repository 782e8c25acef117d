package daemon

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearthd/config"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/recall"
	"hearthd/rigs/memorytest"
	"hearthd/tools"
	"hearthd/tools/knowledge"
	"hearthd/tools/phrase"
)

func TestTheToolOfDocumentsIsOfferedWhileThereAreSome(t *testing.T) {
	dir := t.TempDir()
	store := memorytest.Open(t)
	cfg := config.Default()
	d := &base{cfg: &cfg, log: slog.New(slog.DiscardHandler), opt: Options{StateDir: dir}}
	bus := event.NewBus()
	d.conditions = health.New(bus)
	r := tools.NewRegistry(phrase.English())
	old := time.Now().Add(-time.Hour)
	for name, text := range map[string]string{"bad.pdf": "no", "boiler.md": "Bleed the radiators in autumn."} {
		path := filepath.Join(dir, "knowledge", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	parts, err := d.buildKnowledge(r, store, recall.New(recall.Options{}), func() bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	told := bus.Subscribe("test", 8)
	defer told.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		select {
		case <-told.C(): // of the file that cannot be read, when the folder was looked at
			cancel()
		case <-ctx.Done():
		}
	}()
	if err := parts[0].Run(ctx); err != nil {
		t.Fatal(err)
	}
	if !r.Has(knowledge.ToolName) {
		t.Error("the tool is not offered")
	}
	conditions := d.conditions.List()
	if len(conditions) != 1 || !strings.Contains(conditions[0].Text, "bad.pdf: it is no PDF") {
		t.Errorf("%+v", conditions)
	}
}

func TestAFolderOfDocumentsThatIsNotThereIsTold(t *testing.T) {
	d := &base{conditions: health.New(event.NewBus())}
	d.documentsUnread(knowledge.Status{Missing: true})
	if list := d.conditions.List(); len(list) != 1 || !strings.Contains(list[0].Text, "tools.knowledge.dir") {
		t.Errorf("%+v", list)
	}
	d.documentsUnread(knowledge.Status{})
	if list := d.conditions.List(); len(list) != 0 {
		t.Errorf("it is back: %+v", list)
	}
}

func TestTheZoneOfTheMachineGetsItsName(t *testing.T) {
	link := filepath.Join(t.TempDir(), "localtime")
	if err := os.Symlink("/usr/share/zoneinfo/Europe/Vienna", link); err != nil {
		t.Fatal(err)
	}
	if got := named(time.Local, link).String(); got != "Europe/Vienna" && got != "Local" { // Local: no tzdata here
		t.Errorf("named %q", got)
	}
	if got := named(time.Local, link+"x"); got != time.Local {
		t.Errorf("without a link: %v", got)
	}
	if got := named(time.UTC, link); got != time.UTC {
		t.Errorf("one that is configured: %v", got)
	}
}
