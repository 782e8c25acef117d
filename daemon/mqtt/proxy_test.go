package mqtt

import (
	"io"
	"net"
	"sync"
	"testing"

	"hearthd/daemon/event"
)

// proxy stands between the bridge and a broker, and fails as networks do.
type proxy struct {
	address string
	target  string
	l       net.Listener
	wg      sync.WaitGroup

	mu     sync.Mutex
	near   []net.Conn // to the bridge
	far    []net.Conn // to the broker
	frozen bool       // nothing is passed on, nothing is closed
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{address: l.Addr().String(), target: target, l: l}
	p.wg.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.cut(true, true)
		p.wg.Wait()
	})
	return p
}

func (p *proxy) accept() {
	for {
		near, err := p.l.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", p.target)
		if err != nil {
			near.Close()
			continue
		}
		p.mu.Lock()
		p.near, p.far = append(p.near, near), append(p.far, far)
		p.mu.Unlock()
		p.wg.Go(func() { p.pass(far, near) })
		p.wg.Go(func() { p.pass(near, far) })
	}
}

// pass copies until an end is closed. A frozen proxy reads no more, as a peer
// that lost its power.
func (p *proxy) pass(to, from net.Conn) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		p.mu.Lock()
		frozen := p.frozen
		p.mu.Unlock()
		if frozen {
			return
		}
		if n > 0 {
			if _, werr := to.Write(buf[:n]); werr != nil {
				return
			}
		}
		if err != nil {
			if err == io.EOF {
				to.Close()
			}
			return
		}
	}
}

// cut closes the connections that there are, on either side.
func (p *proxy) cut(near, far bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if near {
		for _, c := range p.near {
			c.Close()
		}
		p.near = nil
	}
	if far {
		for _, c := range p.far {
			c.Close()
		}
		p.far = nil
	}
}

func (p *proxy) freeze(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen = on
}

func TestMosquittoTellsTheHouseWhenTheConnectionIsCut(t *testing.T) {
	m := newMosquitto(t, anonymous)
	p := newProxy(t, "127.0.0.1:"+m.port)
	x := newBox(t, Options{Broker: "mqtt://" + p.address}).run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	e := listen(t, "127.0.0.1:"+m.port, "hearth/kitchen/availability")
	for i := range 3 {
		p.cut(true, true)
		eventually(t, "the will", func() bool { return e.count("hearth/kitchen/availability offline") == i+1 })
		x.state(event.Muted)
		m.shows(t, "hearth/kitchen/availability", "online")
		m.shows(t, "hearth/kitchen/state", "muted")
	}
}

// The broker has not noticed that the old connection is dead when the new one
// comes: it then publishes the will of the old one, which must not stand.
func TestMosquittoTakesTheNewConnectionForTheOld(t *testing.T) {
	m := newMosquitto(t, anonymous)
	p := newProxy(t, "127.0.0.1:"+m.port)
	x := newBox(t, Options{Broker: "mqtt://" + p.address}).run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	e := listen(t, "127.0.0.1:"+m.port, "hearth/kitchen/availability")
	p.freeze(true) // or the far side would hear of the cut
	p.cut(true, false)
	eventually(t, "the bridge to notice", func() bool { return x.State() == "connecting" })
	p.freeze(false)
	eventually(t, "the takeover", func() bool { return e.count("hearth/kitchen/availability offline") == 1 })
	m.shows(t, "hearth/kitchen/availability", "online")
	m.pub(t, "hearth/kitchen/set/mute", "-m", "ON")
	eventually(t, "the command", func() bool { return len(x.speaker.list()) == 1 })
}

func TestBridgeEndsThoughTheBrokerIsHalfOpen(t *testing.T) {
	m := newMosquitto(t, anonymous)
	p := newProxy(t, "127.0.0.1:"+m.port)
	x := newBox(t, Options{Broker: "mqtt://" + p.address}).run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	p.freeze(true)
	x.state(event.Idle)
	eventually(t, "a message to be on its way", func() bool { _, ok := x.out.next(); return ok })
	if err := x.stop(); err != nil {
		t.Error(err)
	}
}

func TestBridgeEndsThoughTheBrokerSaysNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, scheme := range []string{"mqtt://", "mqtts://"} {
		x := newBox(t, Options{Broker: scheme + l.Addr().String()}).run(t)
		c, err := l.Accept() // and not a word
		if err != nil {
			t.Fatal(err)
		}
		if err := x.stop(); err != nil {
			t.Error(err)
		}
		c.Close()
	}
}
