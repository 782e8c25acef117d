package mqtt

import (
	"bytes"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/eclipse/paho.mqtt.golang/packets"

	"hearthd/daemon/mqtt/contract"
)

// wire is the broker's end of one connection, packet by packet.
type wire struct {
	net.Conn
	t        *testing.T
	received []string // names of the packets, PUBLISH with topic and payload
}

// accept takes a bridge's connection, welcomes it, and answers the subscription
// with code.
func accept(t *testing.T, l net.Listener, code byte) *wire {
	t.Helper()
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Conn: c, t: t}
	w.until(func(p packets.ControlPacket) bool { _, ok := p.(*packets.ConnectPacket); return ok })
	w.send(packets.NewControlPacket(packets.Connack))
	w.answers(code)
	return w
}

// answers waits for a subscription and answers it with code.
func (w *wire) answers(code byte) {
	w.t.Helper()
	w.until(func(p packets.ControlPacket) bool {
		s, ok := p.(*packets.SubscribePacket)
		if ok {
			a := packets.NewControlPacket(packets.Suback).(*packets.SubackPacket)
			a.MessageID, a.ReturnCodes = s.MessageID, bytes.Repeat([]byte{code}, len(s.Topics))
			w.send(a)
		}
		return ok
	})
}

func (w *wire) send(p packets.ControlPacket) {
	w.t.Helper()
	if err := p.Write(w); err != nil {
		w.t.Fatal(err)
	}
}

// until reads and acknowledges packets up to one that is wanted.
func (w *wire) until(wanted func(packets.ControlPacket) bool) {
	w.t.Helper()
	for {
		p := w.next()
		if m, ok := p.(*packets.PublishPacket); ok {
			w.received = append(w.received, m.TopicName+" "+string(m.Payload))
			a := packets.NewControlPacket(packets.Puback).(*packets.PubackPacket)
			a.MessageID = m.MessageID
			w.send(a)
		} else {
			w.received = append(w.received, packets.PacketNames[packetType(p)])
		}
		if wanted(p) {
			return
		}
	}
}

// next reads a packet, but for the subscription by which the bridge tries out the connection meanwhile.
func (w *wire) next() packets.ControlPacket {
	w.t.Helper()
	for {
		p, err := packets.ReadPacket(w)
		if err != nil {
			w.t.Fatalf("read after %q: %v", w.received, err)
		}
		if s, ok := p.(*packets.SubscribePacket); !ok || !slices.Contains(s.Topics, own+"/set/doctor/ping") {
			return p
		}
	}
}

func packetType(p packets.ControlPacket) byte {
	switch p.(type) {
	case *packets.ConnectPacket:
		return packets.Connect
	case *packets.SubscribePacket:
		return packets.Subscribe
	case *packets.DisconnectPacket:
		return packets.Disconnect
	}
	return 0
}

func payload(want string) func(packets.ControlPacket) bool {
	return func(p packets.ControlPacket) bool {
		m, ok := p.(*packets.PublishPacket)
		return ok && string(m.Payload) == want
	}
}

// greeting is what a connection begins with: the retained topics of the contract.
func greeting() []string {
	list := []string{"CONNECT", "SUBSCRIBE"}
	for _, topic := range contract.Topics() {
		if topic.Retained {
			list = append(list, own+"/"+topic.Level)
		}
	}
	return append(list[:len(list)-1], own+"/availability online", "hearth/house/home/box/kitchen 1")
}

// short is what was received without the payloads of the other retained topics, and
// without what is for Home Assistant.
func (w *wire) short() []string {
	var list []string
	for _, r := range w.received {
		topic, _, _ := strings.Cut(r, " ")
		last := strings.TrimPrefix(topic, own+"/")
		switch {
		case strings.HasPrefix(r, "homeassistant/"):
		case slices.ContainsFunc(contract.Topics(), func(t contract.Topic) bool {
			return t.Retained && t.Level == last && t.Level != contract.Availability
		}):
			list = append(list, topic)
		default:
			list = append(list, r)
		}
	}
	return list
}

func newListener(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func TestTheBridgeSaysGoodbyeBeforeItHangsUp(t *testing.T) {
	l := newListener(t)
	x := newBox(t, Options{Broker: "mqtt://" + l.Addr().String()}).run(t)
	w := accept(t, l, 1)
	defer w.Close()
	w.until(payload("1")) // the last of the greeting
	stopped := make(chan error, 1)
	go func() { stopped <- x.stop() }()
	w.until(func(p packets.ControlPacket) bool { _, ok := p.(*packets.DisconnectPacket); return ok })
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	want := append(greeting(), "hearth/kitchen/availability offline", "DISCONNECT")
	if got := w.short(); !slices.Equal(got, want) {
		t.Errorf("the broker got %q, want %q", got, want)
	}
}

func TestAPacketIsNotBelievedItsLength(t *testing.T) {
	l := newListener(t)
	x := newBox(t, Options{Broker: "mqtt://" + l.Addr().String()}).run(t)
	w := accept(t, l, 1)
	defer w.Close()
	w.until(payload(contract.Online))
	w.until(payload("1")) // the last of the greeting, or its acknowledgement would be taken for a part
	// 256 MiB are announced, and no more comes than is taken of them.
	in := append([]byte("\x30\xff\xff\xff\x7f\x00\x16hearth/kitchen/set/say"), make([]byte, maxReceived)...)
	if _, err := w.Write(in); err != nil {
		t.Fatal(err)
	}
	w.until(payload(`{"command":"say","ok":false,"error":"payload is longer than 8192 bytes"}`))
	if told := x.speaker.list(); told != nil {
		t.Errorf("carried out: %v", told)
	}
}

func TestARefusedSubscriptionIsACondition(t *testing.T) {
	l := newListener(t)
	x := newBox(t, Options{Broker: "mqtt://" + l.Addr().String()}).run(t)
	w := accept(t, l, subackRefused)
	defer w.Close()
	want := "The MQTT broker at " + l.Addr().String() +
		" refuses the subscription to commands, hearth/kitchen/set/+; see its access list."
	eventually(t, want, func() bool { return x.condition() == want })
	if x.State() != "connecting" {
		t.Errorf("the bridge is %s", x.State())
	}
}

func TestAnUnacknowledgedMessageComesAgainOnTheNextConnection(t *testing.T) {
	l := newListener(t)
	x := newBox(t, Options{Broker: "mqtt://" + l.Addr().String()})
	x.answer(call{name: contract.Stop}, result{OK: true}) // any message that is not retained
	x.run(t)
	w := accept(t, l, 1)
	w.until(payload(contract.Online))
	w.until(payload("1")) // the last of the greeting
	w.next()              // the answer, not acknowledged
	w.Close()
	w = accept(t, l, 1)
	defer w.Close()
	w.until(payload(`{"command":"stop","ok":true}`))
	want := append(greeting(), `hearth/kitchen/result {"command":"stop","ok":true}`)
	if got := w.short(); !slices.Equal(got, want) {
		t.Errorf("the broker got %q, want %q", got, want)
	}
}
