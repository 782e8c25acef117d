package tts

import (
	"context"
	"errors"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/audio"
	"hearthd/rigs/llmtest"
)

// hear collects what e says.
func hear(ctx context.Context, e Engine, text string) (audio.Chunk, error) {
	var all audio.Chunk
	for c, err := range e.Speak(ctx, text) {
		if err != nil {
			return all, err
		}
		all.Rate = c.Rate
		all.Samples = append(all.Samples, c.Samples...)
	}
	return all, nil
}

func newWyoming(t *testing.T, o WyomingOptions) *Wyoming {
	t.Helper()
	e, err := NewWyoming(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// patience is short where a test waits for it to end, and otherwise long enough
// for a busy machine.
func patience(want string) time.Duration {
	if strings.Contains(want, "in time") {
		return 50 * time.Millisecond
	}
	return time.Minute
}

// speech is 1, 2, -3 cut in the middle of the second sample.
var speech = [][]byte{{1, 0, 2}, {0}, {0xfd, 0xff}}

func spoken(rate int) audio.Chunk { return audio.Chunk{Rate: rate, Samples: []int16{1, 2, -3}} }

func TestWyomingSpeaksASentence(t *testing.T) {
	for name, start := range map[string]func(testing.TB, llmtest.WyomingScript) *llmtest.Wyoming{
		"tcp": llmtest.NewWyoming, "unix": llmtest.NewWyomingUnix,
	} {
		t.Run(name, func(t *testing.T) {
			server := start(t, llmtest.WyomingScript{Rate: 22050, Speech: speech})
			e := newWyoming(t, WyomingOptions{Address: server.Address, Voice: "en_US-lessac"})
			got, err := hear(t.Context(), e, "Ten\tminutes\x00 left. ")
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(spoken(22050), got); d != "" {
				t.Error(d)
			}
			want := map[string]any{"text": "Ten minutes left.", "voice": map[string]any{"name": "en_US-lessac"}}
			if d := cmp.Diff(want, server.Requests()[0].Data); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestWyomingYieldsSpeechWhileTheServerStillMakesIt(t *testing.T) {
	pace := make(chan struct{}, 3)
	server := llmtest.NewWyoming(t, llmtest.WyomingScript{Rate: 16000, Speech: [][]byte{{1, 0}, {2, 0}, {3, 0}},
		Pace: pace})
	pace <- struct{}{}
	var got []int16
	for c, err := range newWyoming(t, WyomingOptions{Address: server.Address}).Speak(t.Context(), "hello") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, c.Samples...)
		pace <- struct{}{} // the next piece is made only now
	}
	if d := cmp.Diff([]int16{1, 2, 3}, got); d != "" {
		t.Error(d)
	}
}

func TestWyomingCutsOffPeersThatMisbehave(t *testing.T) {
	second := make([]byte, 2*8000)
	for name, tc := range map[string]struct {
		script llmtest.WyomingScript
		want   string
	}{
		"says nothing":    {llmtest.WyomingScript{Fault: llmtest.WyomingSilent}, "no speech in time"},
		"reads nothing":   {llmtest.WyomingScript{Fault: llmtest.WyomingDeaf}, "no speech in time"},
		"chatters":        {llmtest.WyomingScript{Fault: llmtest.WyomingChatters}, "no speech in time"},
		"stalls":          {llmtest.WyomingScript{Rate: 8000, Speech: speech, Pace: make(chan struct{})}, "no speech in time"},
		"closes":          {llmtest.WyomingScript{Fault: llmtest.WyomingCloses}, "EOF"},
		"closes midway":   {llmtest.WyomingScript{Fault: llmtest.WyomingClosesMidway}, "EOF"},
		"endless line":    {llmtest.WyomingScript{Fault: llmtest.WyomingEndlessLine}, "longer than"},
		"negative length": {llmtest.WyomingScript{Fault: llmtest.WyomingNegativeLength}, "length -1"},
		"huge length":     {llmtest.WyomingScript{Fault: llmtest.WyomingHugeLength}, "length 1099511627776"},
		"complains":       {llmtest.WyomingScript{Fault: llmtest.WyomingComplains}, `code "ValueError"`},
		"bad rate":        {llmtest.WyomingScript{Rate: 1 << 30, Speech: speech}, "1073741824 Hz"},
		"no rate":         {llmtest.WyomingScript{Speech: speech}, "0 Hz"},
		"half a sample":   {llmtest.WyomingScript{Rate: 8000, Speech: speech[:1]}, "inside a sample"},
		"endless speech":  {llmtest.WyomingScript{Rate: 8000, Speech: repeat(second, 61)}, "longer than 1m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewWyoming(t, tc.script)
			e := newWyoming(t, WyomingOptions{Address: server.Address})
			e.timeout = patience(tc.want)
			_, err := hear(t.Context(), e, "buy milk")
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want an error with %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "milk") {
				t.Errorf("the sentence is in %v", err)
			}
		})
	}
}

func repeat(b []byte, n int) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		out[i] = b
	}
	return out
}

func TestWyomingStopsWithItsContextAndWithTheRange(t *testing.T) {
	server := llmtest.NewWyoming(t, llmtest.WyomingScript{Rate: 8000, Speech: repeat([]byte{1, 0}, 1000)})
	e := newWyoming(t, WyomingOptions{Address: server.Address})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range e.Speak(ctx, "hello") {
		cancel()
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("cancelled: %v", last)
	}
	for range e.Speak(t.Context(), "hello") {
		break
	}
}

func TestWyomingNamesAPeerThatIsNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, err = hear(t.Context(), newWyoming(t, WyomingOptions{Address: l.Addr().String()}), "hello")
	if err == nil || !strings.Contains(err.Error(), l.Addr().String()) {
		t.Errorf("got %v", err)
	}
	if _, err := NewWyoming(WyomingOptions{Address: "piper"}); err == nil {
		t.Error("an address without port was accepted")
	}
}

func TestSentenceIsBoundedAndPunctuationIsSilent(t *testing.T) {
	server := llmtest.NewWyoming(t, llmtest.WyomingScript{Rate: 8000, Speech: speech})
	e := newWyoming(t, WyomingOptions{Address: server.Address})
	if _, err := hear(t.Context(), e, strings.Repeat("a", maxText+1)); err == nil {
		t.Error("a sentence of any length was accepted")
	}
	for _, text := range []string{"", " \n", "...", "\x00"} {
		if c, err := hear(t.Context(), e, text); err != nil || len(c.Samples) > 0 {
			t.Errorf("%q: %d samples, %v", text, len(c.Samples), err)
		}
	}
	if n := len(server.Requests()); n > 0 {
		t.Errorf("the server was asked %d times", n)
	}
}

func TestGoroutinesReturnAfterASentence(t *testing.T) {
	before := runtime.NumGoroutine()
	wyoming := llmtest.NewWyoming(t, llmtest.WyomingScript{Rate: 8000, Speech: repeat([]byte{1, 0}, 100)})
	open := llmtest.NewSpeech(t, llmtest.SpeechScript{Rate: 8000, Speech: repeat([]byte{1, 0}, 100)})
	for _, e := range []Engine{
		newWyoming(t, WyomingOptions{Address: wyoming.Address}),
		newOpenAI(t, OpenAIOptions{BaseURL: open.URL}),
		newOpenAI(t, OpenAIOptions{BaseURL: open.URL, Format: formatWAV}),
		newCommand(t, Espeak("")),
	} {
		if _, err := hear(t.Context(), e, "hello"); err != nil {
			t.Error(err)
		}
		for range e.Speak(t.Context(), "hello") {
			break
		}
	}
	wyoming.Close()
	open.Close()
	deadline := time.Now().Add(time.Minute)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		runtime.Gosched()
	}
}

func FuzzPCMIsCutAnywhere(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5}, uint8(3))
	f.Fuzz(func(t *testing.T, b []byte, cut uint8) {
		var whole, parts pcm
		want := whole.samples(b)
		at := min(int(cut), len(b))
		got := append(parts.samples(b[:at]), parts.samples(b[at:])...)
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		if len(got) != len(b)/2 || (parts.end() == nil) || parts.half != (len(b)%2 == 1) {
			t.Errorf("%d bytes made %d samples, half %v", len(b), len(got), parts.half)
		}
	})
}
