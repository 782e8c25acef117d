package e2e

import (
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hearthd/rigs/testcard"
)

// snapcast is a real Snapcast server, the pipe that it reads, and the source of a box that follows it.
func snapcast(t testing.TB) (pipe string, source func(id string) string) {
	t.Helper()
	wants(t, "snapserver", "snapclient", "ffmpeg")
	dir := t.TempDir()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	port := free.Addr().(*net.TCPAddr).Port
	check(t, free.Close())
	pipe = filepath.Join(dir, "fifo")
	config := filepath.Join(dir, "snapserver.conf")
	check(t, os.WriteFile(config, fmt.Appendf(nil, "[server]\ndatadir=%s\n[http]\nenabled=false\n[tcp]\nenabled=false\n"+
		"[stream]\nbind_to_address=127.0.0.1\nport=%d\nsource=pipe://%s?name=default&mode=read&codec=pcm\n"+
		"[logging]\nsink=stderr\n", dir, port, pipe), 0o600))
	check(t, syscall.Mkfifo(pipe, 0o600))
	runs(t, "snapserver", "-c", config)
	return pipe, func(id string) string {
		return fmt.Sprintf("HEARTHD_MEDIA_SOURCES=[{name: All Rooms, when: always, clock: program, rate: 48000, command: "+
			"[snapclient, --host, 127.0.0.1, --port, '%d', --hostID, %s, --player, 'file:filename=stdout', --logsink, stderr]}]",
			port, id)
	}
}

// hisses has a pipe filled with noise, which says where in it one is.
func hisses(t testing.TB, pipe string) {
	t.Helper()
	runs(t, "ffmpeg", "-loglevel", "error", "-nostdin", "-re", "-f", "lavfi", "-i", "anoisesrc=r=48000:a=0.5:seed=7",
		"-ac", "2", "-f", "s16le", "-y", pipe)
}

// runs runs a program until the test ends.
func runs(t testing.TB, argv ...string) {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	check(t, cmd.Start())
	t.Cleanup(func() {
		check(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
	})
}

func TestSnapcastTakesTheFloor(t *testing.T) {
	pipe, source := snapcast(t)
	hisses(t, pipe)
	k := newKitchen(t, source("kitchen"), "HEARTHD_MEDIA_VOLUME=100", "HEARTHD_AUDIO_VOLUME=100",
		"HEARTHD_MEDIA_STATIONS="+stations(t, "Radio One"))
	k.begin()
	k.takesTheFloor("All Rooms")
}

func TestTwoBoxesOfOneSnapcastServerPlayTogether(t *testing.T) { together(t, twoBoxes(t)) }

// BenchmarkBoxesApart reads thirty times how far two boxes of one Snapcast server are apart, which takes four minutes.
// Their virtual cards stand still when the machine does: it says something on a quiet one only.
func BenchmarkBoxesApart(b *testing.B) {
	for b.Loop() {
		boxes, off := twoBoxes(b), make([]float64, 30)
		for i := range off {
			off[i] = math.Abs(reading(b, boxes))
		}
		slices.Sort(off)
		b.ReportMetric(off[len(off)/2], "apart-median-ms")
		b.ReportMetric(off[len(off)-1], "apart-worst-ms")
	}
}

func twoBoxes(t testing.TB) (boxes [2]*kitchen) {
	t.Helper()
	pipe, source := snapcast(t)
	hisses(t, pipe)
	for i := range boxes {
		boxes[i] = newKitchen(t, source(fmt.Sprintf("box%d", i)), "HEARTHD_MEDIA_VOLUME=100", "HEARTHD_AUDIO_VOLUME=100")
		boxes[i].begin()
	}
	for _, k := range boxes {
		k.audible(k.played())
	}
	return boxes
}

// together waits until two boxes play the same within 20 ms. Their clocks settle, for longer on a busy machine, which
// also stops the cards.
func together(t *testing.T, boxes [2]*kitchen) {
	t.Helper()
	const rounds = 12
	for range rounds {
		if math.Abs(reading(t, boxes)) <= 20 {
			return
		}
	}
	t.Error("the boxes do not play together")
}

// reading is how far the boxes are apart on the next five seconds of sound, in ms.
func reading(t testing.TB, boxes [2]*kitchen) float64 {
	t.Helper()
	from := boxes[0].played()
	boxes[0].await("sound to compare", func(Status) bool { return boxes[0].played() > from+5*2*testcard.Rate })
	apart := apart(boxes)
	t.Logf("the boxes are %.1f ms apart", apart)
	return apart
}

func TestStationIsPlayedEverywhereAtOnce(t *testing.T) {
	pipe, source := snapcast(t)
	folder := t.TempDir()
	if out, err := exec.Command("ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "anoisesrc=r=48000:a=0.5:seed=7:d=180",
		"-metadata", "title=Rain", filepath.Join(folder, "rain.flac")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	shared := []string{"HEARTHD_MEDIA_VOLUME=100", "HEARTHD_AUDIO_VOLUME=100", "HEARTHD_MEDIA_FOLDER=" + folder}
	boxes := [2]*kitchen{
		newKitchen(t, append([]string{source("kitchen"), "HEARTHD_MEDIA_EVERYWHERE=" + pipe}, shared...)...),
		newKitchen(t, append([]string{source("bedroom")}, shared...)...),
	}
	for _, k := range boxes {
		k.begin()
	}
	k := boxes[0]
	k.await("the folder", func(Status) bool { return strings.Contains(k.ask("what music is there").Answer, "one track") })
	if doc := boxes[1].ask("play rain everywhere"); !strings.HasPrefix(doc.Answer, "I cannot play on all speakers together.") {
		t.Errorf("without a pipe: %+v", doc)
	}
	if doc := k.ask("play rain everywhere"); doc.Answer != "Rain." {
		t.Fatalf("%+v", doc)
	}
	for _, k := range boxes {
		k.audible(k.played())
		if doc := k.ask("what is playing"); doc.Answer != "This is All Rooms, which does not say what it plays." {
			t.Errorf("%+v", doc)
		}
	}
	together(t, boxes)
	for _, step := range []struct {
		say   string
		sound bool
	}{{"pause the music everywhere", false}, {"resume the music everywhere", true}, {"stop the music everywhere", false}} {
		if doc := k.ask(step.say); doc.Answer != "Okay." {
			t.Errorf("%s: %+v", step.say, doc)
		}
		for _, k := range boxes {
			begun := time.Now()
			k.await("sound, or none, after: "+step.say, func(Status) bool {
				n := k.played()
				return n > 2*testcard.Rate && (peak(k.sound(n-2*testcard.Rate)) > loud) == step.sound
			})
			t.Logf("%s: after %v", step.say, time.Since(begun).Round(10*time.Millisecond))
		}
	}
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
