package sherpa

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hearthd/audio"
	"hearthd/rigs/speechtest"
	"hearthd/speech/model"
)

// library is the real one, and the state folder that it came from.
var library = sync.OnceValues(func() (*Library, error) {
	return Open(filepath.Join(os.Getenv("HEARTH_SPEECH_TEST"), model.LibFolder))
})

func load(t *testing.T, name string) (*Library, *model.Manifest) {
	t.Helper()
	state := speechtest.Folder(t, name)
	l, err := library()
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Read(filepath.Join(state, model.ModelsFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	return l, m
}

func recogniser(t *testing.T, name string) *Recogniser {
	t.Helper()
	l, m := load(t, name)
	r, err := l.Recogniser(m, "en", 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func open(t *testing.T, r *Recogniser, hotWords ...string) *Stream {
	t.Helper()
	s, err := r.Open(hotWords)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// tone is a second of a tone and 600 ms of silence: Whisper is not asked for more than six words in one.
func tone(hz, amplitude float64) []int16 {
	out := make([]int16, 16000*16/10)
	for i := range out[:16000] {
		out[i] = int16(amplitude * math.Sin(2*math.Pi*hz*float64(i)/16000))
	}
	return out
}

func TestWhisperHearsTheWholeAndWhatWasSaidSoFar(t *testing.T) {
	r := recogniser(t, speechtest.Hearer)
	s := open(t, r)
	s.Write(tone(440, 100))
	if text, err := s.Text(); text != speechtest.Soft || err != nil {
		t.Errorf("so far %q, %v", text, err)
	}
	s.Write(tone(440, 20000))
	s.Write(tone(440, 20000))
	if text, err := s.Finish(); text != speechtest.Loud || err != nil {
		t.Errorf("heard %q, %v", text, err)
	}
	empty := open(t, r)
	if text, err := empty.Finish(); text != "" || err != nil {
		t.Errorf("of nothing: %q, %v", text, err)
	}
}

func TestStreamTellsWordsWhileSomebodySpeaks(t *testing.T) {
	r := recogniser(t, speechtest.Streamer)
	if !r.Streaming() {
		t.Fatal("a transducer does not stream")
	}
	s := open(t, r, "kitchen lights on", "x")
	tones := speechtest.Tones()
	var said string
	for _, w := range []string{"KITCHEN", "LIGHTS", "ON"} {
		for range 2 {
			s.Write(tone(tones[w], 10000)[:4800])
		}
		s.Write(make([]int16, 16000))
		said = strings.TrimSpace(said + " " + w)
		if text, err := s.Text(); text != said || err != nil {
			t.Errorf("so far %q, %v: want %q", text, err, said)
		}
	}
	if text, err := s.Finish(); text != said || err != nil {
		t.Errorf("at last %q, %v", text, err)
	}
}

func TestVoiceSpeaks(t *testing.T) {
	l, m := load(t, speechtest.Hum)
	v, err := l.Voice(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if v.Rate() != 16000 {
		t.Errorf("rate %d", v.Rate())
	}
	short, err := v.Speak("Good morning.", 0)
	if err != nil {
		t.Fatal(err)
	}
	long, err := v.Speak("Good morning to all of you.", 0)
	if err != nil || len(long) <= len(short) || slices.Max(short) < 5000 {
		t.Errorf("%d samples, the longer one %d, %v", len(short), len(long), err)
	}
}

// TestRealModelsHearARealVoice has what Piper says recognised, where a package ships them.
func TestRealModelsHearARealVoice(t *testing.T) {
	l, m := load(t, speechtest.Joe)
	v, err := l.Voice(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	said, err := v.Speak("Turn on the light in the kitchen.", 0)
	if err != nil {
		t.Fatal(err)
	}
	conv, err := audio.NewResampler(v.Rate(), audio.Rate)
	if err != nil {
		t.Fatal(err)
	}
	said = conv.Flush(conv.Process(nil, said))
	for _, name := range []string{speechtest.Whisper, speechtest.Moonshine} {
		t.Run(name, func(t *testing.T) {
			s := open(t, recogniser(t, name))
			s.Write(said)
			text, err := s.Finish()
			if got := strings.Trim(strings.ToLower(text), " ."); got != "turn on the light in the kitchen" || err != nil {
				t.Errorf("heard %q, %v", text, err)
			}
		})
	}
}

func TestSeveralSpeakToOneRecogniser(t *testing.T) {
	r := recogniser(t, speechtest.Hearer)
	var all sync.WaitGroup
	for i := range 8 {
		want, amplitude := speechtest.Loud, 20000.0
		if i%2 == 0 {
			want, amplitude = speechtest.Soft, 100
		}
		s := open(t, r)
		all.Go(func() {
			s.Write(tone(440, amplitude))
			if text, err := s.Finish(); text != want || err != nil {
				t.Errorf("heard %q, %v: want %q", text, err, want)
			}
		})
	}
	all.Wait()
}

func TestHotWordsAreWrittenAsTheModelDoes(t *testing.T) {
	for text, want := range map[string]bool{"<blk> 0\n\u2581LIGHT 1\n": true, "<blk> 0\n\u2581light 1\n": false} {
		if got := capitals([]byte(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// TestHotWordsDecideBetweenWordsThatSoundAlike has two words said at once: the one that is hoped for is heard first.
func TestHotWordsDecideBetweenWordsThatSoundAlike(t *testing.T) {
	r := recogniser(t, speechtest.Streamer)
	tones := speechtest.Tones()
	for _, c := range []struct {
		kitchen    float64 // how loud, beside lights at 10,000
		hope, want string
	}{{3000, "", "LIGHTS KITCHEN"}, {3000, "kitchen", "KITCHEN LIGHTS"}, {3000, "lights", "LIGHTS KITCHEN"},
		{6000, "", "KITCHEN LIGHTS"}, {6000, "lights", "LIGHTS KITCHEN"}} {
		said := tone(tones["LIGHTS"], 10000)
		for i, v := range tone(tones["KITCHEN"], c.kitchen) {
			said[i] += v
		}
		var hopes []string
		if c.hope != "" {
			hopes = []string{c.hope}
		}
		s := open(t, r, hopes...)
		s.Write(said)
		got, err := s.Finish()
		if err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("kitchen at %v, hoped for %q: %q", c.kitchen, c.hope, got)
		}
	}
}

func TestAnotherReleaseIsRefused(t *testing.T) {
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "load speech library") {
		t.Errorf("an empty folder: %v", err)
	}
	newer := os.Getenv("HEARTH_SPEECH_NEWER")
	if newer == "" {
		t.Skip("HEARTH_SPEECH_NEWER names no folder with another release")
	}
	if _, err := Open(newer); err == nil || !strings.Contains(err.Error(), known) {
		t.Errorf("another release: %v", err)
	}
}

func TestWhatIsSaidAgainAndAgainIsHeardOnce(t *testing.T) {
	for text, want := range map[string]string{
		"Four queen of clubs. Four queen of clubs. Four": "Four queen of clubs.",
		"5 5 5 5 5 5":                          "5",
		"turn on the light, turn on the light": "turn on the light",
		"Okay, another? Okay, another? Okay, another? Okay, another? Okay,": "Okay, another?",
		"Set a timer for an hour and a half. Set a timer for":               "Set a timer for an hour and a half.",
		"turn on the light and turn on the fan":                             "turn on the light and turn on the fan",
		"Call me. Call me back.":                                            "Call me. Call me back.",
		"no no":                                                             "no no",
		"knock knock who is there":                                          "knock knock who is there",
		"set a timer for twenty minutes":                                    "set a timer for twenty minutes",
		"very very very good":                                               "very very very good",
		"":                                                                  "",
	} {
		if got := once(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
