package remote

import (
	"errors"
	"iter"
	"math"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearthd/llm/wyoming"
)

// shy is a server that hears a phrase in talk whose loudest sample, in hundredths, is not below the cutoff. It
// refuses "küche".
func shy(t *testing.T) (address string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serve(t, wyoming.NewConn(c)) // one after the other, as Tune connects
		}
	}()
	return "unix:" + path
}

func serve(t *testing.T, c *wyoming.Conn) {
	defer c.Close()
	cutoff, name := 0.0, ""
	for {
		e, err := c.Receive(t.Context())
		if err != nil {
			return
		}
		var answer wyoming.Event
		switch e.Type {
		case wyoming.Detect:
			var w wyoming.Words
			if err := e.Decode(&w); err != nil {
				t.Error(err)
			}
			name = w.Names[0]
			cutoff = w.Context.Cutoffs[name]
			if name != "küche" {
				continue
			}
			answer, err = wyoming.NewEvent(wyoming.Error, wyoming.Complaint{Text: "cannot write it"})
		case wyoming.AudioChunk:
			if len(e.Payload) == 0 || float64(e.Payload[0])/100 < cutoff {
				continue
			}
			answer, err = wyoming.NewEvent(wyoming.Detection, wyoming.Detected{Name: name})
		case "ping":
			answer.Type = "pong"
		default:
			continue
		}
		if err != nil || c.Send(t.Context(), answer) != nil {
			return
		}
	}
}

// minutes is talk of a minute each, whose samples are these.
func minutes(values ...int16) iter.Seq2[Talk, error] {
	return func(yield func(Talk, error) bool) {
		for _, v := range values {
			if v < 0 {
				yield(Talk{}, errors.New("the microphone is gone"))
				return
			}
			if !yield(Talk{Samples: []int16{v, v}, Speech: time.Minute}, nil) {
				return
			}
		}
	}
}

func TestCutoffIsAboveAllTalk(t *testing.T) {
	address := shy(t)
	for name, tc := range map[string]struct {
		phrase string
		talk   []int16
		cutoff float64
		alarms int
		err    string
	}{
		"nothing sounds like it":  {"hey kitchen", []int16{10, 20, 5}, 0.25, 0, ""},
		"some of it does":         {"hey kitchen", []int16{10, 37, 20}, 0.45, 3, ""},
		"and more of it":          {"hey kitchen", []int16{30, 10, 52}, 0.6, 6, ""},
		"what comes later counts": {"hey kitchen", []int16{1, 1, 1, 90}, 0.25, 0, ""},
		"all of it does":          {"hey kitchen", []int16{10, 95, 20}, 0, 14, "choose a longer one"},
		"there is too little":     {"hey kitchen", []int16{10, 37}, 0, 3, "there were 2m0s"},
		"it breaks off":           {"hey kitchen", []int16{10, -1}, 0, 0, "microphone is gone"},
		"it cannot be written":    {"küche", []int16{10}, 0, 0, "cannot write it"},
	} {
		told := 0
		got, err := Tune(t.Context(), address, tc.phrase, 3*time.Minute, minutes(tc.talk...), func(Tuned) { told++ })
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) || got.Alarms != tc.alarms {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
			continue
		}
		if err != nil || math.Abs(got.Cutoff-tc.cutoff) > 1e-9 || got.Alarms != tc.alarms || got.Talk != 3*time.Minute || told != 3 {
			t.Errorf("%s: %+v, %v, told %d times", name, got, err, told)
		}
	}
	if _, err := Tune(t.Context(), "unix:/nobody", "x", time.Minute, minutes(1), func(Tuned) {}); err == nil {
		t.Error("without a server")
	}
}
