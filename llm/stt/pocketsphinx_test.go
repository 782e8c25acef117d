package stt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hearthd/audio"
	"hearthd/llm"
)

const smallGrammar = `#JSGF V1.0;
grammar small;
public <utterance> = [hey hearth] (what time is it | cancel the (pasta | bread) timer | add milk and eggs to the shopping list);
`

var smallWords = strings.Fields("hey hearth what time is it cancel the pasta bread timer add milk and eggs to " +
	"shopping list")

func newPocketsphinx(t testing.TB, o PocketsphinxOptions) *Pocketsphinx {
	t.Helper()
	o.Grammar, o.Words, o.Dir, o.Log = smallGrammar, smallWords, t.TempDir(), slog.New(slog.DiscardHandler)
	e, err := NewPocketsphinx(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// spoken is text in the voice of flite that the recogniser copes with best,
// with a third of a second of silence around it.
func spoken(t testing.TB, text string) []int16 {
	t.Helper()
	file := filepath.Join(t.TempDir(), "speech.wav")
	if out, err := exec.Command("flite", "-voice", "slt", "-t", text, "-o", file).CombinedOutput(); err != nil {
		t.Fatalf("run flite: %v: %s", err, out)
	}
	wav, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if rate := binary.LittleEndian.Uint32(wav[24:]); rate != audio.Rate {
		t.Fatalf("flite speaks at %d samples per second", rate)
	}
	_, pcm, _ := bytes.Cut(wav, []byte("data"))
	s := make([]int16, audio.Rate/3)
	for pcm = pcm[4:]; len(pcm) >= 2; pcm = pcm[2:] {
		s = append(s, int16(binary.LittleEndian.Uint16(pcm)))
	}
	return append(s, make([]int16, audio.Rate/3)...)
}

func write(t testing.TB, s Stream, samples []int16) {
	t.Helper()
	var f audio.Frame
	for len(samples) > 0 {
		n := copy(f[:], samples)
		clear(f[n:])
		samples = samples[n:]
		if err := s.Write(&f); err != nil {
			t.Fatal(err)
		}
	}
}

func transcribe(t testing.TB, e *Pocketsphinx, samples []int16) llm.Transcript {
	t.Helper()
	s, err := e.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	write(t, s, samples)
	tr, err := s.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestPocketsphinxHearsTheGrammarAndRejectsTheRest(t *testing.T) {
	e := newPocketsphinx(t, PocketsphinxOptions{})
	for _, c := range []struct {
		said string
		want llm.Transcript
	}{
		{"hey hearth, what time is it", llm.Transcript{Text: "hey hearth what time is it"}},
		{"cancel the bread timer", llm.Transcript{Text: "cancel the bread timer"}},
		{"my brother bought two pounds of cheese at the market", llm.Transcript{Rejected: true}},
	} {
		got := transcribe(t, e, spoken(t, c.said))
		if !Sure(got) {
			t.Errorf("%q: margin %v", c.said, got.Margin)
		}
		if got.Margin = 0; got != c.want {
			t.Errorf("%q: got %+v", c.said, got)
		}
	}
	if got := transcribe(t, e, make([]int16, audio.Rate)); got != (llm.Transcript{}) {
		t.Errorf("silence: got %+v", got)
	}
	if got := transcribe(t, e, nil); got != (llm.Transcript{}) {
		t.Errorf("nothing: got %+v", got)
	}
}

func TestPocketsphinxTellsTheWordsSoFarAndThenTheRest(t *testing.T) {
	s, err := newPocketsphinx(t, PocketsphinxOptions{}).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := s.(Peeker)
	for i, want := range []string{"what time is it", "what time is it"} {
		if i == 0 {
			write(t, s, spoken(t, want))
		} else {
			write(t, s, make([]int16, audio.Rate)) // silence, long enough to load again
		}
		if got, err := p.Peek(t.Context(), nil); err != nil || got.Text != want {
			t.Errorf("peek %d: %+v, %v", i, got, err)
		}
	}
	if got, err := s.Finish(t.Context()); err != nil || got.Text != "what time is it" {
		t.Errorf("finish: %+v, %v", got, err)
	}
	if _, err := p.Peek(t.Context(), nil); err == nil {
		t.Error("peeked into a finished stream")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestNewPocketsphinxNamesWhatIsMissing(t *testing.T) {
	good := PocketsphinxOptions{Grammar: smallGrammar, Words: smallWords, Dir: t.TempDir(),
		Log: slog.New(slog.DiscardHandler)}
	word, program := good, good
	word.Words = append([]string{"hearthd", "zzyzx"}, smallWords...)
	program.program = "no-such-program"
	for _, c := range []struct {
		o    PocketsphinxOptions
		want string
	}{
		{word, "hearthd, zzyzx"},
		{program, "Debian package pocketsphinx)"},
		{PocketsphinxOptions{}, "required"},
	} {
		if _, err := NewPocketsphinx(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want %q: %v", c.want, err)
		}
	}
	_, err := cutDictionary(filepath.Join(t.TempDir(), "missing.dict"), nil)
	if err == nil || !strings.Contains(err.Error(), "Debian package pocketsphinx-en-us") {
		t.Errorf("without a model: %v", err)
	}
}

// program writes a shell script that stands for pocketsphinx_batch.
func program(t *testing.T, script string) string {
	file := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestHangingProgramDiesWithItsChildrenWhenTheContextEnds(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	e := newPocketsphinx(t, PocketsphinxOptions{program: program(t, "/bin/sleep 1000 & echo $! >>"+pidFile+"\nwait")})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	s, err := e.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	write(t, s, make([]int16, audio.FrameSamples))
	if _, err := s.Finish(t.Context()); err == nil {
		t.Error("finished")
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	pids, err := os.ReadFile(pidFile)
	if err != nil {
		t.Skip("killed before the child began")
	}
	for _, line := range strings.Fields(string(pids)) {
		pid, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		for syscall.Kill(pid, 0) == nil { // until init has reaped it
			if t.Context().Err() != nil {
				t.Fatalf("child %d lives", pid)
			}
			if stat, err := os.ReadFile("/proc/" + line + "/stat"); err != nil ||
				strings.Contains(string(stat), ") Z ") {
				break
			}
		}
	}
}

func TestBrokenProgramIsAnErrorWithItsComplaint(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{`echo 'INFO: secret words' >&2; echo 'ERROR: "x.c": no model' >&2; exit 3`, "no model"},
		{`echo 'what is this'`, "not a segmentation"},
		{`/usr/bin/yes xxxxxxxx | /usr/bin/tr -d '\n'`, "without a result"},
		{`exit 0`, "without a result"},
	} {
		s, err := newPocketsphinx(t, PocketsphinxOptions{program: program(t, c.script)}).Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		write(t, s, make([]int16, audio.FrameSamples))
		_, err = s.Finish(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: want %q: %v", c.script, c.want, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A program that writes the paths of what is no order takes longer than anybody waits.
func TestWhatIsNoOrderDoesNotWaitForItsRivals(t *testing.T) {
	script := `read name; case "$*" in *-allphone*) echo x S 0 T 0 A 0 L 0 0 0 0 SIL 100;; *) echo x S 0 T 0 A -3000 L 0 0 0 0 stop 100;; esac
exec /bin/sleep 1000`
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := newPocketsphinx(t, PocketsphinxOptions{program: program(t, script)}).Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	write(t, s, make([]int16, audio.FrameSamples))
	if got, err := s.(Peeker).Peek(ctx, nil); err != nil || !got.Rejected {
		t.Errorf("%+v, %v", got, err)
	}
	for _, r := range s.(*pocketsphinxStream).started {
		select {
		case <-r.done:
		default:
			t.Error("the program goes on after what it found is known")
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestClosedStreamTakesNothing(t *testing.T) {
	s, err := newPocketsphinx(t, PocketsphinxOptions{}).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(&audio.Frame{}); err == nil {
		t.Error("wrote to a closed stream")
	}
	if _, err := s.Finish(t.Context()); err == nil {
		t.Error("finished a closed stream")
	}
}

func TestUtteranceIsBoundedAndLeavesNoFile(t *testing.T) {
	e := newPocketsphinx(t, PocketsphinxOptions{program: program(t, "read name; echo x S 0 T 0 A 0 L 0 0")})
	s, err := e.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for s.Write(&audio.Frame{}) == nil {
		n++
	}
	if want := maxSamples / audio.FrameSamples; n != want {
		t.Errorf("took %d frames, want %d", n, want)
	}
	if _, err := s.Finish(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(e.dir, "utterance-*")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func FuzzParsePath(f *testing.F) {
	f.Add("stdin S 0 T -29304 A -28967 L -337 -1 0 0 (NULL) 0 -1127 0 eighty(2) 21 -4599 0 two 65 -1018 -337 <sil> 354")
	f.Add("stdin S 0 T 0 A 0 L 0 0")
	f.Add("stdin S 0 T 0 A 9 L 0 9223372036854775807 0 0 a -9223372036854775808")
	f.Fuzz(func(t *testing.T, line string) {
		p, err := parsePath(line)
		if err == nil && (p.frames < 0 || p.text == "" && p.frames != 0) {
			t.Errorf("%q: %+v", line, p)
		}
		p.margin(path{})
	})
}

func TestParsePathCountsTheFramesOfWords(t *testing.T) {
	p, err := parsePath("stdin S 0 T -29304 A -28967 L -337 -1 0 0 (NULL) 0 -1127 0 eighty(2) 21 -4599 0 two 65 " +
		"-1018 -337 <sil> 354")
	if want := (path{text: "eighty two", acoustic: -28967, frames: 65}); err != nil || p != want {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestAGrammarThatCannotBeHeardIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		rules string
		good  bool
	}{
		"good":         {"lamp <a>;\n<a> = on", true},
		"no rule":      {"lamp <a>", false},
		"left in turn": {"lamp <a>;\n<a> = <a> on | lamp", false},
		"empty":        {"lamp ()", false},
		"no end":       {"lamp (on", false},
		"no beginning": {"lamp on)", false},
		"a sign":       {"lamp & on", false},
		"no word":      {"lamp | ", false},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := NewPocketsphinx(PocketsphinxOptions{
				Grammar: "#JSGF V1.0;\ngrammar hearth;\npublic <utterance> = " + c.rules + ";\n",
				Words:   []string{"lamp", "on"}, Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler),
			})
			if errors.Is(err, ErrNotInstalled) {
				t.Skip(err)
			}
			if err == nil {
				err = e.Try(t.Context())
			}
			if (err == nil) != c.good {
				t.Error(err)
			}
		})
	}
}

func TestAlternativesShareTheProbabilityOfTheirPlace(t *testing.T) {
	got, err := compile("#JSGF V1.0;\npublic <u> = [please] <a> | stop;\n<a> = (light | the lamp) on | it's;\n")
	want := `FSG_BEGIN hearth
NUM_STATES 5
START_STATE 0
FINAL_STATE 1
TRANSITION 0 2 0.25 
TRANSITION 0 2 0.25 please
TRANSITION 2 3 0.25 light
TRANSITION 2 4 0.25 the
TRANSITION 4 3 1 lamp
TRANSITION 3 1 1 on
TRANSITION 2 1 0.5 it's
TRANSITION 0 1 0.5 stop
FSG_END
`
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestTheRivalIsTheBestPathThatAsksForSomethingElse(t *testing.T) {
	rivals := func(a, b string) bool {
		return b != "" && strings.TrimPrefix(a, "please ") != strings.TrimPrefix(b, "please ")
	}
	for _, c := range []struct {
		paths, text string
		want        float64
	}{
		{"", "stop", math.Inf(1)},
		{"stop -100\nstop -120\nplease stop -130\n", "stop", math.Inf(1)},
		{"stop -100\nstop -120\nplease stop -130\nstart it -170\nshop -190\n", "stop", 70},
		{"start -100\nstop -105\n", "stop", 0}, // what is found is not always the first one
		{"stop -100\n -120\n", "stop", math.Inf(1)},
	} {
		if got, err := behind(c.paths, c.text, rivals); err != nil || got != c.want {
			t.Errorf("%q: %v, %v", c.paths, got, err)
		}
	}
	if _, err := behind("stop it\n", "stop", rivals); err == nil {
		t.Error("took a path without a score")
	}
}

func TestATextThatARivalComesCloseToIsToldSo(t *testing.T) {
	found, free := path{text: "set it to fifty percent", acoustic: -1000, frames: 100}, path{acoustic: -900}
	if got := judge(found, free, apart); got.Rival || got.Margin != -1 {
		t.Errorf("with a rival that is far behind: %+v", got)
	}
	if got := judge(found, free, apart-1); !got.Rival || !Sure(got) || got.Text != found.text {
		t.Errorf("with a close rival: %+v", got)
	}
	if free.acoustic = 2000; !judge(found, free, 0).Rejected {
		t.Error("what is hopeless was taken")
	}
}
