package shelf

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/speech/model"
)

// library counts what is loaded.
type library struct {
	loads, open int
	languages   []string
}

func (l *library) Recogniser(_ *model.Manifest, language string, _ int) (Recogniser, error) {
	l.loads++
	l.open++
	l.languages = append(l.languages, language)
	return &engine{Recogniser: nil, l: l}, nil
}

func (l *library) Voice(*model.Manifest, int) (Voice, error) {
	l.loads++
	l.open++
	return &voice{l: l}, nil
}

func (l *library) Printer(*model.Manifest, int) (Printer, error) {
	l.loads++
	l.open++
	return &printer{l: l}, nil
}

func (l *library) Spotter(*model.Manifest, []model.Phrase, int) (Spotter, error) {
	l.loads++
	l.open++
	return &spotter{l: l}, nil
}

type spotter struct {
	Spotter
	l *library
}

func (s *spotter) Close() { s.l.open-- }

type printer struct {
	Printer
	l *library
}

func (p *printer) Close() { p.l.open-- }

type engine struct {
	Recogniser
	l *library
}

func (e *engine) Close() { e.l.open-- }

type voice struct {
	Voice
	l *library
}

func (v *voice) Close() { v.l.open-- }

// install puts models of these kinds and languages below a folder, named by both.
func install(t *testing.T, names ...string) string {
	t.Helper()
	state := t.TempDir()
	for _, name := range names {
		kind, language, _ := strings.Cut(name, "-")
		m := &model.Manifest{Kind: model.Kind(kind), Rate: 16000, Languages: strings.Split(language, "-"),
			Files: map[string]string{"encoder": "e", "decoder": "d", "tokens": "t"}, Speakers: map[string]int{"eve": 7}}
		if m.Kind == model.Piper {
			m.Files = map[string]string{"model": "m", "tokens": "t"}
		}
		if m.Kind == model.Speaker {
			m.Files, m.Speakers = map[string]string{"model": "m"}, nil
		}
		folder := filepath.Join(state, model.ModelsFolder, name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, f := range m.Files {
			if err := os.WriteFile(filepath.Join(folder, f), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Write(folder); err != nil {
			t.Fatal(err)
		}
	}
	return state
}

func shelf(t *testing.T, l *library, state string, most int) *Shelf {
	t.Helper()
	return New(Options{Library: l, State: state, Most: most, Idle: time.Minute, Log: slog.New(slog.DiscardHandler)})
}

func TestModelIsLoadedOnceAndUnloadedWhenItIsIdle(t *testing.T) {
	state := install(t, "whisper-en")
	synctest.Test(t, func(t *testing.T) {
		l := &library{}
		s := shelf(t, l, state, 2)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go s.Run(ctx)
		_, first, err := s.Recogniser("", "en")
		if err != nil {
			t.Fatal(err)
		}
		_, second, err := s.Recogniser("whisper-en", "")
		if err != nil || l.loads != 1 {
			t.Fatalf("%d loads, %v", l.loads, err)
		}
		first()
		first() // a second release is none
		time.Sleep(time.Hour)
		if l.open != 1 {
			t.Error("a model was unloaded that is in use")
		}
		second()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if l.open != 0 {
			t.Error("an idle model stays loaded")
		}
	})
}

func TestModelInUseIsNotPutOutForAnother(t *testing.T) {
	l := &library{}
	s := shelf(t, l, install(t, "whisper-en", "whisper-de", "piper-en"), 2)
	_, english, err := s.Recogniser("", "en")
	if err != nil {
		t.Fatal(err)
	}
	_, german, err := s.Recogniser("", "de")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := s.Voice("", "en"); !errors.Is(err, ErrBusy) {
		t.Errorf("a third model: %v", err)
	}
	german()
	if _, speaker, _, err := s.Voice("piper-en/eve", "en"); err != nil || speaker != 7 || l.open != 2 {
		t.Errorf("speaker %d, %d loaded, %v", speaker, l.open, err)
	}
	english()
}

func TestLanguageIsToldOnlyToAModelThatHasAChoice(t *testing.T) {
	l := &library{}
	s := shelf(t, l, install(t, "whisper-en", "whisper-de-fr"), 5)
	for _, language := range []string{"en", "de", ""} {
		if _, _, err := s.Recogniser("", language); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(l.languages, ","); got != ",de," {
		t.Errorf("told %q", got)
	}
	for _, name := range []string{"gone", "../etc", "whisper-en"} {
		if _, _, err := s.Recogniser(name, "xx"); !errors.Is(err, ErrNone) {
			t.Errorf("model %q: %v", name, err)
		}
	}
}

func TestModelThatTellsVoicesApartIsLoadedOnceAndSaysWhichItIs(t *testing.T) {
	l := &library{}
	if _, _, _, err := shelf(t, l, install(t, "whisper-en"), 3).Printer(); !errors.Is(err, ErrNone) ||
		!strings.Contains(err.Error(), "tells voices apart") {
		t.Errorf("without one: %v", err)
	}
	s := shelf(t, l, install(t, "whisper-en", "speaker-any"), 3)
	for range 2 {
		m, p, release, err := s.Printer()
		if err != nil || m.Name != "speaker-any" || p == nil {
			t.Fatalf("%+v, %v", m, err)
		}
		release()
	}
	if l.loads != 1 {
		t.Errorf("loaded %d times", l.loads)
	}
}
