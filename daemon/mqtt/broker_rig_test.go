package mqtt

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	paho "github.com/eclipse/paho.mqtt.golang"
)

// freePort is one that nobody listens on, below those that the kernel gives out to
// others (ip(7), ip_local_port_range).
func freePort(t *testing.T) string {
	t.Helper()
	for range 100 {
		port := strconv.Itoa(10_000 + rand.N(10_000))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}

// mosquitto is a real broker. Its arguments for the client programs are in args.
type mosquitto struct {
	port   string
	config string
	args   []string
	cmd    *exec.Cmd
}

// newMosquitto starts a broker with lines added to its configuration.
func newMosquitto(t *testing.T, lines ...string) *mosquitto {
	t.Helper()
	for _, name := range []string{"mosquitto", "mosquitto_sub", "mosquitto_pub", "mosquitto_passwd"} {
		if _, err := exec.LookPath(program(name)); err != nil {
			t.Skipf("needs the Debian packages mosquitto and mosquitto-clients: %v", err)
		}
	}
	m := &mosquitto{port: freePort(t), config: filepath.Join(t.TempDir(), "mosquitto.conf")}
	m.args = []string{"-h", "127.0.0.1", "-p", m.port}
	// It would give up root, and then could not read the test's folder.
	text := "user root\nlistener " + m.port + " 127.0.0.1\n" + strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(m.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m.start(t)
	t.Cleanup(func() { m.kill(t) })
	return m
}

// program finds what Debian puts into sbin, which is in the path of root only.
func program(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	return "/usr/sbin/" + name
}

func (m *mosquitto) start(t *testing.T) {
	t.Helper()
	m.cmd = exec.Command(program("mosquitto"), "-c", m.config)
	out := new(lockedBuffer)
	m.cmd.Stdout, m.cmd.Stderr = out, out
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "mosquitto to listen", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+m.port)
		if err != nil {
			return false
		}
		return c.Close() == nil
	})
}

// kill ends the broker as a power cut does.
func (m *mosquitto) kill(t *testing.T) {
	t.Helper()
	if m.cmd == nil {
		return
	}
	if err := m.cmd.Process.Kill(); err != nil {
		t.Errorf("kill mosquitto: %v", err)
	}
	_ = m.cmd.Wait() // says that it was killed
	m.cmd = nil
}

func (m *mosquitto) url() string { return "mqtt://127.0.0.1:" + m.port }

// sub gives the next n messages of a topic: "1 " for retained or "0 ", and the
// payload.
func (m *mosquitto) sub(t *testing.T, topic string, n int) []string {
	t.Helper()
	args := append([]string{"-t", topic, "-q", "1", "-F", "%r %p", "-C", fmt.Sprint(n), "-W", "20"}, m.args...)
	out, err := exec.Command("mosquitto_sub", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("mosquitto_sub %s: %v: %s", topic, err, out)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// shows waits until a newcomer finds the retained payload.
func (m *mosquitto) shows(t *testing.T, topic, want string) {
	t.Helper()
	eventually(t, topic+" "+want, func() bool { return m.sub(t, topic, 1)[0] == "1 "+want })
}

func (m *mosquitto) pub(t *testing.T, topic string, args ...string) {
	t.Helper()
	args = append(append([]string{"-t", topic, "-q", "1"}, args...), m.args...)
	if out, err := exec.Command("mosquitto_pub", args...).CombinedOutput(); err != nil {
		t.Fatalf("mosquitto_pub %v: %v: %s", args, err, out)
	}
}

// ear is a client that keeps all it hears.
type ear struct {
	mu    sync.Mutex
	heard []string
}

func (e *ear) hear(_ paho.Client, m paho.Message) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, m.Topic()+" "+string(m.Payload()))
}

// listen subscribes to filter on the broker at address, before it returns.
func listen(t *testing.T, address, filter string) *ear {
	t.Helper()
	return listenWith(t,
		paho.NewClientOptions().AddBroker("tcp://"+address).SetUsername(ownUser).SetPassword(ownPassword), filter)
}

// listenAs is listen for a broker that wants to know who it is.
func listenAs(t *testing.T, m *mosquitto, user, password, filter string) *ear {
	t.Helper()
	return listenWith(t,
		paho.NewClientOptions().AddBroker("tcp://127.0.0.1:"+m.port).SetUsername(user).SetPassword(password), filter)
}

func listenWith(t *testing.T, o *paho.ClientOptions, filter string) *ear {
	t.Helper()
	e := new(ear)
	c := paho.NewClient(o.SetAutoReconnect(false))
	for _, token := range []func() paho.Token{
		c.Connect,
		func() paho.Token {
			return c.Subscribe(filter, 1, e.hear)
		},
	} {
		if k := token(); !k.WaitTimeout(deadline) || k.Error() != nil {
			t.Fatalf("listen to %q: %v", filter, k.Error())
		}
	}
	t.Cleanup(func() { c.Disconnect(100) })
	return e
}

// all is what was heard so far.
func (e *ear) all() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.heard...)
}

// count tells how often a line was heard that begins so.
func (e *ear) count(begin string) int {
	n := 0
	for _, line := range e.all() {
		if strings.HasPrefix(line, begin) {
			n++
		}
	}
	return n
}
