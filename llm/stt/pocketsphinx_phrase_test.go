package stt

import (
	"errors"
	"log/slog"
	"testing"
)

func TestPhraseIsHeardAtTheBeginningWhateverFollows(t *testing.T) {
	e, err := NewPhrase(PhraseOptions{Phrase: "Hey Hearth", Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for said, want := range map[string]string{
		"hey hearth, why is the sky blue":                            "hey hearth",
		"hey hearth, give me a riddle for the kids":                  "hey hearth",
		"I told my sister yesterday about the hearth, hey hearth":    "",
		"my brother bought two pounds of cheese at the market today": "",
	} {
		if got := transcribe(t, e, spoken(t, said)); got.Text != want || got.Rejected != (want == "") {
			t.Errorf("%q: heard %+v", said, got)
		}
	}
}

func TestPhraseNeedsWordsOfTheDictionary(t *testing.T) {
	var unknown *UnknownWordsError
	o := PhraseOptions{Phrase: "hey hrrth", Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	if _, err := NewPhrase(o); !errors.As(err, &unknown) {
		t.Errorf("error %v", err)
	}
}

func TestSegmentationOfAnotherFormIsRefused(t *testing.T) {
	for _, line := range []string{"", "u S 0 T 0 A 0 L 0", "u S 0 T 0 A 0 L 0 x 1 2 hey_hearth 9",
		"u S 0 T 0 A 0 L 0 5 x 2 hey_hearth 9", "u S 0 T 0 A 0 L 0 5 1 2 hey_hearth x"} {
		if got, err := opening(line, "hey_hearth"); err == nil {
			t.Errorf("%q: %+v", line, got)
		}
	}
}
