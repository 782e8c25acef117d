package e2e

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// garden declares a tool that asks first, and gives the file that it writes.
func garden(t *testing.T, k *kitchen) (opened string) {
	t.Helper()
	dir := filepath.Join(k.dir, "tools.d")
	opened = filepath.Join(k.dir, "opened")
	check(t, os.Mkdir(dir, 0o700))
	check(t, os.WriteFile(filepath.Join(dir, "garden.yaml"), []byte(`name: garden_water
description: Waters the garden.
parameters: {type: object, additionalProperties: false}
command: [sh, -c, 'echo open >>`+opened+`; echo The garden is wet.']
triggers: [water the garden]
confirm: Shall I water the garden?
trusted: true
`), 0o600))
	return opened
}

func times(t *testing.T, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return 0
	}
	check(t, err)
	return strings.Count(string(text), "open")
}

func TestRiskyToolAsksAndHeedsTheAnswer(t *testing.T) {
	k := newKitchen(t)
	opened := garden(t, k)
	k.begin()
	const question = "Shall I water the garden?"
	for _, c := range []struct {
		answer string
		opens  int
	}{{"no", 0}, {"what time is it", 0}, {"yes", 1}, {"yes", 1}} {
		if c.answer != "yes" || c.opens != times(t, opened) {
			if doc := k.ask("water the garden"); doc.Answer != question || doc.Outcome != "answered" {
				t.Errorf("%+v", doc)
			}
		}
		if c.answer == "yes" {
			k.agree(question)
		} else {
			k.ask(c.answer)
		}
		if n := times(t, opened); n != c.opens {
			t.Errorf("after %q it was opened %d times, want %d", c.answer, n, c.opens)
		}
	}

	status, stdout, stderr := k.ctl(t, "tools", "run", "garden_water")
	if status != 1 || stdout != "" || !strings.Contains(stderr, question) || times(t, opened) != 1 {
		t.Errorf("%d %q %q", status, stdout, stderr)
	}
	status, stdout, stderr = k.ctl(t, "tools", "run", "garden_water", "--yes")
	if status != 0 || strings.TrimSpace(stdout) != "The garden is wet." || times(t, opened) != 2 {
		t.Errorf("%d %q %q", status, stdout, stderr)
	}
	var out struct{ Outcome, Question string }
	check(t, k.Call(t.Context(), http.MethodPost, "/v1/tools/run",
		map[string]any{"name": "garden_water", "confirmed": true, "question": "Shall I water the roof?"}, &out))
	if out.Outcome != "asked" || out.Question != question || times(t, opened) != 2 {
		t.Errorf("a yes to another question: %+v", out)
	}
	if _, stdout, _ = k.ctl(t, "tools", "list"); !strings.Contains(stdout, "garden.yaml, asks first)") || !strings.Contains(stdout, "timer_set: ") {
		t.Errorf("hearthctl lists:\n%s", stdout)
	}
}

func TestRiskyToolIsAnsweredAloud(t *testing.T) {
	k := newKitchen(t)
	opened := garden(t, k)
	k.begin()
	if doc := k.heard("Hey hearth, water the garden."); doc.Answer != "Shall I water the garden?" {
		t.Fatalf("%+v", doc)
	}
	k.moves("listening")
	k.say("Yes.")
	if doc := k.turn("voice"); doc.Answer != "The garden is wet." || times(t, opened) != 1 {
		t.Errorf("%+v, opened %d times", doc, times(t, opened))
	}
}

// The recogniser of the package understands both as well; only the level tells them
// apart.
func TestYesFromTheTelevisionAcrossTheRoomWatersNothing(t *testing.T) {
	k := newKitchen(t)
	opened := garden(t, k)
	k.begin()
	sound := k.synthesise("Yes.")
	far := make([]int16, len(sound))
	for i, v := range sound {
		far[i] = v / 6 // 16 dB
	}
	speak := func(sound []int16) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		check(t, k.room.Speak(ctx, sound))
	}
	if doc := k.heard("Hey hearth, water the garden."); !strings.HasPrefix(doc.Answer, "Shall I water the garden?") {
		t.Fatalf("%+v", doc)
	}
	k.await("the window of the question", func(s Status) bool { return s.State == "listening" })
	speak(far)
	h := k.event("what becomes of it", func(h happening) bool { return h.Type == "ignored" || h.Type == "turn" })
	if h.Reason != "other_voice" {
		t.Errorf("%s %q %q", h.Type, h.Reason, h.Text)
	}
	if n := times(t, opened); n != 0 {
		t.Errorf("the television watered it %d times", n)
	}
	k.await("the window of the question", func(s Status) bool { return s.State == "listening" })
	speak(sound)
	if doc := k.turn("voice"); doc.Answer != "The garden is wet." || times(t, opened) != 1 {
		t.Errorf("%+v", doc)
	}
}
