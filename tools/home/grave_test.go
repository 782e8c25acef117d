package home

import (
	"encoding/json"
	"testing"
)

func TestWhatOpensOrIsForTheWholeHouseIsGrave(t *testing.T) {
	for args, want := range map[string]bool{
		`{"action":"open","name":"kitchen blinds"}`:                 true,
		`{"action":"unlock","name":"front door"}`:                   true,
		`{"action":"off","name":"lights","which":"all"}`:            true,
		`{"action":"off","name":"lights","which":"all","area":"x"}`: false,
		`{"action":"off","name":"kitchen light"}`:                   false,
		`{"action":"close","name":"kitchen blinds"}`:                false,
	} {
		if got := grave(json.RawMessage(args)); got != want {
			t.Errorf("%s: %v", args, got)
		}
	}
}
