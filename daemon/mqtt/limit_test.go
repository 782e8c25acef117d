package mqtt

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/daemon/mqtt/contract"
)

func TestCommandsThatComeTooOftenAreRefused(t *testing.T) {
	l := limits([]contract.Command{{Name: "say", Burst: 3, Every: 2 * time.Second},
		{Name: "stop", Burst: 1, Every: time.Second}})
	now := evening
	taken := func() (n int) {
		for l["say"].AllowN(now, 1) {
			n++
		}
		return n
	}
	if n := taken(); n != 3 {
		t.Errorf("%d at once", n)
	}
	if !l["stop"].AllowN(now, 1) {
		t.Error("another command is refused")
	}
	for _, tt := range []struct {
		after time.Duration
		want  int
	}{{1999 * time.Millisecond, 0}, {time.Millisecond, 1}, {5 * time.Second, 2}, {time.Hour, 3}} {
		now = now.Add(tt.after)
		if n := taken(); n != tt.want {
			t.Errorf("%d were taken after %v, want %d", n, tt.after, tt.want)
		}
	}
}

// Every command may be switched off, and what comes too often is answered.
func TestMosquittoHearsWhatIsNotObeyed(t *testing.T) {
	m := newMosquitto(t, anonymous)
	x := newBox(t, Options{Broker: m.url()})
	x.opt.Device.Commands = []string{contract.Mute}
	x.run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	e := listen(t, "127.0.0.1:"+m.port, "hearth/kitchen/result")
	for _, c := range contract.Commands() {
		if c.Name == contract.Mute {
			continue
		}
		payload := map[string]string{contract.Volume: "40", contract.Timer: "600", contract.Route: contract.Local,
			contract.WakeWord: "all", contract.Tool: `{"tool":"list_show"}`, contract.Media: "pause"}[c.Name]
		if payload == "" {
			payload = contract.On
		}
		m.pub(t, "hearth/kitchen/set/"+c.Name, "-m", payload)
		want := fmt.Sprintf(`hearth/kitchen/result {"command":%q,"ok":false,"error":"the command \"%s\" is switched off`, c.Name, c.Name)
		eventually(t, want, func() bool { return e.count(want) == 1 })
	}
	mute, _ := contract.Find(contract.Mute)
	const more = 20
	flood := exec.Command("mosquitto_pub", append([]string{"-q", "1", "-l", "-t", "hearth/kitchen/set/mute"},
		m.args...)...)
	flood.Stdin = strings.NewReader(strings.Repeat(contract.On+"\n", mute.Burst+more))
	if out, err := flood.CombinedOutput(); err != nil {
		t.Fatalf("mosquitto_pub: %v: %s", err, out)
	}
	refused := `hearth/kitchen/result {"command":"mute","ok":false,"error":"too many: at most 10 mute commands at once, then one each 1s`
	done := `hearth/kitchen/result {"command":"mute","ok":true}`
	eventually(t, "an answer to each", func() bool { return e.count(refused)+e.count(done) == mute.Burst+more })
	if e.count(refused) == 0 || e.count(done) < mute.Burst || len(x.speaker.list()) != e.count(done) {
		t.Errorf("%d were refused, %d done, %d carried out", e.count(refused), e.count(done), len(x.speaker.list()))
	}
	if told := x.speaker.list(); slices.ContainsFunc(told, func(s string) bool { return s != "mute true" }) {
		t.Errorf("carried out: %q", told)
	}
}

// Each command is answered, those too that come too often or find the queue full, and each answer has its id.
func TestEachCommandOfABurstIsAnswered(t *testing.T) {
	t.Run("Mosquitto", func(t *testing.T) {
		m := newMosquitto(t, anonymous, "max_queued_messages 10000")
		newBox(t, Options{Broker: m.url()}).run(t)
		m.shows(t, "hearth/kitchen/availability", "online")
		burst(t, m, listen(t, "127.0.0.1:"+m.port, "hearth/kitchen/result/#"))
	})
	t.Run("embedded", func(t *testing.T) {
		newMosquitto(t, anonymous) // skips without the client programs
		address := "127.0.0.1:" + freePort(t)
		x := newBox(t, Options{Broker: contract.Embedded, Listen: address}).run(t)
		eventually(t, "the bridge", func() bool { return x.State() == "connected" })
		burst(t, guestOf(address), listen(t, address, "hearth/kitchen/result/#"))
	})
}

func burst(t *testing.T, m *mosquitto, e *ear) {
	t.Helper()
	const burst = 2000
	var lines strings.Builder
	for i := range burst {
		fmt.Fprintf(&lines, `{"text":"hello","id":"n%d","reply":"hearth/kitchen/result/%d"}`+"\n", i, i%7)
	}
	for _, command := range []string{contract.Say, contract.Ask} {
		before := len(e.all())
		cmd := exec.Command("mosquitto_pub", append([]string{"-q", "1", "-t", "hearth/kitchen/set/" + command, "-l"},
			m.args...)...)
		cmd.Stdin = strings.NewReader(lines.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		eventually(t, "all answers", func() bool { return len(e.all()) >= before+burst })
		ids := make(map[string]int)
		for _, answer := range e.all()[before:] {
			_, rest, _ := strings.Cut(answer, `"id":"n`)
			id, _, _ := strings.Cut(rest, `"`)
			ids[id]++
		}
		for i := range burst {
			if ids[fmt.Sprint(i)] != 1 {
				t.Fatalf("%s: number %d was answered %d times", command, i, ids[fmt.Sprint(i)])
			}
		}
	}
}

func TestCommandsThatWaitAtTheEndAreAnswered(t *testing.T) {
	m := newMosquitto(t, anonymous)
	x := newBox(t, Options{Broker: m.url()})
	x.speaker.hold = make(chan struct{})
	x.run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	e := listen(t, "127.0.0.1:"+m.port, "hearth/kitchen/#")
	for range 5 {
		m.pub(t, "hearth/kitchen/set/ask", "-m", "why")
	}
	eventually(t, "the questions to wait", func() bool { return len(x.asks) == 4 })
	if err := x.stop(); err != nil {
		t.Error(err)
	}
	const answer, end = `hearth/kitchen/result {"command":"ask","ok":false,"error":"shutting down"}`,
		"hearth/kitchen/availability offline"
	eventually(t, "the end", func() bool { return e.count(end) == 1 })
	if n := e.count(answer); n != 5 {
		t.Errorf("%d answers: %q", n, e.all())
	}
}
