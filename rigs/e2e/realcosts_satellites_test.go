package e2e

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hearthd/llm/wyoming"
)

// hearthd is the box itself.
func (c *contestant) hearthd(string) {
	uncache(c.b, suite.hearthd)
	c.start = func() []process {
		begun := time.Now()
		check(c.b, c.k.Start(suite.hearthd, c.k.card, c.k.env...))
		c.ended = append(c.ended, func() { check(c.b, c.k.Stop()) })
		return []process{{"hearthd", c.k.Process().Pid, begun}}
	}
	c.joinESPHome()
}

// parts is assistant.py, and the sound server without which it hears nothing.
func (c *contestant) parts(venvs string) {
	socket := filepath.Join(c.k.dir, "sound.socket")
	c.start = func() []process {
		sound := c.spawn("PulseAudio", "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
			"--disable-shm=yes", "-L", "module-alsa-sink device=default mmap=0 tsched=0", "-L",
			"module-alsa-source device=default mmap=0 tsched=0", "-L", "module-native-protocol-unix auth-anonymous=1 socket="+socket)
		awaitAddress(c.b, "unix", socket)
		return []process{c.spawn("parts", "/usr/bin/env", "PULSE_SERVER=unix:"+socket, filepath.Join(venvs, "assistant/bin/python"),
			"testdata/costs/assistant.py", c.port, c.word("hey_jarvis"), c.word("stop")), sound}
	}
	c.joinESPHome()
}

// joinESPHome lets the client library of Home Assistant be its pipeline.
func (c *contestant) joinESPHome() {
	var cl *client
	url := toneFile(c.b)
	c.join = func() {
		cl = newClient(c.b, c.port, "")
		cl.sees("ready", nil)
	}
	c.heard = func() time.Time { return cl.sees("hears", nil)["at"].(time.Time) }
	c.answer = func() time.Time {
		at := time.Now()
		cl.answers("What time is it?", longAnswer, url)
		return at
	}
}

// wyoming is wyoming-satellite, and a service for its wake word.
func (c *contestant) wyoming(venvs string) {
	wakes, err := freePort()
	check(c.b, err)
	python := filepath.Join(venvs, "satellite/bin/python")
	c.start = func() []process {
		service := c.spawn("wake word service", python, "testdata/costs/wake.py", wakes, c.word("hey_jarvis"))
		awaitAddress(c.b, "tcp", "127.0.0.1:"+wakes)
		return []process{c.spawn("wyoming-satellite", python, "-m", "wyoming_satellite", "--uri", "tcp://127.0.0.1:"+c.port,
			"--no-zeroconf", "--mic-command", "arecord -q -r 16000 -c 1 -f S16_LE -t raw",
			"--snd-command", "aplay -q -r 22050 -c 1 -f S16_LE -t raw", "--wake-uri", "tcp://127.0.0.1:"+wakes), service}
	}
	var conn *wyoming.Conn
	heard := make(chan time.Time, costTurns)
	c.join = func() {
		conn, err = wyoming.Dial(c.b.Context(), "127.0.0.1:"+c.port, patience)
		check(c.b, err)
		check(c.b, conn.Send(c.b.Context(), wyoming.Event{Type: "run-satellite"}))
		go func() {
			for first := false; ; {
				e, err := conn.Receive(context.Background())
				if err != nil {
					return // it has ended
				}
				if first = first || e.Type == "run-pipeline"; first && e.Type == "audio-chunk" {
					heard <- time.Now()
					first = false
				}
			}
		}()
	}
	c.heard = func() (at time.Time) {
		select {
		case at = <-heard:
		case <-time.After(patience):
			c.b.Fatal("the wake word was not heard")
		}
		return at
	}
	c.answer = func() time.Time {
		text, err := wyoming.NewEvent("transcript", map[string]string{"text": "What time is it?"})
		check(c.b, err)
		format := wyoming.Format{Rate: 22050, Width: 2, Channels: 1}
		at := time.Now()
		check(c.b, conn.Send(c.b.Context(), text, format.Event("audio-start", nil)))
		for _, chunk := range tone(2, 22050) {
			check(c.b, conn.Send(c.b.Context(), format.Event("audio-chunk", chunk)))
		}
		check(c.b, conn.Send(c.b.Context(), wyoming.Event{Type: "audio-stop"}))
		return at
	}
}

// spawn starts a program that uses the card, until it is ended.
func (c *contestant) spawn(name, program string, args ...string) process {
	cmd := exec.Command(program, args...)
	cmd.Env = append(append(os.Environ(), c.k.card.Environ()...), "HOME="+c.k.dir, "XDG_RUNTIME_DIR="+c.k.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	begun := time.Now()
	check(c.b, cmd.Start())
	c.ended = append(c.ended, func() {
		for _, pid := range tree(c.b, cmd.Process.Pid) {
			_ = syscall.Kill(pid, syscall.SIGTERM) // may have ended
		}
		_ = cmd.Wait() // how does not matter
		if c.b.Failed() {
			c.b.Logf("%s said:\n%s", cmd.Args, log.String())
		}
	})
	return process{name, cmd.Process.Pid, begun}
}

func (c *contestant) stop() {
	for _, end := range slices.Backward(c.ended) {
		end()
	}
	c.ended = nil
}

// toneFile is where a hum can be fetched as a file.
func toneFile(b *testing.B) (url string) {
	dir := b.TempDir()
	out, err := exec.Command("ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "sine=220:sample_rate=22050:duration=2",
		"-af", "volume=3", filepath.Join(dir, "a.wav")).CombinedOutput()
	if err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	s := httptest.NewServer(http.FileServer(http.Dir(dir)))
	b.Cleanup(s.Close)
	return s.URL + "/a.wav"
}
