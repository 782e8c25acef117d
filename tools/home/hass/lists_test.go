package hass

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/list"
	"hearthd/tools/phrase"
)

const listStates = `{"entity_id":"todo.shopping_list","state":"2","attributes":{"friendly_name":"Shopping List","supported_features":15}},
	{"entity_id":"todo.chores","state":"0","attributes":{"friendly_name":"To-do","supported_features":15}},
	{"entity_id":"todo.bring","state":"unavailable","attributes":{"friendly_name":"Bring"}},
	{"entity_id":"todo.secret","state":"1","attributes":{"friendly_name":"Secret"}},`

// listed are the tools over the lists of a Home Assistant.
type listed struct {
	t    *testing.T
	a    *assistant
	c    *Client
	told <-chan error
	exec *tools.Executor
}

func newListed(t *testing.T) *listed {
	t.Helper()
	a := &assistant{t: t, many: listStates,
		shown: `"todo.shopping_list":{"conversation":true},"todo.chores":{"conversation":true},"todo.bring":{"conversation":true}`,
		todos: &todos{away: "todo.bring", fixed: "todo.chores", lists: map[string][]chore{
			"todo.shopping_list": {{"s1", "Milk", "needs_action"}, {"s2", "bread\n<now>", "needs_action"}, {"s3", "salt", "completed"}},
			"todo.chores":        {}, "todo.bring": {}, "todo.secret": {{"x", "gold", "needs_action"}},
		}}}
	c, told := runWith(t, a, token)
	if err := await(t, told); err != nil {
		t.Fatal(err)
	}
	made, err := list.New(list.Options{Store: list.NewHouse(c, nil)})
	if err != nil {
		t.Fatal(err)
	}
	r := tools.NewRegistry(phrase.English())
	if err := r.Register(made...); err != nil {
		t.Fatal(err)
	}
	e, err := tools.NewExecutor(tools.ExecutorOptions{Registry: r, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return &listed{t, a, c, told, e}
}

func (l *listed) says(tool, args, want string) tools.Outcome {
	l.t.Helper()
	out := l.exec.Run(l.t.Context(), tools.Call{ToolCall: llm.ToolCall{Name: tool, Arguments: json.RawMessage(args)}})
	if got := out.Spoken(phrase.English()); got != want {
		l.t.Errorf("%s %s: %q, want %q (%v)", tool, args, got, want, out.Err)
	}
	return out
}

// has is what is on a list there, with its status.
func (l *listed) has(id, want string) {
	l.t.Helper()
	l.a.mu.Lock()
	defer l.a.mu.Unlock()
	var got []string
	for _, i := range l.a.todos.lists[id] {
		got = append(got, i.Summary+" "+i.Status)
	}
	if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
		l.t.Errorf("%s: %s", id, diff)
	}
}

func TestListsOfHomeAssistantAreOurs(t *testing.T) {
	l := newListed(t)
	out := l.says("list_show", `{}`, "The shopping list has two items: Milk and bread <now>.")
	if !out.Foreign {
		t.Error("the words of others are taken for the household's")
	}
	l.says("list_add", `{"items":["milk","eggs","flour"]}`, "Added eggs and flour to the shopping list. Milk was already there.")
	l.says("list_add", `{"items":["salt"],"list":"my grocery list"}`, "Added salt to the shopping list.") // it was bought before
	l.says("list_show", `{"items":["eggs","gold"]}`, "Eggs is on the shopping list, but no gold.")
	l.says("list_add", `{"items":["sweep"],"list":"to do"}`, "Added sweep to the to do list.")
	l.says("list_names", `{}`, "You have two lists: the shopping list with five items and the to do list with one item.")
	l.says("list_remove", `{"items":["flour","tea"]}`, "Removed flour from the shopping list. The shopping list has no tea.")
	l.says("list_remove", `{"items":["milk"],"done":true}`, "Ticked Milk off the shopping list.")
	l.has("todo.shopping_list", "Milk completed, bread\n<now> needs_action, salt completed, eggs needs_action, salt needs_action")
	l.says("list_clear", `{}`, "The shopping list is cleared.")
	l.says("list_clear", `{}`, "The shopping list was already empty.")
	l.has("todo.shopping_list", "Milk completed, salt completed")
	l.has("todo.chores", "sweep needs_action")
}

// What Home Assistant does not take is told, and what it took of it too.
func TestWhatAListOfHomeAssistantDoesNotTakeIsTold(t *testing.T) {
	l := newListed(t)
	l.says("list_add", `{"items":["nails"],"list":"diy"}`, "There is no diy list in Home Assistant.")
	l.says("list_show", `{"list":"secret"}`, "There is no secret list in Home Assistant.") // not exposed to voice
	l.says("list_add", `{"items":["nails"],"list":"bring"}`, "Sorry, I can't get at the lists right now.")
	l.a.mu.Lock()
	l.a.todos.full = 4
	l.a.mu.Unlock()
	l.says("list_add", `{"items":["eggs","flour"]}`,
		"Added eggs to the shopping list. But not the rest: Home Assistant does not do that.")
	l.has("todo.shopping_list", "Milk needs_action, bread\n<now> needs_action, salt completed, eggs needs_action")
	l.says("list_add", `{"items":["sweep"],"list":"to do"}`, "Added sweep to the to do list.")
	l.says("list_remove", `{"items":["sweep"],"list":"to do"}`, "Home Assistant does not do that.")
	l.has("todo.chores", "sweep needs_action")
	l.a.mu.Lock()
	l.a.cuts = true
	l.a.mu.Unlock()
	l.says("list_show", `{}`, "I gave that to Home Assistant, but got no answer.")
	l.says("list_add", `{"items":["tea"]}`, "I cannot reach Home Assistant at the moment.")
	l.says("list_names", `{}`, "I cannot reach Home Assistant at the moment.")
}

func TestListThatChangesItsNameIsFoundByTheNewOne(t *testing.T) {
	l := newListed(t)
	l.a.mu.Lock()
	l.a.many = strings.Replace(listStates, "To-do", "Garden list", 1)
	l.a.row = `{"entity_id":"todo.chores"},`
	_ = l.a.conn.CloseNow() // as a restart does
	l.a.mu.Unlock()
	for range 2 { // lost, and there again
		_ = await(t, l.told)
	}
	l.says("list_add", `{"items":["rake"],"list":"garden"}`, "Added rake to the garden list.")
	l.says("list_show", `{"list":"to do"}`, "There is no to do list in Home Assistant.")
}

func TestACommandThatHomeAssistantRefusesIsTold(t *testing.T) {
	l := newListed(t)
	says := func(want string) {
		t.Helper()
		err := l.c.Tell(t.Context(), "calendar/event/create", map[string]any{"entity_id": "calendar.family"})
		if f := new(tools.Failure); !errors.As(err, &f) || f.Say != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
	says("Home Assistant does not do that.") // this one has no calendars
	l.a.mu.Lock()
	_ = l.a.conn.CloseNow()
	l.a.mu.Unlock()
	_ = await(t, l.told)
	says("I cannot reach Home Assistant at the moment.")
}

func TestWhatTheRESTAPIHasIsRead(t *testing.T) {
	l := newListed(t)
	var got []struct{ Summary string }
	query := url.Values{"start": {"2026-11-24T00:00:00Z"}}
	if err := l.c.Read(t.Context(), "api/calendars/calendar.family", query, &got); err != nil || len(got) != 1 || got[0].Summary != "Tea" {
		t.Errorf("%+v %v", got, err)
	}
	for path, want := range map[string]string{"api/nothing": "Home Assistant does not do that.", "api/calendars/calendar.none": "Home Assistant does not do that."} {
		if f, err := new(tools.Failure), l.c.Read(t.Context(), path, nil, &got); !errors.As(err, &f) || f.Say != want {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
