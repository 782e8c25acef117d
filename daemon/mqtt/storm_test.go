package mqtt

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eclipse/paho.mqtt.golang/packets"
	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
	"hearthd/daemon/mqtt/contract"
)

// kills is how often the broker dies: HEARTHD_TEST_KILLS, 200 in the full run.
func kills(t *testing.T) int {
	t.Helper()
	text := os.Getenv("HEARTHD_TEST_KILLS")
	if text == "" {
		return 6
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// busy publishes states and turns all the time, as fast as a busy house, until the
// function that it gives is called.
func busy(x *box) (end func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-tick.C:
				x.state([]event.State{event.Idle, event.Listening, event.Thinking}[i%3])
				x.bus.Publish(&event.Turn{Source: "text"})
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(stop)
		<-stopped
	})
}

// told are the commands of a name that were carried out.
func (x *box) told(name string) []string {
	return slices.DeleteFunc(x.speaker.list(), func(s string) bool { return !strings.HasPrefix(s, name+" ") })
}

// live is what the heap holds, in bytes.
func live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A power cut of the broker in the middle of traffic, again and again: what is
// retained is right within 5 s of its return, each command is carried out once, and
// nothing piles up.
func TestMosquittoIsKilledAgainAndAgainInTheMiddleOfTraffic(t *testing.T) {
	m := newMosquitto(t, anonymous)
	x := newBox(t, Options{Broker: m.url(), Discovery: true}).run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	end := busy(x)
	defer end()
	var want []string
	var worst time.Duration
	var before uint64
	goroutines := 0
	for i := range kills(t) {
		// This one is on its way when the power goes: it is carried out or not.
		way := exec.Command("mosquitto_pub", append([]string{"-q", "1", "-t", "hearth/kitchen/set/timer", "-m",
			fmt.Sprintf(`{"seconds":1,"label":"%d"}`, i)}, m.args...)...)
		if err := way.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(rand.N(8 * time.Millisecond)) // as long as it takes
		m.kill(t)
		_ = way.Wait() // the broker may be gone
		eventually(t, "the bridge to notice", func() bool { return x.State() == "connecting" })
		x.bus.Publish(&event.TimersChanged{Timers: []event.Timer{{ID: int64(i)}}})
		x.bus.Publish(&event.VolumeChanged{Percent: i % 101})
		m.start(t)
		eventually(t, "the bridge to be back", func() bool { return x.State() == "connected" })
		begun := time.Now()
		m.shows(t, "hearth/kitchen/availability", "online")
		m.shows(t, "hearth/kitchen/timers", fmt.Sprintf(`[{"id":%d,"kind":"","ends":"0001-01-01T00:00:00Z"}]`, i))
		m.shows(t, "hearth/kitchen/volume", strconv.Itoa(i%101))
		worst = max(worst, time.Since(begun))
		m.pub(t, "hearth/kitchen/set/volume", "-m", fmt.Sprint(i%101))
		want = append(want, fmt.Sprint("volume ", i%101))
		eventually(t, "the command", func() bool { return len(x.told("volume")) == len(want) })
		if i == 2 {
			before, goroutines = live(), runtime.NumGoroutine()
		}
	}
	end()
	x.state(event.Speaking)
	m.shows(t, "hearth/kitchen/state", "speaking")
	if diff := cmp.Diff(want, x.told("volume")); diff != "" {
		t.Errorf("each command once: %s", diff)
	}
	caught := x.told("timer")
	if slices.Sort(caught); len(slices.Compact(slices.Clone(caught))) != len(caught) {
		t.Errorf("a command was carried out twice: %q", caught)
	}
	t.Logf("of the commands on their way at a kill %d were carried out", len(caught))
	t.Logf("retained topics right within %v of the connection; heap %d kB, %d kB after the third kill; %d goroutines, %d then", worst, live()>>10, before>>10, runtime.NumGoroutine(), goroutines)
	// The outbox holds a hundred turns of a kilobyte, and the test what it was told.
	if now := live(); before > 0 && now > before+2<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before, now)
	}
	eventually(t, "the goroutines to end", func() bool { return runtime.NumGoroutine() <= goroutines+4 })
}

// A broker that accepts and acknowledges as slowly as it may: what is retained is
// the newest value, what is not is bounded, and the events do not wait.
func TestASlowBrokerHoldsNothingUp(t *testing.T) {
	l := newListener(t)
	x := newBox(t, Options{Broker: "mqtt://" + l.Addr().String()}).run(t)
	w := accept(t, l, 1)
	defer w.Close()
	w.until(payload(contract.Online))
	const flood = 2000
	begun := live()
	for i := range flood {
		x.bus.Publish(&event.Turn{Header: event.Header{Turn: uint64(i)}, Source: "announcement",
			Answer: strings.Repeat("a", 1000)})
		x.bus.Publish(&event.VolumeChanged{Percent: i % 101})
	}
	eventually(t, "the events to be taken", func() bool { return len(x.sub.C()) == 0 })
	if n := len(drain(x.out)); n > maxQueued+40 {
		t.Errorf("%d messages wait", n)
	}
	if x.sub.Dropped() != 0 {
		t.Errorf("%d events were dropped", x.sub.Dropped())
	}
	if now := live(); now > begun+2<<20 {
		t.Errorf("the heap grew from %d to %d bytes", begun, now)
	}
}

// A half-open connection: the peer is gone and nobody says so. The next message is
// not acknowledged, and the bridge tries again within the limits that it has.
func TestAHalfOpenConnectionIsLeft(t *testing.T) {
	m := newMosquitto(t, anonymous)
	p := newProxy(t, "127.0.0.1:"+m.port)
	x := newBox(t, Options{Broker: "mqtt://" + p.address}).run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	p.freeze(true)
	x.state(event.Speaking)
	eventually(t, "the bridge to notice", func() bool { return x.State() == "connecting" })
	p.freeze(false)
	m.shows(t, "hearth/kitchen/state", "speaking")
}

func TestMosquittoWithAnExpiredCertificateIsACondition(t *testing.T) {
	a := newAuthority(t)
	a.issueFrom(t, "broker", ofHost(), time.Now().Add(-25*time.Hour))
	m := a.encrypted(t, "broker")
	x := newBox(t, Options{Broker: "mqtts://127.0.0.1:" + m.port, CAFile: a.file("ca.pem")}).run(t)
	want := "The MQTT broker at 127.0.0.1:" + m.port + " shows a certificate that has expired or is not valid yet."
	eventually(t, want, func() bool { return x.condition() == want })
	m.kill(t)
	a.issue(t, "broker", ofHost()) // it was renewed
	m.start(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	eventually(t, "the condition to clear", func() bool { return x.condition() == "" })
}

// A broker that hangs up whenever it sees the device document must not cost the
// rest: the document is given up.
func TestABrokerThatHatesTheDocumentIsNotLost(t *testing.T) {
	l := newListener(t)
	x := newBox(t, Options{Broker: "mqtt://" + l.Addr().String(), Discovery: true}).run(t)
	hates := func() bool {
		w := accept(t, l, 1)
		defer w.Close()
		w.answers(subackRefused) // it may not hear of births either
		w.until(payload(contract.Online))
		m, ok := w.next().(*packets.PublishPacket)
		return ok && m.TopicName == x.device.Topic()
	}
	n := 0
	for range maxTries {
		if hates() {
			n++
		}
	}
	eventually(t, "the topic in the condition", func() bool {
		return strings.Contains(x.says("broker_access"),
			x.device.Topic())
	})
	w := accept(t, l, 1)
	defer w.Close()
	w.answers(subackRefused) // it may not hear of births either
	w.until(payload(contract.Online))
	x.answer(call{name: contract.Stop}, result{OK: true})
	w.until(payload(`{"command":"stop","ok":true}`))
	if n != maxTries || slices.ContainsFunc(w.received, func(s string) bool {
		return strings.HasPrefix(s,
			"homeassistant/")
	}) {
		t.Errorf("hung up at the document %d times, and then got %q", n, w.received)
	}
}
