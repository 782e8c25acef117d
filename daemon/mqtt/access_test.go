package mqtt

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	server "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/listeners"
	"github.com/mochi-mqtt/server/v2/packets"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
)

// documented is the access list that packaging/mqtt.md shows.
func documented(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../packaging/mqtt.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(data), "    user hearthd\n")
	if !found {
		t.Fatal("the contract shows no access list")
	}
	lines := []string{"user hearthd"}
	for line := range strings.Lines(list) {
		rest, indented := strings.CutPrefix(line, "    ")
		if !indented {
			break
		}
		lines = append(lines, strings.TrimSpace(rest))
	}
	return strings.Join(lines, "\n")
}

func TestTheDocumentedAccessListIsEnough(t *testing.T) {
	dir := t.TempDir()
	passwords, list := filepath.Join(dir, "passwd"), filepath.Join(dir, "acl")
	for i, user := range []string{"hearthd", "house"} {
		args := []string{"-b", passwords, user, "secret"}
		if i == 0 {
			args = append([]string{"-c"}, args...)
		}
		if out, err := exec.Command(program("mosquitto_passwd"), args...).CombinedOutput(); err != nil {
			t.Skipf("needs the Debian package mosquitto: %v: %s", err, out)
		}
	}
	if err := os.WriteFile(list, []byte(documented(t)+"\nuser house\ntopic readwrite #\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := newMosquitto(t, "allow_anonymous false", "password_file "+passwords, "acl_file "+list)
	m.args = append(m.args, "-u", "house", "-P", "secret")
	x := newBox(t, Options{Broker: m.url(), Discovery: true, User: "hearthd", Password: "secret"}).run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	m.shows(t, "hearth/kitchen/state", "starting")
	m.shows(t, "hearth/kitchen/timers", "[]")
	m.pub(t, "hearth/kitchen/set/mute", "-m", "ON")
	eventually(t, "the command", func() bool { return len(x.speaker.list()) == 1 })
	doc, err := x.device.Document()
	if err != nil {
		t.Fatal(err)
	}
	m.shows(t, x.device.Topic(), string(doc))
	e := listenAs(t, m, "house", "secret", x.device.Topic())
	m.pub(t, x.device.Birth(), "-m", "online")
	eventually(t, "the document once more", func() bool { return e.count(x.device.Topic()) == 2 })
	trip, err := Try(t.Context(), x.opt)
	if err != nil || trip.Round <= 0 || trip.Connect <= 0 {
		t.Errorf("%+v, %v", trip, err)
	}
	m.shows(t, "hearth/kitchen/availability", "online") // the visitor pushed nobody out and left no will
	if text := x.says("broker_access"); text != "" {
		t.Errorf("with all that is documented: %s", text)
	}
	wrong := x.opt
	wrong.Password = "sesame"
	var refusal *Refusal
	if _, err := Try(t.Context(), wrong); !errors.As(err, &refusal) || !refusal.Login ||
		!strings.Contains(refusal.Text, "refuses the user or password") {
		t.Errorf("another password: %v", err)
	}
	if err := x.stop(); err != nil {
		t.Error(err)
	}
	m.shows(t, "hearth/kitchen/availability", "offline")
}

// Mosquitto says nothing of what it denies. The box goes on, and shows all once it may.
func TestMosquittoThatDeniesEverythingHarmsNothing(t *testing.T) {
	list := filepath.Join(t.TempDir(), "acl")
	allow := func(rules string) {
		t.Helper()
		if err := os.WriteFile(list, []byte(rules), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	allow("topic readwrite other/#\n")
	m := newMosquitto(t, anonymous, "acl_file "+list)
	x := newBox(t, Options{Broker: m.url(), Discovery: true}).run(t)
	eventually(t, "a connection", func() bool { return x.State() == "connected" })
	e := listen(t, "127.0.0.1:"+m.port, "#")
	m.pub(t, "hearth/kitchen/set/mute", "-m", "ON")
	x.state(event.Speaking)
	eventually(t, "all to be sent", func() bool { _, waits := x.out.next(); return !waits && x.State() == "connected" })
	trip, err := Try(t.Context(), x.opt)
	if err != nil || trip.Round != 0 {
		t.Errorf("%+v, %v", trip, err)
	}
	if all, told := e.all(), x.speaker.list(); len(all)+len(told) > 0 {
		t.Errorf("the broker let through %q, carried out %q", all, told)
	}
	const want = "The MQTT broker does not let through hearth/kitchen/set/doctor/ping; see its access list."
	eventually(t, want, func() bool { return x.says("broker_access") == want })
	m.kill(t)
	allow("topic readwrite #\n")
	m.start(t)
	eventually(t, "the condition to clear", func() bool { return x.says("broker_access") == "" })
	m.shows(t, "hearth/kitchen/state", "speaking")
	m.shows(t, "hearth/kitchen/availability", "online")
}

// choosy is an access list of a broker that says what it refuses.
type choosy struct {
	server.HookBase
	denied map[string]bool
}

func (c *choosy) ID() string { return "choosy" }
func (c *choosy) Provides(e byte) bool {
	return e == server.OnACLCheck || e == server.OnConnectAuthenticate
}
func (c *choosy) OnConnectAuthenticate(*server.Client, packets.Packet) bool { return true }
func (c *choosy) OnACLCheck(_ *server.Client, topic string, _ bool) bool    { return !c.denied[topic] }

// Brokers differ: one refuses a subscription in its answer, another ends the connection at a message.
func TestRefusedTopicsAreNamed(t *testing.T) {
	s := server.New(&server.Options{Logger: slog.New(slog.DiscardHandler)})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	denied := map[string]bool{"homeassistant/status": true, "hearth/house/home/set/+": true, "zigbee2mqtt/#": true}
	if err := errors.Join(s.AddHook(&choosy{denied: denied}, nil), s.AddListener(listeners.NewNet("test", l)),
		s.Serve()); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	feed := NewFeed()
	feed.Watch("zigbee2mqtt/#", "tasmota/#")
	x := newBox(t, Options{Broker: "mqtt://" + l.Addr().String(), Discovery: true, Feeds: []*Feed{feed}}).run(t)
	const want = "The MQTT broker does not let through hearth/house/home/set/+, homeassistant/status, zigbee2mqtt/#; see its access list."
	eventually(t, want, func() bool { return x.says("broker_access") == want })
	if x.State() != "connected" {
		t.Errorf("the bridge is %s", x.State())
	}
}

func TestConditionNamesSomeOfManyRefusedTopics(t *testing.T) {
	a := access{conditions: health.New(event.NewBus())}
	for i := range 3 * maxDenied {
		a.deny(fmt.Sprintf("topic/%03d", i))
	}
	const want = "The MQTT broker does not let through topic/000, topic/001, topic/002, topic/003, topic/004 and 95 more; see its access list."
	if list := a.conditions.List(); len(list) != 1 || list[0].Text != want {
		t.Errorf("%+v", list)
	}
	a.begin()
	a.settle()
	if list := a.conditions.List(); len(list) != 0 {
		t.Errorf("at a broker that refuses nothing: %+v", list)
	}
}
