package mqtt

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
)

const anonymous = "allow_anonymous true"

func TestMosquittoSeesTheSpeakerComeAndGo(t *testing.T) {
	m := newMosquitto(t, anonymous)
	x := newBox(t, Options{Broker: m.url()}).run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	m.shows(t, "hearth/kitchen/state", "starting")
	m.shows(t, "hearth/kitchen/timers", "[]")
	if x.State() != "connected" || x.condition() != "" {
		t.Errorf("the bridge is %s, condition %q", x.State(), x.condition())
	}
	x.state(event.Idle)
	m.shows(t, "hearth/kitchen/state", "idle")

	e := listen(t, "127.0.0.1:"+m.port, "hearth/kitchen/turn")
	x.bus.Publish(&event.Turn{Source: "text", Outcome: "answered"})
	eventually(t, "the turn", func() bool { return e.count("hearth/kitchen/turn {") == 1 })

	if err := x.stop(); err != nil {
		t.Error(err)
	}
	if x.State() != "connecting" {
		t.Errorf("after its end the bridge is %s", x.State())
	}
	m.shows(t, "hearth/kitchen/availability", "offline")
}

func TestMosquittoCarriesPlainCommands(t *testing.T) {
	m := newMosquitto(t, anonymous)
	x := newBox(t, Options{Broker: m.url()}).run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	for _, c := range [][2]string{
		{"mute", "ON"}, {"mute", "OFF"}, {"volume", "40"}, {"say", "dinner is ready"}, {"listen", "ON"}, {"stop", ""},
	} {
		m.pub(t, "hearth/kitchen/set/"+c[0], "-m", c[1])
	}
	want := []string{"mute true", "mute false", "volume 40", "say dinner is ready", "listen", "stop"}
	eventually(t, "the commands", func() bool { return len(x.speaker.list()) >= len(want) })
	if diff := cmp.Diff(want, x.speaker.list()); diff != "" {
		t.Error(diff)
	}
}

func TestMosquittoCarriesAnswersWhereTheyAreWanted(t *testing.T) {
	m := newMosquitto(t, anonymous)
	x := newBox(t, Options{Broker: m.url()}).run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	e := listen(t, "127.0.0.1:"+m.port, "#")
	deep := "hearth/kitchen/result/" + strings.Repeat("a/", maxReplyLevels-4) + "b" // the deepest that is allowed
	for _, tt := range []struct{ command, payload, want string }{
		{"ask", `{"text":"why","reply":"hearth/kitchen/result/1","id":"7"}`,
			`hearth/kitchen/result/1 {"command":"ask","id":"7","ok":true,"turn":{`},
		{"stop", `{"reply":"` + deep + `"}`, deep + ` {"command":"stop","ok":true}`},
		{"listen", `ON`, `hearth/kitchen/result {"command":"listen","ok":true}`},
		{"unlock", `ON`,
			`hearth/kitchen/result {"command":"unlock","ok":false,"error":"there is no command \"unlock\""}`},
		{"say", strings.Repeat("a", maxPayload+1),
			`hearth/kitchen/result {"command":"say","ok":false,"error":"payload is longer than 8192 bytes"}`},
		{"ask", strings.Repeat("a", 2<<20),
			`hearth/kitchen/result {"command":"ask","ok":false,"error":"payload is longer than 8192 bytes"}`},
		{"say", `{"reply":"hearth/kitchen/result/2"}`,
			`hearth/kitchen/result/2 {"command":"say","ok":false,"error":"text is empty"}`},
		{"say", `{"text":"break","id":"8"}`,
			`hearth/kitchen/result {"command":"say","id":"8","ok":false,"error":"could not be carried out; the journal says why"}`},
		{"volume", `{"percent":200}`,
			`hearth/kitchen/result {"command":"volume","ok":false,"error":"volume takes a whole number from 0 to 100"}`},
	} {
		file := filepath.Join(t.TempDir(), "payload")
		if err := os.WriteFile(file, []byte(tt.payload), 0o600); err != nil {
			t.Fatal(err)
		}
		m.pub(t, "hearth/kitchen/set/"+tt.command, "-f", file)
		eventually(t, tt.want, func() bool { return e.count(tt.want) == 1 })
	}
	if told := x.speaker.list(); !slices.Equal(told, []string{"ask why", "stop", "listen"}) {
		t.Errorf("carried out: %v", told)
	}
	if !strings.Contains(x.log.String(), "secret detail") {
		t.Error("the journal does not say why the command broke")
	}
	if n := e.count("hearth/kitchen/availability offline"); n != 0 {
		t.Error("the connection was lost on the way")
	}
}

func TestMosquittoDoesNotDeliverStaleCommands(t *testing.T) {
	m := newMosquitto(t, anonymous)
	m.pub(t, "hearth/kitchen/set/listen", "-r", "-m", "ON")
	e := listen(t, "127.0.0.1:"+m.port, "hearth/kitchen/result")
	x := newBox(t, Options{Broker: m.url()}).run(t)
	refused := `hearth/kitchen/result {"command":"listen","ok":false,"error":"retained commands are refused`
	eventually(t, "the refusal", func() bool { return e.count(refused) == 1 })

	// Whoever reads that clears the topic, with an empty payload.
	m.pub(t, "hearth/kitchen/set/listen", "-r", "-n")
	empty := `hearth/kitchen/result {"command":"listen","ok":false,"error":"listen wants a payload`
	eventually(t, "the second refusal", func() bool { return e.count(empty) == 1 })
	if told := x.speaker.list(); told != nil {
		t.Errorf("carried out: %v", told)
	}
}

func TestMosquittoTakesStopWhileAQuestionIsAnswered(t *testing.T) {
	m := newMosquitto(t, anonymous)
	x := newBox(t, Options{Broker: m.url()})
	x.speaker.hold = make(chan struct{})
	x.run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	e := listen(t, "127.0.0.1:"+m.port, "hearth/kitchen/result")
	for i := range maxCalls + 2 { // one is being answered, as many wait as may, one is too many
		m.pub(t, "hearth/kitchen/set/ask", "-m", fmt.Sprint("question ", i))
	}
	eventually(t, "the refusal of the last",
		func() bool { return e.count(`hearth/kitchen/result {"command":"ask","ok":false,"error":"busy`) == 1 })
	m.pub(t, "hearth/kitchen/set/stop", "-m", "ON")
	eventually(t, "the stop", func() bool { return slices.Equal(x.speaker.list(), []string{"stop"}) })
	close(x.speaker.hold)
	eventually(t, "the answers",
		func() bool { return e.count(`hearth/kitchen/result {"command":"ask","ok":true`) == maxCalls+1 })
}

func TestMosquittoWantsUserAndPassword(t *testing.T) {
	file := filepath.Join(t.TempDir(), "passwd")
	if out, err := exec.Command(program("mosquitto_passwd"), "-b", "-c", file, "hearthd",
		"correct horse").CombinedOutput(); err != nil {
		t.Skipf("mosquitto_passwd: %v: %s", err, out)
	}
	m := newMosquitto(t, "allow_anonymous false", "password_file "+file)
	m.args = append(m.args, "-u", "hearthd", "-P", "correct horse")

	newBox(t, Options{Broker: m.url(), User: "hearthd", Password: "correct horse"}).run(t)
	m.shows(t, "hearth/kitchen/availability", "online")

	for _, opt := range []Options{{User: "hearthd", Password: "battery staple"}, {User: "nobody"}, {}} {
		opt.Broker = m.url()
		x := newBox(t, opt).run(t)
		want := "The MQTT broker at 127.0.0.1:" + m.port + " refuses the user or password."
		eventually(t, want, func() bool { return x.condition() == want })
		if err := x.stop(); err != nil {
			t.Error(err)
		}
		if strings.Contains(x.log.String(), "battery staple") {
			t.Error("the password is in the log")
		}
	}
}

func TestBridgeWaitsForABrokerThatComesLater(t *testing.T) {
	m := newMosquitto(t, anonymous)
	m.kill(t)
	x := newBox(t, Options{Broker: m.url()}).run(t)
	x.state(event.Idle)
	want := "The MQTT broker at 127.0.0.1:" + m.port + " is not reachable."
	eventually(t, want, func() bool { return x.condition() == want })
	m.start(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	m.shows(t, "hearth/kitchen/state", "idle")
	eventually(t, "the condition to clear", func() bool { return x.condition() == "" })
}
