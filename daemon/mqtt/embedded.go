package mqtt

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"

	server "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/listeners"
	"github.com/mochi-mqtt/server/v2/packets"

	"hearthd/daemon/visitors"
)

const (
	// maxPacket bounds one packet that the embedded broker takes, in bytes.
	maxPacket = 1 << 20
	// maxBrokerClients bounds the clients that may connect to an address of it.
	maxBrokerClients = 100
	// sysTopics is how often the broker publishes its $SYS topics, in seconds.
	sysTopics = 60
)

// embedded is the broker that runs in this process.
type embedded struct {
	*server.Server
	goodbye *goodbye
	doors   []*guardedListener
}

// loopbacks takes address, and of 127.0.0.1 and ::1 the other one too, where the machine has it: localhost is
// either, so another broker there would have half of the programs of the box.
func loopbacks(address string) ([]net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	at := l.Addr().(*net.TCPAddr)
	other, ok := map[string]string{"127.0.0.1": "::1", "::1": "127.0.0.1"}[at.IP.String()]
	if !ok {
		return []net.Listener{l}, nil
	}
	twin, err := net.Listen("tcp", net.JoinHostPort(other, strconv.Itoa(at.Port)))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, errors.Join(err, l.Close())
	case err != nil: // as without IPv6
		return []net.Listener{l}, nil
	}
	return []net.Listener{l, twin}, nil
}

// startBroker serves MQTT on address, which must be loopback, since nothing is encrypted. Every account
// of the machine can reach it, so it requires the user and the password. The caller closes it; before
// that, every subscriber of the topic last is sent its "offline".
func startBroker(address, user, password, last string) (*embedded, error) {
	caps := server.NewDefaultServerCapabilities()
	caps.MaximumPacketSize = maxPacket
	caps.MaximumClients = 2 * maxBrokerClients
	s := server.New(&server.Options{
		Capabilities: caps,
		// At the default of once a second they are a third of what an idle box allocates.
		SysTopicResendInterval: sysTopics,
		// It logs every client that comes and goes; the bridge logs what matters.
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	found, err := loopbacks(address)
	if err != nil {
		return nil, fmt.Errorf("start embedded broker: %w", err)
	}
	e := &embedded{Server: s, goodbye: newGoodbye(last)}
	in := &login{user: user, password: password, doors: make(map[string]*visitors.Listener)}
	for _, l := range found {
		id := l.Addr().String()
		in.doors[id] = visitors.New(l, maxBrokerClients)
		door := newGuardedListener(in.doors[id])
		e.doors = append(e.doors, door)
		err = errors.Join(err, s.AddListener(listeners.NewNet(id, door)))
	}
	if err = errors.Join(err, s.AddHook(in, nil), s.AddHook(e.goodbye, nil)); err == nil {
		err = s.Serve()
	}
	if err != nil {
		return nil, fmt.Errorf("start embedded broker: %w", errors.Join(err, e.shut(), s.Close()))
	}
	return e, nil
}

// login is a hook of the broker that checks user and password; whoever knows them may do everything.
type login struct {
	server.HookBase
	user, password string
	doors          map[string]*visitors.Listener // by the names that the broker has for its listeners
}

// ID is the hook's name.
func (l *login) ID() string { return "login" }

// Provides lists the events that the broker calls the hook for.
func (l *login) Provides(event byte) bool {
	return event == server.OnConnectAuthenticate || event == server.OnACLCheck
}

// OnConnectAuthenticate decides on a client. Wrong passwords are not counted: the password is too long to be guessed.
func (l *login) OnConnectAuthenticate(c *server.Client, p packets.Packet) bool {
	user := subtle.ConstantTimeCompare(p.Connect.Username, []byte(l.user))
	if user&subtle.ConstantTimeCompare(p.Connect.Password, []byte(l.password)) != 1 {
		return false
	}
	l.doors[c.Net.Listener].Know(c.Net.Remote)
	return true
}

// OnACLCheck lets everything through.
func (l *login) OnACLCheck(*server.Client, string, bool) bool { return true }

// forget drops messages on these topics that wait for absent or slow clients.
func (e *embedded) forget(topics ...string) {
	for _, c := range e.Clients.GetAll() {
		for _, p := range c.State.Inflight.GetAll(false) {
			if slices.Contains(topics, p.TopicName) && c.State.Inflight.Delete(p.PacketID) {
				atomic.AddInt64(&e.Info.Inflight, -1)
			}
		}
	}
}

// Close ends the broker and waits for its connections. It ends those itself: the server would write to each one first,
// and hang on a client that reads nothing; and it deadlocks if a client leaves at that moment (mochi-mqtt/server, issue
// 488).
func (e *embedded) Close() error {
	e.goodbye.wait(e.Server)
	for _, c := range e.Clients.GetAll() {
		c.Stop(packets.ErrServerShuttingDown)
	}
	err := e.shut()
	e.Listeners.ClientsWg.Wait()
	return errors.Join(err, e.Server.Close())
}

// shut ends its listeners, and the connections that came through them.
func (e *embedded) shut() (err error) {
	for _, door := range e.doors {
		err = errors.Join(err, door.Close())
	}
	return err
}

// noBroker says what a person can do when startBroker failed.
func noBroker(address string, err error) string {
	if errors.Is(err, syscall.EADDRINUSE) {
		if op, ok := errors.AsType[*net.OpError](err); ok && op.Addr != nil {
			address = op.Addr.String()
		}
		return fmt.Sprintf("Another program listens on %s, so the embedded MQTT broker cannot start. "+
			"If that is a broker, set mqtt.broker to mqtt://%s; if not, choose another mqtt.listen.", address, address)
	}
	return fmt.Sprintf("The embedded MQTT broker cannot listen on %s; see mqtt.listen.", address)
}
