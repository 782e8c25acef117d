package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// broker is a Mosquitto of the bench's own.
type broker struct {
	dir     string
	program string
	port    string
	cmd     *exec.Cmd
}

func newBroker() (*broker, error) {
	program, err := exec.LookPath("mosquitto")
	if err != nil {
		program = "/usr/sbin/mosquitto" // which is in root's path only
	}
	dir, err := os.MkdirTemp("", "hearthd-fleet-")
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("find a free port: %w", err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err := errors.Join(err, l.Close()); err != nil {
		return nil, fmt.Errorf("find a free port: %w", err)
	}
	b := &broker{dir: dir, program: program, port: port}
	text := "user root\nlistener " + port + " 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\nsys_interval 1\n"
	if err := os.WriteFile(b.config(), []byte(text), 0o600); err != nil {
		return nil, fmt.Errorf("configure mosquitto: %w", err)
	}
	return b, b.start()
}

func (b *broker) config() string { return filepath.Join(b.dir, "mosquitto.conf") }

func (b *broker) start() error {
	// Each connection is an open file; the usual limit is 1024.
	b.cmd = exec.Command("sh", "-c", `ulimit -n "$(ulimit -Hn)"; exec "$0" -c "$1"`, b.program, b.config())
	if err := b.cmd.Start(); err != nil {
		return fmt.Errorf("start mosquitto (Debian package mosquitto): %w", err)
	}
	for range 200 {
		c, err := net.Dial("tcp", "127.0.0.1:"+b.port)
		if err == nil {
			return c.Close()
		}
		time.Sleep(10 * time.Millisecond)
	}
	return errors.New("mosquitto does not listen")
}

// kill ends it as a power cut does.
func (b *broker) kill() error {
	if err := b.cmd.Process.Kill(); err != nil {
		return fmt.Errorf("kill mosquitto: %w", err)
	}
	_ = b.cmd.Wait() // says that it was killed
	return nil
}

// clockTick is the unit of /proc/PID/stat, 1/100 s on Linux for every processor that
// hearthd runs on.
const clockTick = 10 * time.Millisecond

// spent is the processor time that it has used since it was started.
func (b *broker) spent() (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", b.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	// The name is in parentheses; utime and stime are the 12th and 13th after it (proc(5)).
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, errors.New("read processor time of mosquitto: unknown format")
	}
	user, err := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	return time.Duration(user+system) * clockTick, errors.Join(err, err2)
}

func (b *broker) close() error {
	return errors.Join(b.kill(), os.RemoveAll(b.dir))
}
