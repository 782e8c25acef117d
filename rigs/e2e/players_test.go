package e2e

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/rigs/testcard"
)

// wants skips a test where programs of Debian are not installed.
func wants(t testing.TB, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s, of Debian, is not installed", program)
		}
	}
}

// takesTheFloor is what is asked of every other player: it is heard by itself, softly while somebody is
// listened to, and neither beside what somebody wants afterwards nor after it has been stopped.
func (k *kitchen) takesTheFloor(name string) {
	k.t.Helper()
	k.audible(k.played())
	if doc := k.ask("what is playing"); doc.Answer != "This is "+name+", which does not say what it plays." {
		k.t.Errorf("%+v", doc)
	}
	k.await("an idle box", func(s Status) bool { return s.State == "idle" })
	full := k.level("full volume", func(n int) bool { return n > loud })
	k.post("/v1/listen", struct{}{})
	k.level("to be soft while it listens", func(n int) bool { return n > 0 && n < full/2 })
	k.level("to be back", func(n int) bool { return n > full*9/10 }) // when nobody has said anything
	if doc := k.ask("play radio one"); doc.Answer != "Radio One." {
		k.t.Errorf("%+v", doc)
	}
	if doc := k.ask("what is playing"); !strings.HasPrefix(doc.Answer, "This is Radio One") {
		k.t.Errorf("who has the floor last: %+v", doc)
	}
	if doc := k.ask("play " + strings.ToLower(name)); doc.Answer != name+"." {
		k.t.Errorf("%+v", doc)
	}
	k.audible(k.played())
	if doc := k.ask("stop the music"); doc.Outcome != "answered" {
		k.t.Errorf("%+v", doc)
	}
	k.await("an idle box", func(s Status) bool { return s.State == "idle" })
	k.level("silence", func(n int) bool { return n < loud/10 })
}

// level waits until the last 300 ms are as loud as they should be, and gives their peak.
func (k *kitchen) level(what string, good func(int) bool) (n int) {
	k.t.Helper()
	from := k.played()
	k.await(what, func(Status) bool {
		const last = testcard.Rate / 10 * 3
		p := k.sound(from)
		if len(p) < last {
			return false
		}
		n = peak(p[len(p)-last:])
		return good(n)
	})
	return n
}

// samples are those of a tone, mono, little endian.
func samples(rate int, d time.Duration) []byte {
	var data []byte
	for i := range int(d.Seconds() * float64(rate)) {
		v := 16000 * math.Sin(2*math.Pi*440*float64(i)/float64(rate))
		data = binary.LittleEndian.AppendUint16(data, uint16(int16(v)))
	}
	return data
}

// squeezeServer is a server of Squeezeboxes of one player, as SlimProto has it: it takes the player's hello,
// has it play an address, and tells it now and again that it is there.
func squeezeServer(t *testing.T) (address string, play func()) {
	t.Helper()
	sound := samples(44100, 120*time.Second)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(sound) // the player ends it
	}))
	t.Cleanup(web.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { l.Close() })
	plays := make(chan struct{}, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, c) }()
			err = serve(c, uint16(web.Listener.Addr().(*net.TCPAddr).Port), plays)
			_ = errors.Join(err, c.Close()) // the player has ended, and another may come
		}
	}()
	return l.Addr().String(), func() { plays <- struct{}{} }
}

// serve sends what the player is to do: each order is its length, four letters and what it needs.
func serve(c net.Conn, port uint16, plays <-chan struct{}) error {
	order := func(name string, data []byte) error {
		_, err := c.Write(append(append(binary.BigEndian.AppendUint16(nil, uint16(4+len(data))), name...), data...))
		return err
	}
	stream := func(command byte) []byte { // 16 bits, 44100, mono, little endian; begins with 10 KB
		data := append([]byte{command, '1', 'p', '1', '3', '1', '1', 10, 0, 0, '0', 0, 0, 0}, 0, 0, 0, 0)
		return append(binary.BigEndian.AppendUint16(data, port), 0, 0, 0, 0)
	}
	whole := []byte{0, 1, 0, 0}
	err := errors.Join(order("aude", []byte{1, 1}), order("audg", slices.Concat(whole, whole, []byte{1, 0}, whole, whole)))
	if err != nil {
		return err
	}
	for tick := time.NewTicker(2 * time.Second); ; {
		select {
		case <-plays:
			err = errors.Join(order("strm", stream('q')), order("strm", append(stream('s'), "GET / HTTP/1.0\r\n\r\n"...)))
		case <-tick.C:
			err = order("strm", stream('t'))
		}
		if err != nil {
			return err
		}
	}
}

func TestSqueezeliteTakesTheFloor(t *testing.T) {
	wants(t, "squeezelite", "ffmpeg")
	address, play := squeezeServer(t)
	k := newKitchen(t, "HEARTHD_MEDIA_VOLUME=100", "HEARTHD_AUDIO_VOLUME=100", "HEARTHD_MEDIA_STATIONS="+stations(t, "Radio One"),
		"HEARTHD_MEDIA_SOURCES=[{name: Squeezebox, when: always, command: [squeezelite, -n, Kitchen, -s, '"+address+
			"', -o, '-', -r, '44100', -a, '16']}]")
	k.begin()
	play()
	k.takesTheFloor("Squeezebox")
}

// airplay is AirPlay on this machine's loopback: shairport-sync, which needs a bus and something that announces
// it, and a sender, which is PulseAudio's.
func airplay(t *testing.T) (command string, play func()) {
	t.Helper()
	wants(t, "shairport-sync", "avahi-daemon", "dbus-daemon", "pulseaudio", "paplay", "ffmpeg")
	if os.Getuid() != 0 {
		t.Skip("avahi-daemon is started by root only")
	}
	dir, err := os.MkdirTemp("", "airplay-") // Not TempDir: a socket's path is short.
	check(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	bus, pulse := "unix:path="+filepath.Join(dir, "bus"), filepath.Join(dir, "sound")
	files := map[string]string{
		"dbus.conf": `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd"><busconfig><type>system</type><listen>` + bus + `</listen>
<auth>EXTERNAL</auth><policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*"/>
<allow send_type="method_call"/><allow send_type="signal"/><allow send_type="method_return"/><allow send_type="error"/>
<allow receive_type="method_call"/><allow receive_type="signal"/><allow receive_type="method_return"/>
<allow receive_type="error"/></policy></busconfig>`,
		"avahi.conf": "[server]\nuse-ipv6=no\nallow-interfaces=lo\n[publish]\npublish-hinfo=no\npublish-workstation=no\n[rlimits]\n",
	}
	for name, text := range files {
		check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	if out, err := exec.Command("ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=90", "-af",
		"volume=4", "-ac", "2", "-ar", "44100", filepath.Join(dir, "tone.wav")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	port := free.Addr().(*net.TCPAddr).Port
	check(t, free.Close())
	check(t, os.MkdirAll("/run/avahi-daemon", 0o755))
	environment := []string{"env", "DBUS_SYSTEM_BUS_ADDRESS=" + bus, "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir,
		"PULSE_SERVER=unix:" + pulse}
	program := func(argv ...string) { runs(t, append(environment[:len(environment):len(environment)], argv...)...) }
	program("dbus-daemon", "--config-file="+filepath.Join(dir, "dbus.conf"), "--nofork", "--nopidfile")
	appears(t, filepath.Join(dir, "bus"))
	program("avahi-daemon", "-f", filepath.Join(dir, "avahi.conf"), "--no-drop-root", "--no-chroot", "--no-rlimits")
	program("pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "-L",
		"module-native-protocol-unix auth-anonymous=1 socket="+pulse)
	appears(t, pulse)
	return fmt.Sprintf("[env, 'DBUS_SYSTEM_BUS_ADDRESS=%s', shairport-sync, -u, -p, '%d', -a, Kitchen, -o, stdout]", bus, port), func() {
		listens(t, port)
		argv := append(environment[:len(environment):len(environment)], "sh", "-c", fmt.Sprintf(
			"pactl load-module module-raop-sink server=127.0.0.1:%d protocol=UDP "+
				"encryption=RSA codec=ALAC autoreconnect=true sink_name=air && exec paplay -d air %s/tone.wav", port, dir))
		runs(t, argv...)
	}
}

// listens waits until somebody does, at a port of this machine.
func listens(t *testing.T, port int) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end); <-tick.C {
		if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			check(t, c.Close())
			return
		}
	}
	t.Fatalf("nobody listens at port %d", port)
}

// appears waits for a socket.
func appears(t *testing.T, path string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end); <-tick.C {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	t.Fatalf("%s never appears", path)
}

func TestAirPlayTakesTheFloor(t *testing.T) {
	command, play := airplay(t)
	k := newKitchen(t, "HEARTHD_MEDIA_VOLUME=100", "HEARTHD_AUDIO_VOLUME=100", "HEARTHD_MEDIA_STATIONS="+stations(t, "Radio One"),
		"HEARTHD_MEDIA_SOURCES=[{name: AirPlay, when: always, clock: program, command: "+command+"}]")
	k.begin()
	play()
	k.takesTheFloor("AirPlay")
}
