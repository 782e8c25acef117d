package device

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hearthd/rigs/testcard"
)

// rigCtl in the environment names the control file of a foreign card, which
// this process uses instead of its own.
const rigCtl = "HEARTHD_TEST_RIG_CTL"

// ordeal is a microphone and a speaker on a card that breaks over and over. On a
// foreign card it has no speaker: the one that there is tells its position modulo
// its buffer, so a pause of just that length stops it for ever.
type ordeal struct {
	mic, speaker *running
	faults       []testcard.Fault
	noticed      map[testcard.Fault][]time.Duration // by the microphone
	healed       map[testcard.Fault][]time.Duration
	cpu          map[testcard.Fault][]float64 // share of a processor from the fault until it was healed
}

func newOrdeal(t testing.TB, faults []testcard.Fault) *ordeal {
	t.Helper()
	o := &ordeal{
		mic: newRunning(t), faults: faults,
		noticed: map[testcard.Fault][]time.Duration{}, healed: map[testcard.Fault][]time.Duration{},
		cpu: map[testcard.Fault][]float64{},
	}
	c, err := NewCapture(CaptureOptions{Device: testcard.PCM, Log: quietLog(), Changed: o.mic.changed})
	if err != nil {
		t.Fatal(err)
	}
	o.mic.start(c.Run)
	o.mic.await(Running, Lost)
	if os.Getenv(rigCtl) != "" {
		return o
	}
	o.speaker = newRunning(t)
	p, err := NewPlayback(PlaybackOptions{Device: testcard.PCM, Mixer: &singer{}, Log: quietLog(),
		Changed: o.speaker.changed})
	if err != nil {
		t.Fatal(err)
	}
	o.speaker.start(p.Run)
	o.speaker.await(Running, Lost)
	return o
}

// suffer breaks and heals the card n times.
func (o *ordeal) suffer(t testing.TB, n int) {
	t.Helper()
	for i := range n {
		fault := o.faults[i%len(o.faults)]
		begun, cpu := time.Now(), cpuTime(t)
		breakCard(t, fault)
		o.mic.await(Lost, Opening, Muted)
		o.noticed[fault] = append(o.noticed[fault], time.Since(begun))
		if o.speaker != nil {
			o.speaker.await(Lost, Opening, Muted)
		}
		o.cpu[fault] = append(o.cpu[fault], (cpuTime(t)-cpu).Seconds()/time.Since(begun).Seconds())
		mended := time.Now()
		heal(t)
		o.mic.await(Running, Opening, Muted)
		o.healed[fault] = append(o.healed[fault], time.Since(mended))
		if o.speaker != nil {
			o.speaker.await(Running, Opening, Muted)
		}
	}
}

func (o *ordeal) end() {
	if o.speaker != nil {
		o.speaker.end()
	}
	o.mic.end()
}

// holdings are what a process could leak.
type holdings struct {
	goroutines, files, threads, heapKB, rssKB int
}

func hold(t testing.TB) holdings {
	t.Helper()
	entries := func(dir string) int {
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h := holdings{
		goroutines: runtime.NumGoroutine(), files: entries("/proc/self/fd"), threads: entries("/proc/self/task"),
		heapKB: int(m.HeapAlloc / 1024),
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(status), "VmRSS:")
	if _, err := fmt.Sscan(line, &h.rssKB); err != nil {
		t.Fatal(err)
	}
	return h
}

// losses are the faults that must be noticed. A hang ends when it was noticed:
// TestStuckDriverEndsRun is about one that does not.
func losses() []testcard.Fault {
	if os.Getenv(rigCtl) != "" {
		return []testcard.Fault{testcard.NoDevice, testcard.IOError, testcard.Stall, testcard.Fast(50), testcard.Hang}
	}
	return append(slices.Clone(faults), testcard.Hang)
}

// TestFaultsLeakNothing breaks the card 24 times, or 1,000 times if
// HEARTHD_TEST_FULL is set, which takes half an hour.
func TestFaultsLeakNothing(t *testing.T) {
	n := 24
	if os.Getenv("HEARTHD_TEST_FULL") != "" {
		n = 1000
	}
	o := newOrdeal(t, losses())
	o.suffer(t, 2*len(o.faults)) // whatever is made once is made now
	before := hold(t)
	o.suffer(t, n)
	after := hold(t)
	t.Logf("%d faults: %+v before, %+v after", n, before, after)
	for _, f := range o.faults {
		slices.Sort(o.noticed[f])
		slices.Sort(o.healed[f])
		slices.Sort(o.cpu[f])
		k := len(o.noticed[f])
		t.Logf("%-9s noticed after %v (worst %v), healed after %v (worst %v), processor %.0f %% meanwhile (worst "+
			"%.0f %%)", f,
			o.noticed[f][k/2].Round(time.Millisecond), o.noticed[f][k-1].Round(time.Millisecond),
			o.healed[f][k/2].Round(time.Millisecond), o.healed[f][k-1].Round(time.Millisecond),
			100*o.cpu[f][k/2], 100*o.cpu[f][k-1])
	}
	// A few threads more are the scheduler's; 1,000 leaked openings would be many.
	if after.goroutines > before.goroutines || after.files > before.files || after.threads > before.threads+4 {
		t.Error("something was leaked")
	}
	// malgo leaks 144 bytes of C memory with each context, ALSA's pages settle.
	if after.heapKB > before.heapKB+256 || after.rssKB > before.rssKB+4096 {
		t.Error("memory was leaked")
	}
	o.end()
}

// BenchmarkFault says how soon each fault is noticed and healed. The goal is 500 ms.
func BenchmarkFault(b *testing.B) {
	for _, fault := range losses() {
		b.Run(string(fault), func(b *testing.B) {
			o := newOrdeal(b, []testcard.Fault{fault})
			for b.Loop() {
				o.suffer(b, 5)
			}
			o.end()
			ms := func(times []time.Duration, name string) {
				slices.Sort(times)
				b.ReportMetric(times[len(times)/2].Seconds()*1000, name+"-median-ms")
				b.ReportMetric(times[len(times)-1].Seconds()*1000, name+"-worst-ms")
			}
			b.ReportMetric(0, "ns/op")
			ms(o.noticed[fault], "noticed")
			ms(o.healed[fault], "healed")
			b.ReportMetric(100*slices.Max(o.cpu[fault]), "worst-cpu-percent")
		})
	}
}

// TestFaultsOfAForeignCard runs TestFaultsLeakNothing on a card that others made:
// HEARTHD_TEST_RIG is the folder with its plugin's source, pcm_testcard.c.
func TestFaultsOfAForeignCard(t *testing.T) {
	rig := os.Getenv("HEARTHD_TEST_RIG")
	if rig == "" {
		t.Skip("HEARTHD_TEST_RIG does not name the folder of a foreign card")
	}
	dir := t.TempDir()
	plugin, ctl, conf := filepath.Join(dir, "plugin.so"), filepath.Join(dir, "ctl"), filepath.Join(dir, "asound.conf")
	cc := exec.Command("cc", "-O2", "-w", "-fPIC", "-DPIC", "-shared", "-o", plugin,
		filepath.Join(rig, "pcm_testcard.c"), "-lasound")
	if out, err := cc.CombinedOutput(); err != nil {
		t.Fatalf("compile the card: %v\n%s", err, out)
	}
	text := fmt.Sprintf("pcm_type.testcard { lib %q }\npcm.%s { type testcard rate %d infile \"/dev/zero\" outfile "+
		"\"/dev/null\" ctl %q }\n",
		plugin, testcard.PCM, testcard.Rate, ctl)
	for path, content := range map[string]string{conf: text, ctl: ""} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFaultsLeakNothing$", "-test.v", "-test.timeout=2h")
	cmd.Env = append(os.Environ(), "ALSA_CONFIG_PATH="+conf, rigCtl+"="+ctl)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

// breakRig gives the foreign card a fault in its own words.
func breakRig(ctl string, f testcard.Fault) error {
	word, number, _ := strings.Cut(string(f), " ")
	switch word {
	case "ok":
		word = ""
	case "fast":
		times, err := strconv.Atoi(number)
		if err != nil {
			return err
		}
		word = fmt.Sprintf("rate %d", (times-1)*1_000_000)
	}
	return os.WriteFile(ctl, []byte(word), 0o600)
}

func cpuTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
