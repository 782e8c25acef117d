package wallclock

import (
	"os"
	"path/filepath"
	"testing"
)

func TestBootHasItsOwnNumber(t *testing.T) {
	root := t.TempDir()
	number := func() int64 {
		id, since := NewBoot(root).Since()
		if since <= 0 {
			t.Errorf("since %v", since)
		}
		return id
	}
	if id := number(); id != 0 {
		t.Errorf("a boot without a name is %d", id)
	}
	const name = "9c3a1cad-e8de-479b-ac46-2013ce8220a4"
	path := filepath.Join(root, "proc/sys/kernel/random/boot_id")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(name+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	first := number()
	t.Setenv("BOOT_ID", "9c3a1cade8de479bac462013ce8220a4") // as systemd writes it
	if id := number(); id == 0 || id != first {
		t.Errorf("the same boot is %d and %d", first, id)
	}
	t.Setenv("BOOT_ID", "another")
	if id := number(); id == 0 || id == first {
		t.Errorf("another boot is %d too", id)
	}
}
