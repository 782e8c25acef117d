package main

import (
	"hearthd/rigs/ctltest"

	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"hearthd/cmd/hearthctl/ctl"

	"github.com/spf13/cobra"
)

const streamBody = ": hearthd\n\n" +
	`data: {"type":"state","seq":1,"time":"2026-11-20T19:30:00.25+01:00","session":7,"turn":7,"from":"idle","to":"listening"}` + "\n\n: \n\n" +
	"event: missed\ndata: 12\n\n" +
	`data: {"type":"volume","seq":14,"time":"2026-11-20T18:30:01Z","percent":40}` + "\n\n" +
	`data: {"type":"timer_fired","seq":15,"time":"2026-11-20T18:30:02Z","timer":{"id":3,"label":"pasta","ends":"2026-11-20T18:30:02Z"}}` + "\n\n" +
	`data: {"type":"said","seq":16,"time":"2026-11-20T18:30:02.125Z","turn":1000}` + "\n\n"

func TestEventsShowsTheNextOne(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/events", 200, streamBody)
	f.Run(t, "events").Expect(t, ctltest.Outcome{Stdout: "18:30:00.250 turn 7   state          from=\"idle\" " +
		"to=\"listening\"\n", Stderr: "hearthctl: waiting for the next event; with --follow for all that come\n"})
	f.Run(t, "events", "--json").Golden(t, "event.json")
}

func TestEventsFollowsUntilTheStreamEnds(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/events", 200, streamBody)
	const told = "hearthctl: 12 events were missed\nhearthctl: hearthd has ended the stream\n"
	for name, flags := range map[string][]string{"events.txt": {"-f"}, "events.jsonl": {"--follow", "--json"}} {
		got := f.Run(t, append([]string{"events"}, flags...)...)
		if got.Stderr != told || got.Code != 1 {
			t.Errorf("%q, exit status %d", got.Stderr, got.Code)
		}
		ctltest.Outcome{Stdout: got.Stdout}.Golden(t, name)
	}
	f.Answer("/v1/events", 200, "data: {\n\n")
	f.Run(t, "events", "-f").Expect(t, ctltest.Outcome{Stderr: "hearthctl: read event: unexpected end of JSON input\n",
		Code: 1})
	f.Answer("/v1/events", 200, "data: "+strings.Repeat("a", ctl.MaxEvent)+"\n\n")
	f.Run(t, "events", "-f").Expect(t, ctltest.Outcome{Stderr: "hearthctl: call hearthd: bufio.Scanner: token " +
		"too long\n", Code: 1})
}

// interrupt starts hearthctl against a daemon that hangs, waits for the first
// line of its output if there is to be one, and sends Ctrl-C.
func interrupt(t *testing.T, f *ctltest.Fake, line bool, args ...string) ctltest.Outcome {
	t.Helper()
	cmd := ctltest.Command(context.Background(), t, append([]string{"--socket", f.Path}, args...)...)
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
	<-f.Hanging
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
	return ctltest.Outcome{Stdout: first + string(rest), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}
}

func TestCtrlCEndsFollowQuietlyAndEverythingElseAsFailed(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Hang("/v1/events", streamBody[:strings.Index(streamBody, "event:")])
	interrupt(t, f, true, "events", "-f").Expect(t, ctltest.Outcome{Stdout: "18:30:00.250 turn 7   state          " +
		"from=\"idle\" to=\"listening\"\n"})
	f.Hang("/v1/ask", "")
	interrupt(t, f, false, "ask", "why").Expect(t, ctltest.Outcome{Stderr: "hearthctl: interrupted\n", Code: 1})
}

func FuzzShowEvents(f *testing.F) {
	f.Add(streamBody)
	f.Add("event: missed\ndata: \x1b\n\ndata: {\"type\":\"\u009b\"}\n\n")
	f.Fuzz(func(t *testing.T, stream string) {
		var out, told bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetOut(&out)
		cmd.SetErr(&told)
		c := &ctl.Client{}
		if err := showEvents(c, cmd, ctl.ReadStream(strings.NewReader(stream)), true); err == nil {
			t.Error("a stream ended without an error")
		}
		for _, r := range out.String() + told.String() {
			if r != '\n' && ctl.Visible(string(r)) != string(r) {
				t.Fatalf("%q reached the terminal", r)
			}
		}
	})
}
