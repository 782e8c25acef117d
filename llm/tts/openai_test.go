package tts

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
	"hearthd/rigs/llmtest"
)

// newOpenAI fills in the model and the voice that llmtest has.
func newOpenAI(t *testing.T, o OpenAIOptions) *OpenAI {
	t.Helper()
	if o.Model == "" {
		o.Model = "test"
	}
	if o.Voice == "" {
		o.Voice = "anna"
	}
	e, err := NewOpenAI(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestOpenAISpeaksPCMAtTheConfiguredRateAndWAVAtItsOwn(t *testing.T) {
	server := llmtest.NewSpeech(t, llmtest.SpeechScript{Key: "k3y", Rate: 22050, Speech: speech})
	for _, tc := range []struct {
		options OpenAIOptions
		rate    int
	}{
		{OpenAIOptions{}, 24000},
		{OpenAIOptions{Rate: 16000}, 16000},
		{OpenAIOptions{Format: formatWAV}, 22050},
	} {
		tc.options.BaseURL, tc.options.Key = server.URL, "k3y"
		got, err := hear(t.Context(), newOpenAI(t, tc.options), "Ten minutes left.")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(spoken(tc.rate), got); d != "" {
			t.Errorf("%+v: %s", tc.options, d)
		}
	}
	if got := server.Requests()[0].Input; got != "Ten minutes left." {
		t.Errorf("input %q", got)
	}
}

func TestOpenAIErrorsNameTheCauseAndHoldNoSecret(t *testing.T) {
	for name, tc := range map[string]struct {
		script  llmtest.SpeechScript
		options OpenAIOptions
		want    string
	}{
		"wrong key": {llmtest.SpeechScript{Key: "right"}, OpenAIOptions{Key: "s3cret"}, "refuses the key (status 401)"},
		"unknown model": {llmtest.SpeechScript{}, OpenAIOptions{Model: "hd"},
			"model server does not have the model hd"},
		"echoing": {llmtest.SpeechScript{}, OpenAIOptions{Voice: "bert"}, "status 400"},
		"broken":  {llmtest.SpeechScript{Fault: llmtest.SpeechBroken}, OpenAIOptions{Key: "s3cret"}, "status 500"},
		"moves":   {llmtest.SpeechScript{Fault: llmtest.SpeechMoves}, OpenAIOptions{}, "redirects"},
		"silent":  {llmtest.SpeechScript{Fault: llmtest.SpeechSilent}, OpenAIOptions{}, "no speech in time"},
		"stalls":  {llmtest.SpeechScript{Fault: llmtest.SpeechStalls}, OpenAIOptions{}, "no speech in time"},
		"closes":  {llmtest.SpeechScript{Fault: llmtest.SpeechCloses}, OpenAIOptions{}, "EOF"},
		"endless": {llmtest.SpeechScript{Fault: llmtest.SpeechEndless}, OpenAIOptions{}, "longer than 1m0s"},
		"endless wav": {llmtest.SpeechScript{Fault: llmtest.SpeechEndless, Rate: 8000},
			OpenAIOptions{Format: formatWAV}, "longer than"},
		"half a sample": {llmtest.SpeechScript{Speech: speech[:1]}, OpenAIOptions{}, "inside a sample"},
		"wav too fast": {llmtest.SpeechScript{Rate: 96000, Speech: speech}, OpenAIOptions{Format: formatWAV},
			"96000 Hz"},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewSpeech(t, tc.script)
			tc.options.BaseURL = server.URL
			e := newOpenAI(t, tc.options)
			e.timeout = patience(tc.want)
			_, err := hear(t.Context(), e, "buy milk")
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want an error with %q", err, tc.want)
			}
			for _, secret := range []string{"s3cret", "milk"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%q is in %v", secret, err)
				}
			}
		})
	}
}

func TestNewOpenAIRefusesBadOptions(t *testing.T) {
	good := OpenAIOptions{BaseURL: "http://x/v1", Model: "m", Voice: "v"}
	if _, err := NewOpenAI(good); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*OpenAIOptions){
		"url":    func(o *OpenAIOptions) { o.BaseURL = "x:8000" },
		"voice":  func(o *OpenAIOptions) { o.Voice = "" },
		"format": func(o *OpenAIOptions) { o.Format = "mp3" },
		"rate":   func(o *OpenAIOptions) { o.Rate = 4000 },
	} {
		o := good
		spoil(&o)
		if _, err := NewOpenAI(o); err == nil {
			t.Errorf("bad %s was accepted", name)
		}
	}
}

func TestOpenAIWithoutAModelSaysSoAndAsksNobody(t *testing.T) {
	server := llmtest.NewSpeech(t, llmtest.SpeechScript{})
	e, err := NewOpenAI(OpenAIOptions{BaseURL: server.URL, Voice: "anna"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hear(t.Context(), e, "Hello."); !errors.Is(err, llm.ErrModel) || len(server.Requests()) != 0 {
		t.Errorf("%v, %d requests", err, len(server.Requests()))
	}
}
