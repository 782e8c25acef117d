package calendar

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
	"hearthd/tools"
)

// manor is a Home Assistant with calendars, as of 2026.2.
type manor struct {
	t      *testing.T
	events map[string]string // by calendar
	broken string            // a calendar that cannot be read
	told   []string          // what was created
	away   bool
}

var (
	errAway     = &tools.Failure{Say: "I cannot reach Home Assistant at the moment.", Cause: errors.New("away")}
	errDeclined = &tools.Failure{Say: "Home Assistant does not do that.", Cause: errors.New("refused")}
)

func (m *manor) Called(domain string) (map[string][]string, error) {
	if m.away {
		return nil, errAway
	}
	if domain != "calendar" {
		m.t.Errorf("asked for %s", domain)
	}
	all := map[string][]string{}
	for id := range m.events {
		all[id] = []string{map[string]string{"calendar.a_holidays": "Holidays", "calendar.family": "Family"}[id]}
	}
	return all, nil
}

func (m *manor) Shown(id string) (string, map[string]any) {
	return "off", map[string]any{"supported_features": map[bool]float64{true: 7}[id == "calendar.family"]}
}

func (m *manor) Read(_ context.Context, path string, query url.Values, into any) error {
	from, err := time.Parse(time.RFC3339, query.Get("start"))
	to, err2 := time.Parse(time.RFC3339, query.Get("end"))
	id, under := strings.CutPrefix(path, "api/calendars/")
	if err := errors.Join(err, err2); err != nil || !under || len(query) != 2 || !to.After(from) {
		m.t.Errorf("%s with %v: %v", path, query, err)
	}
	if id == m.broken {
		return errDeclined
	}
	return json.Unmarshal([]byte(`[`+m.events[id]+`]`), into)
}

func (m *manor) Tell(_ context.Context, command string, data map[string]any) error {
	if data["entity_id"] != "calendar.family" {
		return errDeclined // it takes no events
	}
	data = maps.Clone(data)
	delete(data, "entity_id")
	text, err := json.Marshal(data)
	m.told = append(m.told, strings.TrimPrefix(command, "calendar/event/")+" "+string(text))
	return err
}

func newManor(t *testing.T) *manor {
	return &manor{t: t, events: map[string]string{
		"calendar.a_holidays": `{"start":{"date":"2026-03-20"},"end":{"date":"2026-03-21"},"summary":"Spring <begins>","uid":null,"rrule":null}`,
		"calendar.family": `{"start":{"dateTime":"2026-03-20T14:00:00+00:00"},"end":{"dateTime":"2026-03-20T15:00:00+00:00"},
			"summary":"Dentist","location":"Main street","description":"bring the card","uid":"d","recurrence_id":null,"rrule":null},
			{"start":{"dateTime":"2026-03-20T19:00:00+01:00"},"end":{"dateTime":"2026-03-20T20:00:00+01:00"},"summary":"Choir","uid":"c",
			"recurrence_id":"20260320T190000","rrule":"FREQ=DAILY"},
			{"start":{"dateTime":"2026-03-21T19:00:00+01:00"},"end":{"dateTime":"2026-03-21T20:00:00+01:00"},"summary":"Choir","uid":"c",
			"recurrence_id":"20260321T190000","rrule":"FREQ=DAILY"},
			{"start":{"dateTime":"at noon"},"end":{"dateTime":"2026-03-20T15:00:00+00:00"},"summary":"Odd","uid":"o"}`,
	}}
}

func (r *rig) fails(name, args, want string) {
	r.t.Helper()
	_, err := r.tools[name].Call(context.Background(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(args)}})
	if f := new(tools.Failure); !errors.As(err, &f) || f.Say != want {
		r.t.Errorf("%s %s: %v, want %q", name, args, err, want)
	}
}

func TestCalendarsOfHomeAssistantAreOurs(t *testing.T) {
	m := newManor(t)
	r := newRig(t, "", Options{House: m})
	r.says("calendar_list", `{"day":"today"}`, "You have three appointments today: Spring <begins> all day, Dentist at 3 PM and Choir at 7 PM.")
	r.says("calendar_list", `{"day":"today","calendar":"family calendar"}`, "You have two appointments today: Dentist at 3 PM and Choir at 7 PM.")
	r.says("calendar_next", `{"title":"dentist"}`, "Dentist is today at 3 PM, Main street.")
	r.says("calendar_add", `{"title":"haircut","day":"tomorrow","time":"16:30","location":"town"}`, "I added haircut tomorrow at 4:30 PM.")
	r.says("calendar_add", `{"title":"trip","day":"2026-04-01"}`, "I added trip on April 1st.")
	r.says("calendar_add", `{"title":"choir","day":"monday","time":"19:00","repeat":"FREQ=WEEKLY"}`, "I added choir on Monday at 7 PM, every week.")
	r.says("calendar_move", `{"title":"dentist","new_time":"17:00"}`, "I moved Dentist to today at 5 PM.")
	r.says("calendar_move", `{"title":"choir","day":"tomorrow","new_time":"20:00"}`, "I moved Choir to tomorrow at 8 PM.")
	r.says("calendar_delete", `{"title":"choir","day":"tomorrow"}`, "I deleted Choir tomorrow at 7 PM. Its other times stay.")
	r.says("calendar_delete", `{"title":"choir"}`, "I deleted Choir today at 7 PM. Its other times stay.")
	r.says("calendar_delete", `{"title":"choir","series":true}`, "I deleted Choir today at 7 PM.")
	r.says("calendar_delete", `{"title":"dentist"}`, "I deleted Dentist today at 3 PM.")
	want := []string{
		`create {"event":{"dtend":"2026-03-21T17:30:00+01:00","dtstart":"2026-03-21T16:30:00+01:00","location":"town","summary":"haircut"}}`,
		`create {"event":{"dtend":"2026-04-02","dtstart":"2026-04-01","summary":"trip"}}`,
		`create {"event":{"dtend":"2026-03-23T20:00:00+01:00","dtstart":"2026-03-23T19:00:00+01:00","rrule":"FREQ=WEEKLY","summary":"choir"}}`,
		`update {"event":{"description":"bring the card","dtend":"2026-03-20T18:00:00+01:00","dtstart":"2026-03-20T17:00:00+01:00",` +
			`"location":"Main street","summary":"Dentist"},"uid":"d"}`,
		`update {"event":{"dtend":"2026-03-21T21:00:00+01:00","dtstart":"2026-03-21T20:00:00+01:00","summary":"Choir"},` +
			`"recurrence_id":"20260321T190000","uid":"c"}`,
		`delete {"recurrence_id":"20260321T190000","uid":"c"}`, `delete {"recurrence_id":"20260320T190000","uid":"c"}`,
		`delete {"uid":"c"}`, `delete {"uid":"d"}`,
	}
	if diff := cmp.Diff(want, m.told); diff != "" {
		t.Error(diff)
	}
}

func TestWhatACalendarOfHomeAssistantDoesNotTakeIsTold(t *testing.T) {
	m := newManor(t)
	r := newRig(t, "", Options{House: m})
	r.fails("calendar_delete", `{"title":"spring"}`, "Sorry, I can't change that appointment.") // it has no identity
	r.fails("calendar_add", `{"title":"x","day":"tomorrow","calendar":"holidays"}`, "Home Assistant does not do that.")
	r.fails("calendar_add", `{"title":"x","day":"tomorrow","calendar":"work"}`, "There is no calendar called work.")
	m.broken = "calendar.family"
	r.says("calendar_list", `{"day":"today"}`,
		"You have one appointment today: Spring <begins> all day. I could not read the calendar Family.")
	r.says("calendar_list", `{"day":"tomorrow"}`, "You have nothing in the calendar tomorrow. I could not read the calendar Family.")
	r.says("calendar_next", `{}`, "Your next appointment is Spring <begins> today. I could not read the calendar Family.")
	r.says("calendar_next", `{"title":"dentist"}`,
		"I found nothing like that in the calendar of the next year. I could not read the calendar Family.")
	r.says("calendar_delete", `{"title":"dentist"}`, "I found no such appointment. I could not read the calendar Family.")
	r.fails("calendar_list", `{"day":"today","calendar":"family"}`, "I could not read the calendar Family.")
	r.says("calendar_list", `{"day":"today","calendar":"holidays"}`, "You have one appointment today: Spring <begins> all day.")
	m.away = true
	r.fails("calendar_list", `{"day":"today"}`, "I cannot reach Home Assistant at the moment.")
	m.away, m.events = false, nil
	r.fails("calendar_list", `{"day":"today"}`, "I found no calendar there.")
	only := newRig(t, "", Options{House: newManor(t), Calendars: []string{"holidays"}})
	only.says("calendar_list", `{"day":"today"}`, "You have one appointment today: Spring <begins> all day.")
	only.fails("calendar_add", `{"title":"x","day":"tomorrow"}`, "I found no calendar there.")
}
