package calendar

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/tools"
)

// radicale runs a server with two calendars and a task list of anna, and gives its
// address.
func radicale(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("radicale")
	if err != nil {
		t.Skip("needs the Debian package radicale")
	}
	dir := t.TempDir()
	users := filepath.Join(dir, "users")
	if err := os.WriteFile(users, []byte("anna:secret words\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "config")
	text := fmt.Sprintf("[server]\nhosts = %s\n[auth]\ntype = htpasswd\nhtpasswd_filename = "+
		"%s\nhtpasswd_encryption = plain\ndelay = 0\n[logging]\nlevel = info\n[storage]\nfilesystem_folder = %s\n", address,
		users, filepath.Join(dir, "data"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--config", config)
	output, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	ready, ended := make(chan struct{}), make(chan struct{})
	var log strings.Builder
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(output); lines.Scan(); {
			log.WriteString(lines.Text() + "\n")
			if strings.Contains(lines.Text(), "server ready") {
				close(ready)
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	select {
	case <-ready:
	case <-ended:
		t.Fatal("radicale ended")
	case <-time.After(time.Minute):
		t.Fatal("radicale does not become ready")
	}
	base := "http://" + address
	for name, kind := range map[string]string{"Family": "VEVENT", "Work stuff": "VEVENT", "Tasks": "VTODO"} {
		body := `<?xml version="1.0"?><C:mkcalendar xmlns:D="DAV:" ` +
			`xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><D:displayname>` + name +
			`</D:displayname><C:supported-calendar-component-set><C:comp name="` + kind +
			`"/></C:supported-calendar-component-set></D:prop></D:set></C:mkcalendar>`
		dav(t, "MKCALENDAR", base+"/anna/"+strings.ReplaceAll(name, " ", "%20")+"/", body)
	}
	return base
}

// dav does something on the server behind hearthd's back.
func dav(t *testing.T, method, url, body string) string {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth("anna", "secret words")
	if method == http.MethodPut {
		req.Header.Set("Content-Type", "text/calendar")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode/100 != 2 {
		t.Fatalf("%s %s: %s %s %v", method, url, res.Status, b, err)
	}
	return string(b)
}

func anna(base string) Options { return Options{URL: base, User: "anna", Password: "secret words"} }

func TestWhoLooksIsToldTheCalendarsOrThatThePasswordIsWrong(t *testing.T) {
	o := anna(radicale(t))
	names, err := Look(t.Context(), o)
	slices.Sort(names)
	if want := []string{"Family", "Work stuff"}; !slices.Equal(names, want) || err != nil {
		t.Errorf("%q, %v", names, err)
	}
	o.Password = "wrong"
	if names, err := Look(t.Context(), o); !errors.Is(err, ErrLocked) {
		t.Errorf("%q, %v", names, err)
	}
}

func TestACalendarOfRadicaleIsFoundReadAndChanged(t *testing.T) {
	base := radicale(t)
	r := newRig(t, "", anna(base))
	r.says("calendar_list", `{}`, "You have nothing in the calendar in the next seven days.")
	r.says("calendar_add", `{"title":"Dentist","day":"monday","time":"15:00","calendar":"family"}`,
		"I added Dentist on Monday at 3 PM.")
	r.says("calendar_add", `{"title":"Review; Q1, ünd mehr","day":"monday","time":"09:00?","calendar":"work stuff calendar"}`, "I added Review; Q1, ünd mehr on Monday at 9 AM.")
	r.says("calendar_add", `{"title":"Choir","day":"thursday","time":"19:00","repeat":"FREQ=WEEKLY","calendar":"Family"}`,
		"I added Choir on Thursday at 7 PM, every week.")
	r.says("calendar_list", `{"day":"monday"}`,
		"You have two appointments on Monday: Review; Q1, ünd mehr at 9 AM and Dentist at 3 PM.")
	r.says("calendar_list", `{"day":"monday","calendar":"Work stuff"}`,
		"You have one appointment on Monday: Review; Q1, ünd mehr at 9 AM.")
	// Three weeks on, behind the change of the clocks.
	got := r.call("calendar_list", `{"day":"2026-04-09"}`).Data.([]appointment)
	if len(got) != 1 || got[0].Start.UTC().Format("15:04") != "17:00" || got[0].Calendar != "Family" {
		t.Errorf("choir: %+v", got)
	}
	r.says("calendar_move", `{"title":"dentist","new_day":"tuesday","new_time":"16:00"}`,
		"I moved Dentist to Tuesday at 4 PM.")
	r.says("calendar_move", `{"title":"choir","new_time":"20:00"}`, "I moved Choir to Thursday at 8 PM.")
	r.says("calendar_delete", `{"title":"choir","day":"2026-04-09"}`,
		"I deleted Choir on April 9th at 7 PM. Its other times stay.")
	r.says("calendar_move", `{"title":"review","new_title":"Retro"}`, "I changed it: Retro on Monday at 9 AM.")

	// Another program sees the same.
	fresh := newRig(t, "", anna(base+"/anna/"))
	fresh.says("calendar_list", `{"day":"next week"}`,
		"You have three appointments next week: Retro on Monday at 9 AM, Dentist on Tuesday at 4 PM and Choir on "+
			"Thursday at 8 PM.")
	fresh.says("calendar_list", `{"day":"2026-04-09"}`, "You have nothing in the calendar on April 9th.")
	fresh.says("calendar_list", `{"day":"2026-04-16"}`, "You have one appointment on April 16th: Choir at 7 PM.")
	fresh.says("calendar_delete", `{"title":"dentist"}`, "I deleted Dentist on Tuesday at 4 PM.")
	fresh.says("calendar_delete", `{"title":"choir","series":true}`, "I deleted Choir on Thursday at 8 PM.")
	r.says("calendar_list", `{"day":"next week"}`, "You have one appointment next week: Retro on Monday at 9 AM.")
}

func TestChangesOfOthersAreNotOverwritten(t *testing.T) {
	base := radicale(t)
	place := base + "/anna/Family/one.ics"
	event := func(title string) string {
		return strings.ReplaceAll(ics("SUMMARY:"+title+"\nDTSTART;TZID=Europe/Berlin:20260323T090000"), foot, "") + foot
	}
	dav(t, http.MethodPut, place, event("First"))
	r := newRig(t, "", anna(base))
	s := r.tools["calendar_list"]
	if s == nil {
		t.Fatal("no tool")
	}
	store := &davStore{base: parse(t, base), asker: newAsker("anna", "secret words", "test"), home: now.Location()}
	entries, _, skipped, err := store.near(context.Background(), now, now.AddDate(0, 0, 7))
	if err != nil || len(entries) != 1 || len(skipped) != 0 {
		t.Fatalf("%v %v %v", entries, skipped, err)
	}
	dav(t, http.MethodPut, place, event("Second"))
	if err := store.change(context.Background(), entries[0]); err != errChanged {
		t.Errorf("change: %v", err)
	}
	if err := store.remove(context.Background(), entries[0]); err != errChanged {
		t.Errorf("remove: %v", err)
	}
	r.says("calendar_list", `{"day":"monday"}`, "You have one appointment on Monday: Second at 9 AM.")
}

func TestAWrongPasswordAndAServerThatIsAwayAreSaid(t *testing.T) {
	base := radicale(t)
	o := anna(base)
	o.Password = "wrong"
	for say, o := range map[string]Options{
		"The calendar did not accept the password.":     o,
		"Sorry, I can't get at the calendar right now.": {URL: "http://127.0.0.1:1/"},
		"There is no calendar called Skiing.":           anna(base),
	} {
		r := newRig(t, "", o)
		_, err := r.tools["calendar_list"].Call(context.Background(),
			tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(`{"day":"today","calendar":"Skiing"}`)}})
		f, ok := err.(*tools.Failure)
		if !ok || f.Say != say {
			t.Errorf("%v, want %q", err, say)
		}
		if strings.Contains(fmt.Sprint(err), "wrong") || strings.Contains(fmt.Sprint(err), "secret") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
}

// hostile answers discovery as a server does, and a query as it likes.
func hostile(t *testing.T, report http.HandlerFunc) *rig {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		prop := map[bool]string{
			strings.Contains(string(body), "current-user-principal"): `<D:current-user-principal><D:href>/me/</D:href></D` +
				`:current-user-principal>`,
			strings.Contains(string(body), "calendar-home-set"): `<C:calendar-home-set><D:href>/me/</D:href></C:calendar-` +
				`home-set>`,
			strings.Contains(string(body), "resourcetype"): `<D:resourcetype><D:collection/><C:calendar/></D:resourcetype` +
				`><D:displayname>Mine</D:displayname>`,
		}[true]
		if req.Method == "REPORT" {
			report(w, req)
			return
		}
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusMultiStatus)
		fmt.Fprintf(w, `<D:multistatus xmlns:D="DAV:" `+
			`xmlns:C="urn:ietf:params:xml:ns:caldav"><D:response><D:href>/me/c/</D:href><D:propstat><D:prop>%s</D:prop><D`+
			`:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>`, prop)
	}))
	t.Cleanup(s.Close)
	return newRig(t, "", Options{URL: s.URL})
}

func TestAHostileServerIsBounded(t *testing.T) {
	for name, report := range map[string]http.HandlerFunc{
		"without end": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusMultiStatus)
			fmt.Fprint(w, "<multistatus><response><propstat><prop><calendar-data>")
			for line := strings.Repeat("x", 1<<16); ; {
				if _, err := io.WriteString(w, line); err != nil {
					return
				}
			}
		},
		"a bomb of entities": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `<!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b `+
				`"&a;&a;&a;">]><multistatus><response><href>&b;</href></response></multistatus>`)
		},
		"a redirect elsewhere": func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "http://localhost.invalid/", http.StatusTemporaryRedirect)
		},
		"a redirect in circles": func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, req.URL.Path, http.StatusTemporaryRedirect)
		},
		"no XML": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<multistatus><response") },
		"status": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
	} {
		r := hostile(t, report)
		_, err := r.tools["calendar_list"].Call(context.Background(),
			tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(`{"day":"today"}`)}})
		if f, ok := err.(*tools.Failure); !ok || f.Say != "Sorry, I can't get at the calendar right now." {
			t.Errorf("%s: %v", name, err)
		}
	}
	// One bad event of several is named, and the rest is told.
	r := hostile(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<D:multistatus xmlns:D="DAV:">`)
		for i, event := range []string{"no calendar", ics("SUMMARY:Bad\nDTSTART:x"),
			ics("SUMMARY:Good\nDTSTART:20260320T120000Z")} {
			fmt.Fprintf(w, `<D:response><D:href>/me/c/%d.ics</D:href><D:propstat><D:prop><C:calendar-data `+
				`xmlns:C="urn:ietf:params:xml:ns:caldav">%s</C:calendar-data></D:prop></D:propstat></D:response>`, i, event)
		}
		fmt.Fprint(w, `</D:multistatus>`)
	})
	r.says("calendar_list", `{"day":"today"}`, "You have one appointment today: Good at 1 PM.")
	if !strings.Contains(r.log.String(), "Bad") {
		t.Errorf("log %q", r.log.String())
	}
}

func parse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A server takes a day for one of UTC: in the evening of California it is over.
func TestAWholeDayIsFoundInItsEvening(t *testing.T) {
	base := radicale(t)
	dav(t, http.MethodPut, base+"/anna/Family/day.ics", ics("SUMMARY:Emma's birthday\nDTSTART;VALUE=DATE:20260320"))
	home := zone("America/Los_Angeles")
	store := &davStore{base: parse(t, base), asker: newAsker("anna", "secret words", "test"), home: home}
	from := time.Date(2026, time.March, 20, 17, 0, 0, 0, home)
	found, _, skipped, err := events(t.Context(), store, from, from.Add(7*time.Hour), home)
	if err != nil || len(found) != 1 {
		t.Errorf("%v %v %v", found, skipped, err)
	}
}
