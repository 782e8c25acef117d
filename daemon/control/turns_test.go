package control

import (
	"strings"
	"testing"

	"hearthd/audio"
	"hearthd/daemon/timeline"
)

// recorded is a rig with the sounds of turns 3, 4 and 5.
func recorded(t *testing.T) *rig {
	t.Helper()
	var s timeline.Sounds
	s.Limit(5)
	for turn := uint64(3); turn <= 5; turn++ {
		s.Keep(turn, []int16{100, -200, int16(turn)})
	}
	return onSocket(t, func(o *Options) { o.Sounds = &s })
}

func TestRecordingIsAWAVFile(t *testing.T) {
	code, body := recorded(t).do("GET", "/v1/turns/4/sound", "")
	if code != 200 {
		t.Fatalf("%d: %s", code, body)
	}
	w, err := audio.NewWAVReader(strings.NewReader(body), audio.WAVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := w.ReadAll()
	if err != nil || c.Rate != audio.Rate || len(c.Samples) != 3 || c.Samples[2] != 4 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestRecordingsAreErasedOneAndAll(t *testing.T) {
	r := recorded(t)
	for _, step := range []struct {
		method, path, body string
		code               int
		answer             string
	}{
		{"POST", "/v1/turns/erase", `{}`, 400, `{"error":"want a turn, or all"}`},
		{"POST", "/v1/turns/erase", `{"turn":4,"all":true}`, 400, `{"error":"want a turn, or all"}`},
		{"POST", "/v1/turns/erase", `{"turn":4}`, 200, `{"erased":1}`},
		{"GET", "/v1/turns/4/sound", "", 404, `{"error":"nothing is recorded of this turn"}`},
		{"POST", "/v1/turns/erase", `{"all":true}`, 200, `{"erased":2}`},
		{"GET", "/v1/turns/3/sound", "", 404, `{"error":"nothing is recorded of this turn"}`},
		{"GET", "/v1/turns/x/sound", "", 400, `{"error":"want the id of a turn"}`},
	} {
		if code, answer := r.do(step.method, step.path, step.body); code != step.code || answer != step.answer {
			t.Errorf("%s %s %s: %d %s", step.method, step.path, step.body, code, answer)
		}
	}
}
