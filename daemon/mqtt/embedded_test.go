package mqtt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/mqtt/contract"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/eclipse/paho.mqtt.golang/packets"
)

// guest makes the client programs talk to the embedded broker.
func guestOf(address string) *mosquitto {
	_, port, _ := net.SplitHostPort(address)
	return &mosquitto{port: port, args: []string{"-h", "127.0.0.1", "-p", port, "-u", ownUser, "-P", ownPassword}}
}

func TestEmbeddedBrokerServesTheHouse(t *testing.T) {
	newMosquitto(t, anonymous) // skips without the client programs
	address := "127.0.0.1:" + freePort(t)
	x := newBox(t, Options{Broker: contract.Embedded, Listen: address}).run(t)
	eventually(t, "the bridge", func() bool { return x.State() == "connected" })
	m := guestOf(address)
	m.shows(t, "hearth/kitchen/availability", "online")
	m.shows(t, "hearth/kitchen/state", "starting")
	e := listen(t, address, "hearth/kitchen/result")
	m.pub(t, "hearth/kitchen/set/mute", "-m", "ON")
	eventually(t, "the answer",
		func() bool { return e.count(`hearth/kitchen/result {"command":"mute","ok":true}`) == 1 })
	m.pub(t, "hearth/kitchen/set/unlock", "-m", "ON")
	eventually(t, "the refusal",
		func() bool { return e.count(`hearth/kitchen/result {"command":"unlock","ok":false`) == 1 })
}

// TestWordsThatWaitForAGuestAreForgotten has a client leave that the broker keeps its
// messages for.
func TestWordsThatWaitForAGuestAreForgotten(t *testing.T) {
	address := "127.0.0.1:" + freePort(t)
	x := newBox(t, Options{Broker: contract.Embedded, Listen: address}).run(t)
	eventually(t, "the bridge", func() bool { return x.State() == "connected" })
	e := new(ear)
	guest := paho.NewClientOptions().AddBroker("tcp://" +
		address).SetUsername(ownUser).SetPassword(ownPassword).SetClientID("guest").SetCleanSession(false).SetDefaultPublishHandler(e.hear)
	done := func(k paho.Token) {
		t.Helper()
		if !k.WaitTimeout(deadline) || k.Error() != nil {
			t.Fatalf("the guest: %v", k.Error())
		}
	}
	c := paho.NewClient(guest)
	done(c.Connect())
	done(c.Subscribe("hearth/kitchen/#", 1, nil))
	c.Disconnect(100)
	waiting := func(word string) (n int) {
		c, ok := x.broker.Load().Clients.Get("guest")
		if !ok {
			return 0
		}
		for _, p := range c.State.Inflight.GetAll(false) {
			n += strings.Count(string(p.Payload), word)
		}
		return n
	}
	x.bus.Publish(&event.Turn{Source: "text", Transcript: "Who is Xanthippe?"})
	eventually(t, "the turn", func() bool { return waiting("Xanthippe") == 1 })
	x.Forget()
	if n := waiting("Xanthippe"); n != 0 {
		t.Errorf("%d messages with the secret wait for the guest", n)
	}
	x.bus.Publish(&event.Turn{Source: "text", Transcript: "forget Xanthippe",
		Tools: []event.ToolUse{{Tool: "memory_forget"}}})
	x.bus.Publish(&event.Turn{Source: "text", Transcript: "What time is it?"})
	eventually(t, "the last turn, waiting", func() bool { return waiting("What time is it?") == 1 })
	c = paho.NewClient(guest)
	done(c.Connect())
	defer c.Disconnect(100)
	eventually(t, "the last turn", func() bool {
		return strings.Contains(strings.Join(e.all(), " "),
			"What time is it?")
	})
	if all := strings.Join(e.all(), "\n"); strings.Contains(all, "Xanthippe") ||
		!strings.Contains(all, "memory_forget") {
		t.Errorf("the guest is told %s", all)
	}
}

func TestEmbeddedBrokerSaysGoodbyeToItsGuests(t *testing.T) {
	newMosquitto(t, anonymous) // skips without the client programs
	address := "127.0.0.1:" + freePort(t)
	x := newBox(t, Options{Broker: contract.Embedded, Listen: address}).run(t)
	eventually(t, "the bridge", func() bool { return x.State() == "connected" })
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	// The library's client would lose what came right before the end.
	var out [5]lockedBuffer
	for i := range out {
		c := exec.Command("mosquitto_sub", "-h", "127.0.0.1", "-p", port, "-u", ownUser, "-P", ownPassword, "-t",
			"hearth/kitchen/availability", "-q", fmt.Sprint(i%2), "-C", "2", "-W", "20")
		c.Stdout = &out[i]
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := c.Wait(); err != nil || out[i].String() != "online\noffline\n" {
				t.Errorf("mosquitto_sub %d: %v: %q", i, err, out[i].String())
			}
		}()
	}
	for i := range out {
		eventually(t, "online", func() bool { return out[i].String() == "online\n" })
	}
	if err := x.stop(); err != nil {
		t.Error(err)
	}
}

func TestEmbeddedBrokerEndsThoughAGuestIsSilent(t *testing.T) {
	address := "127.0.0.1:" + freePort(t)
	x := newBox(t, Options{Broker: contract.Embedded, Listen: address}).run(t)
	eventually(t, "the bridge", func() bool { return x.State() == "connected" })
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	e := listen(t, address, "#") // comes after c: so the broker has accepted that
	eventually(t, "the retained topics", func() bool { return len(e.all()) >= 3 })
	if err := x.stop(); err != nil {
		t.Error(err)
	}
}

// closes fails the test when the broker does not end.
func closes(t *testing.T, e *embedded) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- e.Close() }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(deadline):
		t.Fatal("the broker does not end")
	}
}

// guests are n clients of the broker at address.
func guests(t *testing.T, address string, n int) []paho.Client {
	t.Helper()
	var all []paho.Client
	for range n {
		c := paho.NewClient(paho.NewClientOptions().AddBroker("tcp://" + address).SetUsername(ownUser).
			SetPassword(ownPassword).SetAutoReconnect(false))
		if k := c.Connect(); !k.WaitTimeout(deadline) || k.Error() != nil {
			t.Fatal(k.Error())
		}
		all = append(all, c)
	}
	return all
}

func TestEmbeddedBrokerEndsWhileItsGuestsLeave(t *testing.T) {
	for range 50 {
		address := "127.0.0.1:" + freePort(t)
		e, err := startBroker(address, ownUser, ownPassword, "last")
		if err != nil {
			t.Fatal(err)
		}
		var leaving sync.WaitGroup
		for _, c := range guests(t, address, 20) {
			leaving.Go(func() { c.Disconnect(1) })
		}
		closes(t, e)
		leaving.Wait()
	}
}

// A guest that reads nothing holds up what is written to it.
func TestEmbeddedBrokerEndsThoughAGuestReadsNothing(t *testing.T) {
	address := "127.0.0.1:" + freePort(t)
	e, err := startBroker(address, ownUser, ownPassword, "last")
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	hello := packets.NewControlPacket(packets.Connect).(*packets.ConnectPacket)
	hello.ProtocolName, hello.ProtocolVersion, hello.CleanSession, hello.ClientIdentifier = "MQTT", 4, true, "stuck"
	hello.UsernameFlag, hello.Username = true, ownUser
	hello.PasswordFlag, hello.Password = true, []byte(ownPassword)
	want := packets.NewControlPacket(packets.Subscribe).(*packets.SubscribePacket)
	want.MessageID, want.Topics, want.Qoss = 1, []string{"flood"}, []byte{0}
	if err := errors.Join(hello.Write(c), want.Write(c)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the subscription", func() bool { return len(e.Topics.Subscribers("flood").Subscriptions) == 1 })
	talker := guests(t, address, 1)[0]
	eventually(t, "the connection to be full", func() bool {
		k := talker.Publish("flood", 1, false, make([]byte, 100<<10))
		if !k.WaitTimeout(deadline) || k.Error() != nil {
			t.Fatal(k.Error())
		}
		return atomic.LoadInt64(&e.Info.MessagesReceived) > atomic.LoadInt64(&e.Info.MessagesSent)+100
	})
	closes(t, e)
}

// Every account of the machine reaches the port.
func TestEmbeddedBrokerLetsInWhoKnowsItsPasswordOnly(t *testing.T) {
	address := "127.0.0.1:" + freePort(t)
	x := newBox(t, Options{Broker: contract.Embedded, Listen: address}).run(t)
	eventually(t, "the bridge", func() bool { return x.State() == "connected" })
	for name, who := range map[string][2]string{
		"nobody": {"", ""}, "a user alone": {ownUser, ""}, "a wrong password": {ownUser, ownPassword + "x"},
		"another user": {"admin", ownPassword},
	} {
		c := paho.NewClient(paho.NewClientOptions().AddBroker("tcp://" +
			address).SetUsername(who[0]).SetPassword(who[1]).
			SetConnectRetry(false).SetProtocolVersion(4))
		k := c.Connect()
		if !k.WaitTimeout(deadline) || k.Error() == nil {
			t.Errorf("%s is let in: %v", name, k.Error())
		}
		c.Disconnect(0)
	}
	listen(t, address, "#")
	if text := x.log.String(); strings.Contains(text, ownPassword) {
		t.Errorf("the log has the password: %s", text)
	}
	opt := x.opt
	opt.Password = ""
	if _, err := New(opt); err == nil {
		t.Error("a broker for everybody was made")
	}
}

// Who has not said a password yet cannot have the broker make room for much.
func TestFirstPacketOfAGuestIsBounded(t *testing.T) {
	for first, want := range map[string]error{
		"\x10\xff\xff\x3f": errHello, "\x10\xff\xff\xff\xff": errHello, "\x30": errHello,
		"GET / HTTP/1.1\r\n": errHello,
		"\x10\x81\x80\x01":   errHello, "\x10\x03abc\xc0\x00": nil, "\x10\x80\x01" + strings.Repeat("a", 128): nil,
	} {
		near, far := net.Pipe()
		go func() {
			_, _ = far.Write([]byte(first)) // it is not read to its end where it is refused
			far.Close()
		}()
		got, err := io.ReadAll(&guardedConn{Conn: near})
		if !errors.Is(err, want) || want == nil && string(got) != first {
			t.Errorf("%q: %v after %q", first, err, got)
		}
		near.Close()
	}
}

// More connections than may be, of the same address as everybody's, keep nobody out who knows the password.
func TestCrowdAtTheEmbeddedBrokerShutsNobodyOut(t *testing.T) {
	address := "127.0.0.1:" + freePort(t)
	x := newBox(t, Options{Broker: contract.Embedded, Listen: address}).run(t)
	eventually(t, "the bridge", func() bool { return x.State() == "connected" })
	for range 2 * maxBrokerClients {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	e := listen(t, address, "hearth/kitchen/result")
	m := paho.NewClient(paho.NewClientOptions().AddBroker("tcp://" +
		address).SetUsername(ownUser).SetPassword(ownPassword))
	if k := m.Connect(); !k.WaitTimeout(deadline) || k.Error() != nil {
		t.Fatal(k.Error())
	}
	defer m.Disconnect(0)
	m.Publish("hearth/kitchen/set/mute", 1, false, "ON")
	eventually(t, "the answer of the bridge",
		func() bool { return e.count(`hearth/kitchen/result {"command":"mute","ok":true}`) == 1 })
	if strings.Contains(x.log.String(), "no connection to the broker") {
		t.Error("the bridge itself was put out")
	}
}

func TestTakenPortIsExplainedAndTheNextRunHasTheNewestState(t *testing.T) {
	newMosquitto(t, anonymous) // skips without the client programs
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	x := newBox(t, Options{Broker: contract.Embedded, Listen: address})
	for _, s := range []event.State{event.Idle, event.Listening, event.Muted} {
		if err := x.Run(context.Background()); !errors.Is(err, syscall.EADDRINUSE) {
			t.Fatalf("run ended with %v", err)
		}
		x.state(s)
	}
	want := fmt.Sprintf("Another program listens on %s, so the embedded MQTT broker cannot start. If that is a broker, set mqtt.broker to mqtt://%s; if not, choose another mqtt.listen.", address, address)
	if x.condition() != want {
		t.Errorf("the condition says %q", x.condition())
	}
	l.Close()
	x.run(t)
	eventually(t, "the bridge", func() bool { return x.State() == "connected" })
	m := guestOf(address)
	m.shows(t, "hearth/kitchen/availability", "online")
	m.shows(t, "hearth/kitchen/state", "muted")
	eventually(t, "the condition to clear", func() bool { return x.condition() == "" })
}

// Programs that ask localhost for the broker come to either address, so both are its own or it says whose one is.
func TestEmbeddedBrokerHasLocalhostForItself(t *testing.T) {
	if l, err := net.Listen("tcp", "[::1]:0"); err != nil {
		t.Skip("this machine has no IPv6")
	} else {
		l.Close()
	}
	port := freePort(t)
	for _, own := range []string{"127.0.0.1", "::1"} {
		e, err := startBroker(net.JoinHostPort(own, port), ownUser, ownPassword, "last")
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []string{"127.0.0.1", "::1"} {
			guests(t, net.JoinHostPort(at, port), 1)[0].Disconnect(0)
		}
		closes(t, e)
	}
	for own, other := range map[string]string{"127.0.0.1:" + port: "[::1]:" + port, "[::1]:" + port: "127.0.0.1:" + port} {
		l, err := net.Listen("tcp", other)
		if err != nil {
			t.Fatal(err)
		}
		x := newBox(t, Options{Broker: contract.Embedded, Listen: own})
		if err := x.Run(context.Background()); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("run ended with %v", err)
		}
		if !strings.Contains(x.condition(), "Another program listens on "+other+",") ||
			!strings.Contains(x.condition(), "mqtt://"+other+";") {
			t.Errorf("the condition says %q", x.condition())
		}
		l.Close()
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	count := func() int { runtime.GC(); return runtime.NumGoroutine() }
	before := count()
	for range 3 {
		x := newBox(t, Options{Broker: contract.Embedded, Listen: "127.0.0.1:" + freePort(t)}).run(t)
		eventually(t, "the bridge", func() bool { return x.State() == "connected" })
		if err := x.stop(); err != nil {
			t.Error(err)
		}
		absent := newBox(t, Options{Broker: "mqtt://127.0.0.1:" + freePort(t)}).run(t)
		eventually(t, "a try", func() bool { return strings.Contains(absent.log.String(), "no connection") })
		if err := absent.stop(); err != nil {
			t.Error(err)
		}
	}
	eventually(t, "the goroutines to end", func() bool { return count() <= before })
}

func TestOffDoesNothing(t *testing.T) {
	x := newBox(t, Options{Broker: contract.NoBroker}).run(t)
	x.state(event.Idle)
	if x.State() != "off" {
		t.Errorf("the bridge is %s", x.State())
	}
}
