package secrets

import (
	"os"
	"path/filepath"
	"testing"
)

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
