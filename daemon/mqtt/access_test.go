package mqtt

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eclipse/paho.mqtt.golang/packets"
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
	return "user hearthd\n" + strings.ReplaceAll(list, "    ", "")
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
	x := newBox(t, Options{Broker: m.url(), User: "hearthd", Password: "secret"}).run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	m.shows(t, "hearth/kitchen/state", "starting")
	m.shows(t, "hearth/kitchen/timers", "[]")
	m.pub(t, "hearth/kitchen/set/mute", "-m", "ON")
	eventually(t, "the command", func() bool { return len(x.speaker.list()) == 1 })
	if err := x.stop(); err != nil {
		t.Error(err)
	}
	m.shows(t, "hearth/kitchen/availability", "offline")
}

func TestARefusedSubscriptionIsACondition(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() { // a broker that welcomes everybody and grants nothing
		defer close(served)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		for {
			p, err := packets.ReadPacket(c)
			if err != nil {
				return
			}
			switch p := p.(type) {
			case *packets.ConnectPacket:
				err = packets.NewControlPacket(packets.Connack).Write(c)
			case *packets.SubscribePacket:
				a := packets.NewControlPacket(packets.Suback).(*packets.SubackPacket)
				a.MessageID, a.ReturnCodes = p.MessageID, []byte{subackRefused}
				err = a.Write(c)
			}
			if err != nil {
				return
			}
		}
	}()
	x := newBox(t, Options{Broker: "mqtt://" + l.Addr().String()}).run(t)
	want := "The MQTT broker at " + l.Addr().String() + " refuses the subscription to commands."
	eventually(t, want, func() bool { return x.condition() == want })
	if x.State() != "connecting" {
		t.Errorf("the bridge is %s", x.State())
	}
	<-served
	l.Close()
}
