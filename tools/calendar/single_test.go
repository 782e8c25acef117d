package calendar

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-ical"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// removing is a store that takes no entry without events, as servers do not.
type removing struct{ *fileStore }

func (s removing) change(ctx context.Context, e *entry) error {
	if len(e.events) == 0 {
		return errors.New("bad request")
	}
	return s.fileStore.change(ctx, e)
}

// An invitation to one time of a series comes without the series.
func TestOneTimeWithoutItsSeriesIsDeleted(t *testing.T) {
	r := newRig(t, ics("SUMMARY:Retro\nRECURRENCE-ID:20260324T090000Z\nDTSTART:20260324T090000Z\nDTEND:20260324T100000Z"), Options{})
	c := &calendar{book: phrase.English(), store: removing{&fileStore{path: r.path, home: now.Location()}}, loc: now.Location(),
		now: func() time.Time { return now }, log: slog.New(slog.DiscardHandler)}
	got, err := c.remove(t.Context(), deleteArguments{meant: meant{Title: "retro"}})
	if want := "I deleted Retro on Tuesday at 10 AM."; err != nil || got.Text != want {
		t.Errorf("%q (%v), want %q", got.Text, err, want)
	}
	if strings.Contains(r.file(), ical.CompEvent) {
		t.Error(r.file())
	}
}

func TestAnEventThatBeganBeforeTheDayIsToldWithItsDay(t *testing.T) {
	r := newRig(t, ics("SUMMARY:Party\nDTSTART;TZID=Europe/Berlin:20260319T230000\nDTEND;TZID=Europe/Berlin:2026032"+
		"0T003000"), Options{})
	r.says("calendar_list", `{"day":"today"}`, "You have one appointment today: Party on March 19th at 11 PM.")
}

func TestAChangeLosesNothingOfWhatWasNotRead(t *testing.T) {
	series := "BEGIN:VEVENT\r\nUID:a\r\nSUMMARY:Choir\r\nDTSTART;TZID=Europe/Berlin:20200101T190000\r\nRRULE:FREQ=W" +
		"EEKLY;UNTIL=20210101T000000Z\r\nEND:VEVENT\r\n"
	late := "BEGIN:VEVENT\r\nUID:a\r\nSUMMARY:Concert\r\nRECURRENCE-ID;TZID=Europe/Berlin:20201230T190000\r\nDTSTAR" +
		"T;TZID=Europe/Berlin:20260324T190000\r\nEND:VEVENT\r\n"
	weekly := "BEGIN:VEVENT\r\nUID:b\r\nSUMMARY:Yoga\r\nDTSTART;TZID=Europe/Berlin:20260107T190000\r\nRRULE:FREQ=WE" +
		"EKLY\r\nEND:VEVENT\r\n"
	large := "BEGIN:VEVENT\r\nUID:b\r\nSUMMARY:Yoga on the " +
		"beach\r\nRECURRENCE-ID;TZID=Europe/Berlin:20260114T190000\r\nDTSTART;TZID=Europe/Berlin:20260114T190000\r\n" +
		strings.Repeat("COMMENT:"+strings.Repeat("x", 60<<10)+"\r\n", 10) + "END:VEVENT\r\n"
	content := head + series + late + weekly + large + foot
	r := newRig(t, content, Options{})
	for tool, args := range map[string]string{"calendar_move": `{"title":"concert","new_time":"20:00"}`,
		"calendar_delete": `{"title":"yoga"}`} {
		_, err := r.tools[tool].Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(args)}})
		var f *tools.Failure
		if !errors.As(err, &f) || f.Say != "Sorry, I can't change that appointment." {
			t.Errorf("%s: %v", tool, err)
		}
	}
	if r.file() != content {
		t.Error("the file was changed")
	}
	// On a server the whole resource is replaced.
	in := collection{home: now.Location(), from: now, to: now.AddDate(0, 0, 7)}
	for place, events := range map[string]string{"/a.ics": series + late, "/b.ics": weekly + large} {
		if err := in.read(strings.NewReader(head+events+foot), place, `"1"`); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range in.entries {
		if whole := strings.Contains(string(resourceOf(e)),
			"UNTIL"); whole == errors.Is((&davStore{base: parse(t, "http://127.0.0.1:1"),
			asker: newAsker("", "", "test")}).change(canceled(t), e), errPartly) {
			t.Errorf("%s: all of it %v", e.place, whole)
		}
	}
}

// canceled lets no request out.
func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
