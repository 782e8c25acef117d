package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHookRunsOnWhatHappens(t *testing.T) {
	k := newKitchen(t)
	file := filepath.Join(k.dir, "hooked")
	k.begin(`HEARTHD_HOOKS=[{on: [volume], command: [sh, -c, 'cat >"$0.part"; mv "$0.part" "$0"', ` + file + `]}]`)
	k.post("/v1/volume", map[string]int{"percent": 42})
	var text []byte
	k.until("a hook that ran", func() bool {
		text, _ = os.ReadFile(file)
		return len(text) > 0
	})
	if !strings.Contains(string(text), `"percent":42`) || !strings.HasSuffix(string(text), "}\n") {
		t.Errorf("the hook was given %q", text)
	}
}
