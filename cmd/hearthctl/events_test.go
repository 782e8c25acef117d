package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
)

const streamBody = ": hearthd\n\n" +
	`data: {"type":"state","seq":1,"time":"2026-11-20T19:30:00.25+01:00","session":7,"turn":7,"from":"idle","to":"listening"}` + "\n\n: \n\n" +
	"event: missed\ndata: 12\n\n" +
	`data: {"type":"volume","seq":14,"time":"2026-11-20T18:30:01Z","percent":40}` + "\n\n" +
	`data: {"type":"timer_fired","seq":15,"time":"2026-11-20T18:30:02Z","timer":{"id":3,"label":"pasta","ends":"2026-11-20T18:30:02Z"}}` + "\n\n" +
	`data: {"type":"said","seq":16,"time":"2026-11-20T18:30:02.125Z","turn":1000}` + "\n\n"

func TestEventsShowsTheNextOne(t *testing.T) {
	f := newFake(t)
	f.answer("/v1/events", 200, streamBody)
	f.run(t, "events").expect(t, outcome{stdout: "18:30:00.250 turn 7   state          from=\"idle\" to=\"listening\"\n"})
	f.run(t, "events", "--json").golden(t, "event.json")
}

func TestEventsFollowsUntilTheStreamEnds(t *testing.T) {
	f := newFake(t)
	f.answer("/v1/events", 200, streamBody)
	const told = "hearthctl: 12 events were missed\nhearthctl: hearthd has ended the stream\n"
	for name, flags := range map[string][]string{"events.txt": {"-f"}, "events.jsonl": {"--follow", "--json"}} {
		got := f.run(t, append([]string{"events"}, flags...)...)
		if got.stderr != told || got.code != 1 {
			t.Errorf("%q, exit status %d", got.stderr, got.code)
		}
		outcome{stdout: got.stdout}.golden(t, name)
	}
	f.answer("/v1/events", 200, "data: {\n\n")
	f.run(t, "events", "-f").expect(t, outcome{stderr: "hearthctl: read event: unexpected end of JSON input\n", code: 1})
	f.answer("/v1/events", 200, "data: "+strings.Repeat("a", maxEvent)+"\n\n")
	f.run(t, "events", "-f").expect(t, outcome{stderr: "hearthctl: call hearthd: bufio.Scanner: token too long\n", code: 1})
}

// interrupt starts hearthctl against a daemon that hangs, waits for the first
// line of its output if there is to be one, and sends Ctrl-C.
func interrupt(t *testing.T, f *fake, line bool, args ...string) outcome {
	t.Helper()
	cmd := command(context.Background(), t, append([]string{"--socket", f.path}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stdout := bufio.NewReader(out)
	var first string
	<-f.hanging
	if line {
		if first, err = stdout.ReadString('\n'); err != nil {
			t.Error(err)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	rest, err := io.ReadAll(stdout)
	if err != nil {
		t.Error(err)
	}
	cmd.Wait() // the exit status is part of the outcome
	if cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
		t.Error("killed by the signal")
	}
	return outcome{first + string(rest), stderr.String(), cmd.ProcessState.ExitCode()}
}

func TestCtrlCEndsFollowQuietlyAndEverythingElseAsFailed(t *testing.T) {
	f := newFake(t)
	f.hang("/v1/events", streamBody[:strings.Index(streamBody, "event:")])
	interrupt(t, f, true, "events", "-f").expect(t, outcome{stdout: "18:30:00.250 turn 7   state          from=\"idle\" to=\"listening\"\n"})
	f.hang("/v1/ask", "")
	interrupt(t, f, false, "ask", "why").expect(t, outcome{stderr: "hearthctl: interrupted\n", code: 1})
}

func FuzzShowEvents(f *testing.F) {
	f.Add(streamBody)
	f.Add("event: missed\ndata: \x1b\n\ndata: {\"type\":\"\u009b\"}\n\n")
	f.Fuzz(func(t *testing.T, stream string) {
		var out, told bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetOut(&out)
		cmd.SetErr(&told)
		c := &client{}
		if err := showEvents(c, cmd, readStream(strings.NewReader(stream)), true); err == nil {
			t.Error("a stream ended without an error")
		}
		for _, r := range out.String() + told.String() {
			if r != '\n' && visible(string(r)) != string(r) {
				t.Fatalf("%q reached the terminal", r)
			}
		}
	})
}
