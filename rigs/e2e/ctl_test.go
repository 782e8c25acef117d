package e2e

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

func (k *kitchen) ctl(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	return command(t, nil, suite.ctl, append([]string{"--socket", k.Socket()}, args...)...)
}

func TestHearthctlTalksToTheDaemon(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	status, out, stderr := k.ctl(t, "status")
	if status != 0 || !strings.Contains(out, "demo: idle") || !strings.Contains(out, "nothing is wrong") || stderr != "" {
		t.Errorf("status: %d, %q, %q", status, out, stderr)
	}

	follow := exec.CommandContext(t.Context(), suite.ctl, "--socket", k.Socket(), "--json", "events", "--follow")
	pipe, err := follow.StdoutPipe()
	check(t, err)
	check(t, follow.Start())
	// The stream is open before something happens: the first event says so.
	opened := make(chan struct{})
	answered := make(chan bool, 1)
	go func() {
		first := true
		for lines := bufio.NewScanner(pipe); lines.Scan(); {
			if first {
				close(opened)
				first = false
			}
			var turn Turn
			if json.Unmarshal(lines.Bytes(), &turn) == nil && turn.Route == "intent" && turn.Outcome == "answered" {
				answered <- true
				return
			}
		}
		answered <- false
	}()
	for {
		if status, _, stderr := k.ctl(t, "volume", "70"); status != 0 {
			t.Fatalf("volume: %d, %q", status, stderr)
		}
		select {
		case <-opened:
		default:
			continue
		}
		break
	}
	if status, out, stderr := k.ctl(t, "ask", "set", "a", "rice", "timer", "for", "9", "minutes"); status != 0 || !strings.Contains(out, "ice timer") {
		t.Errorf("ask: %d, %q, %q", status, out, stderr)
	}
	if !<-answered {
		t.Error("events did not show the turn")
	}
	check(t, follow.Process.Signal(syscall.SIGINT))
	if err := follow.Wait(); err != nil {
		t.Errorf("events ended with %v", err)
	}

	if status, out, stderr := k.ctl(t, "timers"); status != 0 || !strings.Contains(out, "timer rice") {
		t.Errorf("timers: %d, %q, %q", status, out, stderr)
	}
	from := k.played()
	if status, _, stderr := k.ctl(t, "say", "dinner", "is", "ready"); status != 0 {
		t.Errorf("say: %d, %q", status, stderr)
	}
	if doc := k.turn("announcement"); doc.Answer != "dinner is ready" {
		t.Errorf("%+v", doc)
	}
	k.audible(from)
	if status, out, _ := k.ctl(t, "ask", "sing me a song"); status != 1 || !strings.Contains(out, "no language model is set up") {
		t.Errorf("a request that nobody can fulfil: %d, %q", status, out)
	}
	if status, _, stderr := k.ctl(t, "volume", "120"); status != 1 || !strings.Contains(stderr, "volume") {
		t.Errorf("volume 120: %d, %q", status, stderr)
	}

	check(t, k.Stop())
	if status, _, stderr := k.ctl(t, "status"); status != 1 || !strings.Contains(stderr, k.Socket()) {
		t.Errorf("without a daemon: %d, %q", status, stderr)
	}
}
