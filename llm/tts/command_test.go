package tts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func newCommand(t *testing.T, o CommandOptions) *Command {
	t.Helper()
	e, err := NewCommand(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestDebianVoicesSpeak(t *testing.T) {
	const text = "The timer for the pasta is set for ten minutes."
	for name, tc := range map[string]struct {
		options CommandOptions
		rate    int
	}{
		"espeak-ng":         {Espeak(""), 22050},
		"espeak-ng, German": {Espeak("de"), 22050},
		"flite":             {Flite(""), 16000},
		"flite, kal":        {Flite("kal"), 8000},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := hear(t.Context(), newCommand(t, tc.options), text)
			if err != nil {
				t.Fatal(err)
			}
			// Slow and fast speech differ by less than three times.
			if seconds := len(got.Samples) / tc.rate; got.Rate != tc.rate || seconds < 2 || seconds > 5 {
				t.Errorf("%d samples at %d Hz", len(got.Samples), got.Rate)
			}
		})
	}
}

func TestDebianVoicesSayWhatLooksLikeAnOption(t *testing.T) {
	for name, o := range map[string]CommandOptions{
		"espeak-ng": Espeak(""), "flite": Flite(""),
		"espeak-ng argument": {Argv: []string{"espeak-ng", "--stdout", "{text}"}},
	} {
		for _, text := range []string{"--version", "-h", "/etc/hostname", "$(date) `date` 'x' \"y\" ; date",
			"<speak>naïve café</speak> & 5 °C"} {
			if got, err := hear(t.Context(), newCommand(t, o), text); err != nil || len(got.Samples) < got.Rate/4 {
				t.Errorf("%s, %q: %d samples at %d Hz, %v", name, text, len(got.Samples), got.Rate, err)
			}
		}
	}
}

func TestSentenceGoesToThePlaceOrToTheInput(t *testing.T) {
	dir := t.TempDir()
	wav := filepath.Join(dir, "a.wav")
	header := "RIFF\x00\x00\x00\x00WAVEfmt " +
		"\x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\xff\xff\xff\x7f"
	if err := os.WriteFile(wav, []byte(header+"\x01\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	said := filepath.Join(dir, "said")
	for want, argv := range map[string][]string{
		"-x; $(y)":         {"sh", "-c", `cat >"$2"; cat "$1"`, "sh", wav, said},
		" -x; $(y)":        {"sh", "-c", `printf %s "$3" >"$2"; cat "$1"`, "sh", wav, said, "{text}"},
		"--text=-x; $(y).": {"sh", "-c", `printf %s "$3" >"$2"; cat "$1"`, "sh", wav, said, "--text={text}."},
	} {
		got, err := hear(t.Context(), newCommand(t, CommandOptions{Argv: argv}), "-x; $(y)")
		if err != nil || len(got.Samples) != 1 || got.Rate != 8000 {
			t.Fatalf("got %+v, %v", got, err)
		}
		b, err := os.ReadFile(said)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, string(b)); d != "" {
			t.Error(d)
		}
	}
}

func TestProgramThatFailsIsAnError(t *testing.T) {
	for name, tc := range map[string]struct {
		argv []string
		want string
	}{
		"missing":       {[]string{"hearthd-no-such-program"}, "executable file not found"},
		"unknown voice": {Espeak("nosuch").Argv, "exit status 1: Error: The specified espeak-ng voice does not exist."},
		"says nothing":  {[]string{"true"}, "unexpected EOF"},
		"no wav":        {[]string{"echo", "this is no wav at all"}, "RIFF WAVE"},
		"repeats":       {[]string{"sh", "-c", "cat >&2; exit 1"}, "failed on the sentence"},
		"fails at last": {[]string{"sh", "-c", "flite -o /dev/stdout -t hi | sed " +
			"'1s/data..../data\\xff\\xff\\xff\\xff/'; exit 7"}, "exit status 7"},
		"hangs":          {[]string{"sleep", "1000"}, "no speech in time"},
		"endless speech": {[]string{"sh", "-c", "espeak-ng --stdout hi; cat /dev/zero"}, "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newCommand(t, CommandOptions{Argv: tc.argv})
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

// What a program writes is cut, and may be a part of the sentence.
func TestNoPartOfALongSentenceIsInAnError(t *testing.T) {
	text := "the pin of the safe is one two three four and " + strings.Repeat("buy milk and bread and ", 20)
	for name, script := range map[string]string{"cut": "cat >&2; exit 1", "the end": "tail -c 60 >&2; exit 1"} {
		e := newCommand(t, CommandOptions{Argv: []string{"sh", "-c", script}})
		_, err := hear(t.Context(), e, text)
		if err == nil || strings.Contains(err.Error(), "milk") || strings.Contains(err.Error(), "safe") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNewCommandRefusesBadOptions(t *testing.T) {
	for _, argv := range [][]string{nil, {""}, {"./x"}, {"{text}"}, {"/bin/{text}"}} {
		if _, err := NewCommand(CommandOptions{Argv: argv}); err == nil {
			t.Errorf("%q was accepted", argv)
		}
	}
}

func BenchmarkFirstSound(b *testing.B) {
	for name, o := range map[string]CommandOptions{"espeak-ng": Espeak(""), "flite-slt": Flite(""),
		"flite-kal16": Flite("kal16")} {
		b.Run(name, func(b *testing.B) {
			e, err := NewCommand(o)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				for _, err := range e.Speak(b.Context(), "The timer for the pasta is set for ten minutes.") {
					if err != nil {
						b.Fatal(err)
					}
					break
				}
			}
		})
	}
}
