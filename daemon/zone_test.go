package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestAChangedTimeZoneIsSeenWhenNobodyTalks(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "localtime")
	for _, name := range []string{"Vienna", "UTC"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("UTC", link); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var quiet, seen atomic.Bool
		go func() { seen.Store(zoneChanged(t.Context(), link, quiet.Load)) }()
		quiet.Store(true)
		time.Sleep(time.Hour)
		if synctest.Wait(); seen.Load() {
			t.Error("a zone that stays is taken for another one")
		}
		quiet.Store(false)
		if err := errors.Join(os.Symlink("Vienna", link+".new"), os.Rename(link+".new", link)); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		if synctest.Wait(); seen.Load() {
			t.Error("somebody who talks was cut off")
		}
		quiet.Store(true)
		time.Sleep(zoneLook)
		if synctest.Wait(); !seen.Load() {
			t.Error("the new zone was not seen")
		}
	})
}
