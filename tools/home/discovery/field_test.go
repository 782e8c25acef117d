package discovery

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/tools/home"
)

// sighting is one entity of the files in testdata/field, which were written from
// the sources of those who publish and from Home Assistant's own tests:
//
//	# what it is
//	doc TOPIC DOCUMENT        one or more
//	is KIND NAME              what it becomes
//	hear TOPIC PAYLOAD        what the device says
//	state KEY=VALUE …         what is known by then
//	send KEY=VALUE … -> TOPIC PAYLOAD [&& TOPIC PAYLOAD]
//
// A value is a number, a colour or a word, whose spaces are written as ·; what begins
// with ' is a word, and - that nothing is known.
type sighting struct {
	title string
	lines []string
}

func sightings(t testing.TB, file string) (out []sighting) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxDocument)
	for lines.Scan() {
		text := strings.TrimSpace(lines.Text())
		if title, is := strings.CutPrefix(text, "# "); is {
			out = append(out, sighting{title: title})
		} else if text != "" {
			out[len(out)-1].lines = append(out[len(out)-1].lines, text)
		}
	}
	return out
}

func TestTheFieldIsUnderstood(t *testing.T) {
	files, err := filepath.Glob("testdata/field/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		for _, s := range sightings(t, file) {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+s.title, func(t *testing.T) { s.check(t) })
		}
	}
}

func (s sighting) check(t *testing.T) {
	h, b := newHub(t)
	var id string
	for _, line := range s.lines {
		verb, rest, _ := strings.Cut(line, " ")
		topic, payload, _ := strings.Cut(rest, " ")
		switch verb {
		case "doc", "hear":
			hear(h, topic, []byte(payload))
		case "none":
			if n := len(h.Entities()); n > 0 || len(h.Skipped()) > 0 {
				t.Fatalf("%d entities; skipped %q", n, h.Skipped())
			}
		case "is":
			id = ""
			var seen []string
			for _, e := range h.Entities() {
				seen = append(seen, string(e.Kind)+" "+e.Spoken())
				if string(e.Kind) == topic && e.Spoken() == payload {
					id = e.ID
				}
			}
			if id == "" {
				t.Fatalf("%s %s is not among %q; skipped %q", topic, payload, seen, h.Skipped())
			}
		case "state":
			e, _ := h.Entity(id)
			for k, want := range values(t, rest) {
				if got := e.State[k]; !same(want, got) {
					t.Errorf("%s is %v, not %v (of %v)", k, got, want, e.State)
				}
			}
		case "offline":
			if e, _ := h.Entity(id); !e.Offline {
				t.Error("it is not offline")
			}
		case "online":
			if e, _ := h.Entity(id); e.Offline {
				t.Error("it is offline")
			}
		case "send":
			want, messages, _ := strings.Cut(rest, " -> ")
			b.taken()
			if err := h.Send(t.Context(), id, values(t, want)); err != nil {
				t.Errorf("send %s: %v", want, err)
			}
			sent := b.taken()
			parts := strings.Split(messages, " && ")
			if len(sent) != len(parts) {
				t.Errorf("%s sends %q, not %q", want, sent, parts)
				continue
			}
			for i := range parts {
				if !sameMessage(parts[i], sent[i]) {
					t.Errorf("%s sends %q, not %q", want, sent[i], parts[i])
				}
			}
		default:
			t.Fatalf("the line %q", line)
		}
	}
}

func values(t *testing.T, text string) home.State {
	out := home.State{}
	for _, w := range strings.Fields(text) {
		k, v, _ := strings.Cut(w, "=")
		v = strings.ReplaceAll(v, "·", " ")
		key := home.Key(k)
		if word, is := strings.CutPrefix(v, "'"); is {
			out[key] = word
		} else if f, err := strconv.ParseFloat(v, 64); err == nil {
			out[key] = f
		} else if n, err := strconv.ParseUint(strings.TrimPrefix(v, "#"), 16, 24); err == nil && strings.HasPrefix(v, "#") {
			out[key] = home.Color{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n)}
		} else if v == "-" {
			out[key] = nil
		} else {
			out[key] = v
		}
	}
	if len(out) == 0 {
		t.Fatalf("no values in %q", text)
	}
	return out
}

// same compares what is known; numbers by half of a percent, colours by what an
// eye sees.
func same(want, got any) bool {
	switch w := want.(type) {
	case float64:
		g, ok := got.(float64)
		return ok && math.Abs(w-g) <= max(0.5, math.Abs(w)/200)
	case home.Color:
		g, ok := got.(home.Color)
		d := func(a, b uint8) bool { return math.Abs(float64(a)-float64(b)) < 12 }
		return ok && d(w.R, g.R) && d(w.G, g.G) && d(w.B, g.B)
	}
	return want == got
}

func sameMessage(want, got string) bool {
	wt, wp, _ := strings.Cut(want, " ")
	gt, gp, _ := strings.Cut(got, " ")
	var w, g any
	if strings.HasPrefix(wp, "{") && json.Unmarshal([]byte(wp), &w) == nil && json.Unmarshal([]byte(gp), &g) == nil {
		return wt == gt && cmp.Equal(w, g)
	}
	return wt == gt && wp == gp
}
