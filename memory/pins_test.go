package memory

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPinsOfToolsOutliveARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hearthd.db")
	s := openAt(t, path)
	for _, pins := range []map[string]string{{"oven": "1", "bread": "2"}, {"oven": "3"}} {
		if err := s.PinTools(t.Context(), "bakery", pins); err != nil {
			t.Fatal(err)
		}
	}
	s = openAt(t, path)
	for server, want := range map[string]map[string]string{"bakery": {"oven": "3", "bread": "2"}, "other": {}} {
		got, err := s.ToolPins(t.Context(), server)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %s %v", server, diff, err)
		}
	}
}
