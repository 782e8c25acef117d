package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// exposes lets people speak of entities.
func (a *assist) exposes(ids ...string) {
	a.t.Helper()
	a.asks("homeassistant/expose_entity", map[string]any{
		"assistants": []string{"conversation"}, "entity_ids": ids, "should_expose": true,
	}, nil)
}

// responds calls an action that answers something, and gives the answer of the entity.
func (a *assist) responds(action, entity string, data map[string]any, into any) {
	a.t.Helper()
	domain, service, _ := strings.Cut(action, ".")
	var out struct{ Response map[string]json.RawMessage }
	a.asks("call_service", map[string]any{
		"domain": domain, "service": service, "service_data": data, "target": map[string]any{"entity_id": entity},
		"return_response": true,
	}, &out)
	check(a.t, json.Unmarshal(out.Response[entity], into))
}

// holds is what is on a list of Home Assistant, each with a dash if it is still to be done, in the order of the
// alphabet.
func (a *assist) holds(entity string) string {
	a.t.Helper()
	var out struct {
		Items []struct{ Summary, Status string }
	}
	a.responds("todo.get_items", entity, map[string]any{}, &out)
	var all []string
	for _, i := range out.Items {
		all = append(all, map[bool]string{true: "-"}[i.Status == "needs_action"]+i.Summary)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// orderly checks what is answered, in order.
func (k *kitchen) orderly(says [][2]string) {
	k.t.Helper()
	for _, s := range says {
		begun := time.Now()
		turn := k.ask(s[0])
		k.t.Logf("%q: %q in %v", s[0], turn.Answer, time.Since(begun).Round(time.Millisecond))
		if !matches(s[1], turn.Answer) || turn.Route != "intent" {
			k.t.Errorf("%q: %q by %s, want %s", s[0], turn.Answer, turn.Route, s[1])
		}
	}
}

// The shopping list and a to-do list of Home Assistant are those of the box.
func TestRealHouseKeepsTheLists(t *testing.T) {
	a := newAssist(t, "")
	a.configures("shopping_list", map[string]any{})
	a.configures("local_todo", map[string]any{"todo_list_name": "Hardware store"})
	a.exposes("todo.shopping_list", "todo.hardware_store")
	a.calls("todo.add_item", "todo.shopping_list", map[string]any{"item": "Butter"})
	k := served(t, a, a.grants("hearthd"), "HEARTHD_TOOLS_LIST_SOURCE=homeassistant")
	k.until("the lists", func() bool {
		return k.ask("what is on the shopping list").Answer == "The shopping list has one item: Butter."
	})
	k.orderly([][2]string{
		{"add milk and eggs to the shopping list", "Added milk and eggs to the shopping list."},
		{"add butter to the shopping list", "Butter is already on the shopping list."},
		{"what is on the shopping list", "The shopping list has three items: Butter, milk and eggs."},
		{"is milk on the shopping list", "Yes, milk is on the shopping list."},
		{"remove the eggs from the shopping list", "Removed eggs from the shopping list."},
		{"add nails to the hardware store list", "Added nails to the hardware store list."},
		{"add sand to the beach list", "There is no beach list in Home Assistant."},
		{"what lists do I have", "You have two lists: the hardware store list with one item and the shopping list with two items."},
	})
	if got := a.holds("todo.shopping_list"); got != "-Butter -milk" {
		t.Errorf("the shopping list has %s", got)
	}
	if got := a.holds("todo.hardware_store"); got != "-nails" {
		t.Errorf("the other list has %s", got)
	}
	k.orderly([][2]string{{"check the milk off the shopping list", "Ticked milk off the shopping list."}})
	if got := a.holds("todo.shopping_list"); got != "-Butter milk" {
		t.Errorf("after it was bought the shopping list has %s", got)
	}
	a.calls("todo.add_item", "todo.shopping_list", map[string]any{"item": "Tea"}) // by somebody with a telephone
	k.orderly([][2]string{{"what is on the shopping list", "The shopping list has two items: Butter and Tea."}})
	if status, stdout, stderr := k.ctl(t, "lists"); status != 0 || !strings.Contains(stdout, "Tea") {
		t.Errorf("%d %s %s", status, stdout, stderr)
	}
	if turn := k.ask("clear the shopping list"); turn.Question != "" {
		k.agree(turn.Question)
	}
	if got := a.holds("todo.shopping_list"); got != "milk" {
		t.Errorf("cleared, it has %s", got)
	}

	a.end()
	k.until("word that it is away", func() bool {
		return k.ask("add tea to the shopping list").Answer == "I cannot reach Home Assistant at the moment."
	})
	k.orderly([][2]string{{"what is on the shopping list", "I cannot reach Home Assistant at the moment."}})
	a.start()
	k.until("the lists again", func() bool { return k.ask("add tea to the shopping list").Answer == "Added tea to the shopping list." })
	if got := a.holds("todo.shopping_list"); got != "-tea milk" {
		t.Errorf("after a restart it has %s", got)
	}
}

// weatherHere tells of today, of rain tomorrow and of the next twelve hours.
const weatherHere = `sun:
template:
  - weather:
      - name: Roof station
        unique_id: roof
        condition: sunny
        temperature: "{{ 7.4 }}"
        temperature_unit: "°C"
        humidity: "{{ 62 }}"
        wind_speed: "{{ 5 }}"
        wind_speed_unit: m/s
        wind_bearing: "{{ 315 }}"
        forecast_daily: >
          {{ [{'datetime': today_at('12:00').isoformat(), 'condition': 'sunny', 'temperature': 11, 'templow': 3},
              {'datetime': (today_at('12:00') + timedelta(days=1)).isoformat(), 'condition': 'rainy', 'temperature': 9,
               'templow': 4, 'precipitation_probability': 80}] }}
        forecast_hourly: >
          {% set ns = namespace(list=[]) %}
          {% for h in range(13) %}
          {% set ns.list = ns.list + [{'datetime': (now().replace(minute=0, second=0, microsecond=0) + timedelta(hours=h)).isoformat(),
            'condition': 'sunny', 'temperature': 8, 'precipitation_probability': 0}] %}
          {% endfor %}
          {{ ns.list }}
`

// A weather entity of Home Assistant answers where no place is known, and one that is known is asked for by its name.
func TestRealHouseTellsTheWeather(t *testing.T) {
	a := newAssist(t, weatherHere)
	a.exposes("weather.roof_station") // so that something is; the weather need not be
	k := served(t, a, a.grants("hearthd"), "HEARTHD_TOOLS_WEATHER_URL=", "HEARTHD_TOOLS_TIMEZONE=UTC")
	k.until("the weather", func() bool { return k.ask("what is the weather").Answer == "It is 7 degrees with a clear sky." })
	k.orderly([][2]string{
		{"will it rain tomorrow", "Yes, rain is likely tomorrow, at 80 percent."},
		{"do I need an umbrella", "No, you don't need an umbrella in the next hours."},
		{"what's the weather tomorrow", "Tomorrow: rain, 4 to 9 degrees, and an 80 percent chance of rain."},
		{"how windy is it", "The wind is 18 kilometers per hour from the northwest."},
		{"how humid is it outside", "The air is at 60 percent humidity right now."},
		{"what is the weather in Oslo", "I only know the weather here."},
	})
	a.end()
	k.until("word that it is away", func() bool {
		return k.ask("what is the weather").Answer == "I cannot reach Home Assistant at the moment."
	})
}

// A calendar of Home Assistant is read out and added to.
func TestRealHouseKeepsTheCalendar(t *testing.T) {
	a := newAssist(t, "")
	a.configures("local_calendar", map[string]any{"calendar_name": "Family", "import": "create_empty"})
	a.exposes("calendar.family")
	today := time.Now().UTC().Truncate(24 * time.Hour)
	day := func(n int) string { return today.AddDate(0, 0, n).Format(time.DateOnly) }
	a.calls("calendar.create_event", "calendar.family", map[string]any{"summary": "Recycling", "start_date": day(0), "end_date": day(1)})
	k := served(t, a, a.grants("hearthd"), "HEARTHD_TOOLS_CALENDAR_SOURCE=homeassistant", "HEARTHD_TOOLS_TIMEZONE=UTC")
	k.until("the calendar", func() bool {
		return k.ask("what is on my calendar today").Answer == "You have one appointment today: Recycling all day."
	})
	k.orderly([][2]string{
		{"add dentist to my calendar tomorrow at 3 pm", "I added dentist tomorrow at 3 PM."},
		{"what do I have tomorrow", "You have one appointment tomorrow: dentist at 3 PM."},
		{"when is the dentist", "Dentist is tomorrow at 3 PM."},
		{"add choir to my calendar every day at 7 pm", "I added choir .*at 7 PM, every day."},
	})
	var out struct {
		Events []struct{ Start, End, Summary string }
	}
	a.responds("calendar.get_events", "calendar.family", map[string]any{
		"start_date_time": day(1) + "T00:00:00+00:00", "end_date_time": day(2) + "T00:00:00+00:00",
	}, &out)
	var has []string
	for _, e := range out.Events {
		has = append(has, e.Summary+" "+e.Start+" "+e.End)
	}
	slices.Sort(has)
	want := []string{"choir " + day(1) + "T19:00:00+00:00 " + day(1) + "T20:00:00+00:00",
		"dentist " + day(1) + "T15:00:00+00:00 " + day(1) + "T16:00:00+00:00"}
	if !slices.Equal(has, want) {
		t.Errorf("tomorrow it has %q", has)
	}
	k.orderly([][2]string{
		{"move the dentist to 5 pm", "I moved dentist to tomorrow at 5 PM."},
		{"what do I have tomorrow", "You have two appointments tomorrow: dentist at 5 PM and choir at 7 PM."},
	})
	for text, answer := range map[string]string{
		"delete choir tomorrow": "I deleted choir tomorrow at 7 PM.*", "delete the recycling today": "I deleted Recycling.*",
	} {
		turn := k.ask(text)
		if turn.Question != "" {
			turn = k.agree(turn.Question)
		}
		if t.Logf("%q: %q", text, turn.Answer); !matches(answer, turn.Answer) {
			t.Errorf("%q: %q", text, turn.Answer)
		}
	}
	k.orderly([][2]string{
		{"what do I have tomorrow", "You have one appointment tomorrow: dentist at 5 PM."},
		{"what do I have the day after tomorrow", "You have one appointment .*: choir at 7 PM."},
	})
	a.end()
	k.until("word that it is away", func() bool {
		return k.ask("what is on my calendar today").Answer == "I cannot reach Home Assistant at the moment."
	})
}
