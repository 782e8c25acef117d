package e2e

import (
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"hearthd/rigs/testcard"
)

// snapcast is a real Snapcast server that plays noise, and the source of a box that follows it.
func snapcast(t *testing.T) (source func(id string) string) {
	t.Helper()
	for _, program := range []string{"snapserver", "snapclient", "ffmpeg"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s, of Debian, is not installed", program)
		}
	}
	dir := t.TempDir()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	port := free.Addr().(*net.TCPAddr).Port
	check(t, free.Close())
	fifo := filepath.Join(dir, "fifo")
	config := filepath.Join(dir, "snapserver.conf")
	check(t, os.WriteFile(config, fmt.Appendf(nil, "[server]\ndatadir=%s\n[http]\nenabled=false\n[tcp]\nenabled=false\n"+
		"[stream]\nbind_to_address=127.0.0.1\nport=%d\nsource=pipe://%s?name=default&mode=read&codec=pcm\n"+
		"[logging]\nsink=stderr\n", dir, port, fifo), 0o600))
	check(t, syscall.Mkfifo(fifo, 0o600))
	runs(t, "snapserver", "-c", config)
	runs(t, "ffmpeg", "-loglevel", "error", "-nostdin", "-re", "-f", "lavfi", "-i", "anoisesrc=r=48000:a=0.5:seed=7",
		"-ac", "2", "-f", "s16le", "-y", fifo)
	return func(id string) string {
		return fmt.Sprintf("HEARTHD_MEDIA_SOURCES=[{name: All Rooms, when: always, clock: program, rate: 48000, command: "+
			"[snapclient, --host, 127.0.0.1, --port, '%d', --hostID, %s, --player, 'file:filename=stdout', --logsink, stderr]}]",
			port, id)
	}
}

// runs runs a program until the test ends.
func runs(t *testing.T, argv ...string) {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	check(t, cmd.Start())
	t.Cleanup(func() {
		check(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
	})
}

func TestSnapcastPlaysThroughTheBoxUntilSomebodyStopsIt(t *testing.T) {
	k := newKitchen(t, snapcast(t)("kitchen"), "HEARTHD_MEDIA_VOLUME=100", "HEARTHD_AUDIO_VOLUME=100")
	k.begin()
	k.audible(k.played())
	if doc := k.ask("what is playing"); doc.Answer != "This is All Rooms, which does not say what it plays." {
		t.Errorf("%+v", doc)
	}
	if doc := k.ask("stop the music"); doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}
	k.await("an idle box", func(s Status) bool { return s.State == "idle" })
	from := k.played()
	k.await("three seconds of 16 bits", func(Status) bool { return k.played() > from+6*testcard.Rate })
	if n := peak(k.sound(from)); n > loud {
		t.Errorf("what is stopped is heard: %d", n)
	}
	if doc := k.ask("play all rooms"); doc.Answer != "All Rooms." {
		t.Errorf("%+v", doc)
	}
	k.await("an idle box", func(s Status) bool { return s.State == "idle" })
	k.audible(k.played())
}

func TestTwoBoxesOfOneSnapcastServerPlayTogether(t *testing.T) {
	source := snapcast(t)
	var boxes [2]*kitchen
	for i := range boxes {
		boxes[i] = newKitchen(t, source(fmt.Sprintf("box%d", i)), "HEARTHD_MEDIA_VOLUME=100", "HEARTHD_AUDIO_VOLUME=100")
		boxes[i].begin()
	}
	for _, k := range boxes {
		k.audible(k.played())
	}
	// The clocks of the boxes settle, for longer on a busy machine, which also stops the cards.
	const rounds = 12
	for range rounds {
		from := boxes[0].played()
		boxes[0].await("sound to compare", func(Status) bool { return boxes[0].played() > from+5*2*testcard.Rate })
		apart := apart(boxes)
		t.Logf("the boxes are %.1f ms apart", apart)
		if math.Abs(apart) <= 20 {
			return
		}
	}
	t.Error("the boxes do not play together")
}

// apart is how much later the second box plays what the first one plays, in ms.
func apart(boxes [2]*kitchen) float64 {
	// A card writes a period when it is due: the latest of what it had written at a time says when it began.
	began := [2]float64{math.Inf(1), math.Inf(1)}
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for start := time.Now(); time.Since(start) < 2*time.Second; {
		<-tick.C
		for i, k := range boxes {
			n := float64(k.played()/2) / testcard.Rate
			began[i] = min(began[i], time.Since(start).Seconds()-n)
		}
	}
	a, b := boxes[0].sound(0), boxes[1].sound(0)
	at := len(a) - 3*testcard.Rate
	there := alike(a[at:at+testcard.Rate/4], b, at+int((began[0]-began[1])*testcard.Rate))
	return (float64(at-there)/testcard.Rate + began[0] - began[1]) * 1000
}

// alike is where in b, within a quarter of a second of a place, a is best found.
func alike(a, b []int16, near int) (at int) {
	best := math.Inf(-1)
	for i := max(near-testcard.Rate/4, 0); i < min(near+testcard.Rate/4, len(b)-len(a)); i++ {
		var sum, power float64
		for j := 0; j < len(a); j++ {
			sum += float64(a[j]) * float64(b[i+j])
			power += float64(b[i+j]) * float64(b[i+j])
		}
		if s := sum / math.Sqrt(power+1); s > best {
			best, at = s, i
		}
	}
	return at
}
