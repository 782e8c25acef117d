package calendar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWhatCannotBeReadIsNamedAndTheRestIsTold(t *testing.T) {
	bad := map[string]string{
		"DTSTART;TZID=Mars/Olympus:20260320T120000":                                                 "Mars/Olympus",
		"DTSTART;TZID=../../../etc/passwd:20260320T120000":                                          "is not known",
		"DTSTART:20260320T120000Z\nRRULE:FREQ=SECONDLY":                                             "within the day",
		"DTSTART:20260320T120000Z\nRRULE:FREQ=DAILY;INTERVAL=-1":                                    "rule",
		"DTSTART:20260320T120000Z\nRRULE:FREQ=DAILY;INTERVAL=0":                                     "rule",
		"DTSTART:20260320T120000Z\nRRULE:FREQ=DAILY;BYHOUR=1,2,3,4,5,6;BYMINUTE=1,2,3,4,5":          "a day",
		"DTSTART:20260320T120000Z\nRRULE:FREQ=DAILY;BYMONTHDAY=" + strings.Repeat("1,", 1000) + "1": "longer",
		"DTSTART:20260320T120000Z\nRRULE:nonsense":                                                  "rule",
		"DTSTART:tomorrow": "no time",
		"DTSTART:20260320T120000Z\nDURATION:P99999999999D": "duration",
		"RRULE:FREQ=DAILY": "no start",
		"DTSTART:20260320T120000Z\nX-LONG:" + strings.Repeat("x",
			1<<20): "a line is longer",
		"DTSTART:20260320T120000Z\n" + strings.Repeat("X-MANY:"+strings.Repeat("y", 60000)+"\n", 10) +
			"X:1": "larger",
		"DTSTART:20260320T120000Z\n" + strings.Repeat("BEGIN:VALARM\n", 9) + strings.Repeat("END:VALARM\n", 9) +
			"X:": "deeper",
		"DTSTART;TZID=\"Europe/Berlin:20260320T120000": "neither",
	}
	for event, why := range bad {
		r := newRig(t, ics("SUMMARY:bad one\n"+event, "SUMMARY:good one\nDTSTART:20260320T120000Z"), Options{})
		r.says("calendar_list", `{"day":"today"}`, "You have one appointment today: good one at 1 PM.")
		if log := r.log.String(); !strings.Contains(log, why) || !strings.Contains(log, "bad one") &&
			!strings.Contains(log, `event \"\"`) {
			t.Errorf("%.60q: log %q, want %q", event, log, why)
		}
	}
}

// A rule that matches nothing is walked to the end of the library's calendar.
func BenchmarkRuleThatNeverMatches(b *testing.B) {
	start := stamp{wall: time.Date(1970, 1, 1, 9, 0, 0, 0, time.UTC), zone: time.UTC}
	end := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for b.Loop() {
		if _, err := repeat("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", start, time.UTC, end.AddDate(0, 0, -7), end); err != nil {
			b.Fatal(err)
		}
	}
}

// many writes a calendar of n events, half of which repeat.
func many(w io.Writer, n int) error {
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	for i := range n {
		rule := ""
		if i%50 == 0 {
			rule = "RRULE:FREQ=WEEKLY\r\n"
		}
		_, err := fmt.Fprintf(w, "BEGIN:VEVENT\r\nUID:%d@many\r\nDTSTAMP:20200101T000000Z\r\nSUMMARY:Event "+
			"%d\r\nDTSTART;TZID=Europe/Berlin:%04d0105T%02d0000\r\nDURATION:PT30M\r\n%sEND:VEVENT\r\n",
			i, i, 1950+i%75, i%24, rule)
		if err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, foot)
	return err
}

func TestAHundredThousandEventsAreNoTrouble(t *testing.T) {
	var b bytes.Buffer
	if err := many(&b, 100_000); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, b.String(), Options{})
	r.call("calendar_add", `{"title":"The one","day":"tomorrow","time":"12:00"}`)
	res := r.call("calendar_list", `{"day":"tomorrow"}`)
	if n := len(res.Data.([]appointment)); n == 0 || n > maxEvents || len(res.Text) > 1000 {
		t.Errorf("%d events, %d bytes of text", n, len(res.Text))
	}
	if !strings.Contains(r.log.String(), "more than 2000 in that time") &&
		!strings.Contains(r.log.String(), "takes too long") {
		t.Logf("nothing skipped: %s", r.log.String())
	}
	if got := strings.Count(r.file(), "BEGIN:VEVENT"); got != 100_001 {
		t.Errorf("the file has %d events", got)
	}
}

func BenchmarkListOfAHundredThousandEvents(b *testing.B) {
	path := filepath.Join(b.TempDir(), "c.ics")
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(many(f, 100_000), f.Close())
	}
	if err != nil {
		b.Fatal(err)
	}
	s := &fileStore{path: path, name: "Home", home: now.Location()}
	for b.Loop() {
		if _, _, _, err := events(context.Background(), s, now, now.AddDate(0, 0, 7), now.Location()); err != nil {
			b.Fatal(err)
		}
	}
}

func TestWhatHearthdDoesNotKnowStaysAsItIs(t *testing.T) {
	strange := "BEGIN:VTODO\r\nUID:e0\r\nX-STRANGE;A=\"b:c\":\\qq\r\nEND:VTODO\r\nBEGIN:VEVENT\r\nUID:broken" +
		"\r\nno colon\r\nEND:VEVENT\r\n"
	content := strings.Replace(ics("SUMMARY:Old\nDTSTART:20260320T120000Z\nX-OTHER;P=1:kept"), foot, strange+foot, 1)
	r := newRig(t, content, Options{})
	r.call("calendar_add", `{"title":"New","day":"today","time":"15:00"}`)
	if !strings.HasPrefix(r.file(), strings.TrimSuffix(content, foot)) {
		t.Errorf("the file is\n%s", r.file())
	}
	r.call("calendar_move", `{"title":"old","new_time":"14:00"}`)
	if !strings.Contains(r.file(), strange) || !strings.Contains(r.file(), "X-OTHER;P=1:kept\r\n") ||
		strings.Count(r.file(), "UID:e0") != 2 {
		t.Errorf("the file is\n%s", r.file())
	}
	r.call("calendar_delete", `{"title":"old"}`)
	if !strings.Contains(r.file(), strange) || strings.Contains(r.file(), "kept") {
		t.Errorf("the file is\n%s", r.file())
	}
}

func TestADamagedCalendarIsKeptAside(t *testing.T) {
	kept := func(r *rig) []string {
		found, err := filepath.Glob(r.path + ".kept-*")
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	r := newRig(t, "\x00\x01 no calendar", Options{})
	r.says("calendar_list", `{"day":"today"}`, "You have nothing in the calendar today.")
	r.says("calendar_add", `{"title":"New","day":"today","time":"15:00"}`, "I added New today at 3 PM.")
	if len(kept(r)) != 1 || !strings.Contains(r.log.String(), "kept aside") {
		t.Errorf("kept %v, log %q", kept(r), r.log.String())
	}
	// Cut off in the middle: what is whole is still told, and kept.
	whole := ics("SUMMARY:One\nDTSTART:20260320T120000Z", "SUMMARY:Two\nDTSTART:20260320T130000Z")
	r = newRig(t, whole[:strings.Index(whole, "SUMMARY:Two")+8], Options{})
	r.says("calendar_list", `{"day":"today"}`, "You have one appointment today: One at 1 PM.")
	r.call("calendar_add", `{"title":"Three","day":"today","time":"15:00"}`)
	r.says("calendar_list", `{"day":"today"}`, "You have two appointments today: One at 1 PM and Three at 3 PM.")
	if len(kept(r)) != 1 || !strings.HasSuffix(r.file(), "END:VEVENT\r\n"+foot) {
		t.Errorf("kept %v, file\n%s", kept(r), r.file())
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(ics("SUMMARY:x\nDTSTART;TZID=Europe/Berlin:20260320T120000\nRRULE:FREQ=WEEKLY;BYDAY=MO," +
		"TU;UNTIL=20270101\nEXDATE:20260324T080000Z")))
	f.Add([]byte(ics("SUMMARY:x\nDTSTART;VALUE=DATE:20260320\nDURATION:P1D\nRECURRENCE-ID:20260320")))
	f.Add([]byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\nBEGIN:VEVENT\nA;B=\"c\",d:e\n f\nEND:VCALENDAR"))
	f.Add([]byte("BEGIN:VCALENDAR\nBEGIN:\nEND:\n :\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		from, to := now, now.AddDate(0, 1, 0)
		c := collection{home: now.Location(), from: from, to: to, calendar: "x"}
		if err := c.read(bytes.NewReader(data), "", ""); err != nil {
			t.Fatal(err)
		}
		for _, e := range c.entries {
			found, err := e.expand(from, to, now.Location())
			if err != nil && strings.Contains(err.Error(), "panic") {
				t.Fatal(err)
			}
			if len(found) > 2*maxTimes+len(e.events) {
				t.Fatalf("%d times", len(found))
			}
			// What was read is written so that it is read as the same.
			again := collection{home: now.Location(), from: from, to: to, calendar: "x"}
			if err := again.read(strings.NewReader(head+string(encode(e.events...))+foot), "", ""); err != nil ||
				len(again.entries) == 0 {
				t.Fatalf("%q became %q: %v", data, encode(e.events...), again.skipped)
			}
		}
	})
}

func TestAFileThatOthersReadStaysReadable(t *testing.T) {
	r := newRig(t, ics("SUMMARY:Old\nDTSTART:20260320T120000Z"), Options{})
	if err := os.Chmod(r.path, 0o664); err != nil {
		t.Fatal(err)
	}
	r.call("calendar_add", `{"title":"New","day":"today","time":"15:00"}`)
	info, err := os.Stat(r.path)
	if err != nil || info.Mode().Perm() != 0o664 {
		t.Errorf("the file is %v (%v), and was rw-rw-r--", info.Mode(), err)
	}
}
