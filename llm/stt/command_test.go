package stt

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func newCommand(t *testing.T, o CommandOptions) *Command {
	t.Helper()
	e, err := NewCommand(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestCommandGetsAWAVOnItsInputOrAsAFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, tc := range []struct {
		input string
		argv  []string
	}{
		// The header of a WAV of one frame, by its tags and its size.
		{"", []string{"sh", "-c", `wav=$(tr -d '\0' | head -c 200 | tr -dc A-Z); echo $wav | cut -c1-8`}},
		{inputFile, []string{"sh", "-c",
			`head -c 12 "$1" | tr -dc A-Z; case $1 in *.wav) ;; *) exit 1;; esac; test $(wc -c < "$1") = 684`,
			"sh", "{file}"}},
	} {
		s, _ := speak(t, t.Context(), newCommand(t, CommandOptions{Argv: tc.argv, Input: tc.input}), 1)
		got, err := s.Finish(t.Context())
		if err != nil || got.Text != "RIFFWAVE" {
			t.Errorf("input %q: got %+v, %v", tc.input, got, err)
		}
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestCommandThatFailsIsAnError(t *testing.T) {
	for name, tc := range map[string]struct {
		argv []string
		want string
	}{
		"missing":  {[]string{"hearthd-no-such-program"}, "executable file not found"},
		"fails":    {[]string{"sh", "-c", "echo half; echo no model >&2; exit 1"}, "exit status 1: no model"},
		"endless":  {[]string{"yes"}, "longer than"},
		"hangs":    {[]string{"sleep", "1000"}, "no transcript in time"},
		"deaf":     {[]string{"sh", "-c", "exec <&-; sleep 1000"}, "no transcript in time"},
		"lingers":  {[]string{"sh", "-c", "echo x; exec >&-; sleep 1000"}, "no transcript in time"},
		"detaches": {[]string{"sh", "-c", "setsid sleep 3 & sleep 1000"}, "no transcript in time"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newCommand(t, CommandOptions{Argv: tc.argv})
			e.timeout = patience(tc.want)
			s, _ := speak(t, t.Context(), e, 100)
			got, err := s.Finish(t.Context())
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %+v, %v, want an error with %q", got, err, tc.want)
			}
		})
	}
}

func TestCommandEndsWithTheUtterance(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, _ := speak(t, ctx, newCommand(t, CommandOptions{Argv: []string{"sleep", "1000"}}), 1)
	time.AfterFunc(time.Millisecond, cancel)
	if _, err := s.Finish(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestNewCommandRefusesBadOptions(t *testing.T) {
	for _, o := range []CommandOptions{
		{}, {Argv: []string{"./x"}}, {Argv: []string{"x"}, Input: "pipe"},
		{Argv: []string{"x"}, Input: inputFile}, {Argv: []string{"x", "{file}"}},
	} {
		if _, err := NewCommand(o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}
