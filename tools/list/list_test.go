package list_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
	"hearthd/memory"
	"hearthd/rigs/memorytest"
	"hearthd/tools"
	"hearthd/tools/list"
	"hearthd/tools/phrase"
)

// kitchen is the list tools as the daemon runs them, with a real store.
type kitchen struct {
	t     *testing.T
	store *limited
	exec  *tools.Executor
}

// limited is a store that can refuse what is new.
type limited struct {
	*memory.Store
	full bool
}

func (s *limited) AddItems(ctx context.Context, list string, items []string) ([]string, error) {
	if s.full {
		return nil, errors.New("disk full")
	}
	return s.Store.AddItems(ctx, list, items)
}

func newKitchen(t *testing.T) *kitchen { return kitchenIn(t, "en") }

func kitchenIn(t *testing.T, language string) *kitchen {
	t.Helper()
	book, err := phrase.New(phrase.Options{Language: language})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	store := &limited{Store: memorytest.Open(t)}
	made, err := list.New(list.Options{Store: store, Book: book})
	if err != nil {
		t.Fatal(err)
	}
	r := tools.NewRegistry(phrase.English())
	e, err2 := tools.NewExecutor(tools.ExecutorOptions{Registry: r, Log: log})
	if err := errors.Join(err2, r.Register(made...)); err != nil {
		t.Fatal(err)
	}
	return &kitchen{t, store, e}
}

func (k *kitchen) run(tool, args string) tools.Outcome {
	return k.exec.Run(k.t.Context(), tools.Call{ToolCall: llm.ToolCall{Name: tool, Arguments: json.RawMessage(args)}})
}

func (k *kitchen) expect(tool, args, want string) {
	k.t.Helper()
	if out := k.run(tool, args); out.Class != tools.OK || out.Result.Text != want {
		k.t.Errorf("%s %s: %s %q, want %q", tool, args, out.Class, out.Result.Text, want)
	}
}

func TestListsAreNamed(t *testing.T) {
	k := newKitchen(t)
	k.expect("list_names", `{}`, "All lists are empty.")
	k.run("list_add", `{"items":["milk","eggs"]}`)
	k.run("list_add", `{"items":["nails"],"list":"diy"}`)
	k.expect("list_names", `{}`, "You have two lists: the diy list with one item and the shopping list with two items.")
}

func TestMoreOfOneOfSeveralReplacesThat(t *testing.T) {
	k := newKitchen(t)
	k.run("list_add", `{"items":["coriander","six limes","milk"]}`)
	k.expect("list_add", `{"items":["eight limes"],"instead":["it"]}`, "Removed six limes from the shopping list. Added eight limes to the shopping list.")
	k.expect("list_add", `{"items":["tea"],"instead":["it"]}`, "Removed eight limes from the shopping list. Added tea to the shopping list.")
}

func TestTheShoppingListMayBeMisspelt(t *testing.T) {
	k := newKitchen(t)
	k.expect("list_add", `{"items":["milk"],"list":"shoping"}`, "Added milk to the shopping list.")
	k.expect("list_add", `{"items":["eggs"],"list":"groceriees"}`, "Added eggs to the shopping list.")
	k.expect("list_add", `{"items":["tape"],"list":"shipping"}`, "Added tape to the shipping list.")
}

func TestListsAreKeptAndSaid(t *testing.T) {
	k := newKitchen(t)
	k.expect("list_show", `{}`, "The shopping list is empty.")
	k.expect("list_clear", `{}`, "The shopping list was already empty.")
	k.expect("list_add", `{"items":["milk"]}`, "Added milk to the shopping list.")
	k.expect("list_show", `{"list":"my Shopping list"}`, "The shopping list has one item: milk.")
	k.expect("list_add", `{"items":["some eggs","  brown  rice "]}`, "Added eggs and brown rice to the shopping list.")
	k.expect("list_add", `{"items":["Milk"]}`, "Milk is already on the shopping list.")
	k.expect("list_add", `{"items":["egg","milk"]}`, "Egg and milk are already on the shopping list.")
	k.expect("list_add", `{"items":["bread","milk","Bread"]}`, "Added bread to the shopping list. Milk and Bread were already there.")
	k.expect("list_show", `{}`, "The shopping list has four items: milk, eggs, brown rice and bread.")
	k.expect("list_remove", `{"items":["the egg"]}`, "Removed eggs from the shopping list.")
	k.expect("list_remove", `{"items":["egg","milk"]}`, "Removed milk from the shopping list. The shopping list has no egg.")
	k.expect("list_add", `{"items":["2 liters of milk","6 Bananas","1 kg of flour","a bag of flour"]}`, "Added 2 liters of milk, 6 Bananas, 1 kg of flour and bag of flour to the shopping list.")
	k.expect("list_remove", `{"items":["milk","banana"]}`, "Removed 2 liters of milk and 6 Bananas from the shopping list.")
	k.expect("list_remove", `{"items":["flour"]}`, "Removed 1 kg of flour and bag of flour from the shopping list.")
	k.expect("list_remove", `{"items":["flour"]}`, "The shopping list has no flour.")
	k.expect("list_add", `{"items":["half a dozen eggs","three lemons"]}`, "Added half a dozen eggs and three lemons to the shopping list.")
	k.expect("list_remove", `{"items":["eggs","lemon"]}`, "Removed half a dozen eggs and three lemons from the shopping list.")
	k.expect("list_add", `{"items":["rice"]}`, "Added rice to the shopping list.")
	k.expect("list_add", `{"items":["rolls"],"instead":["bread"],"list":"it"}`, "Removed bread from the shopping list. Added rolls to the shopping list.")
	k.expect("list_add", `{"items":["buns"],"instead":["it"],"list":"it"}`, "Removed rolls from the shopping list. Added buns to the shopping list.")
	k.expect("list_undo", `{}`, "Removed buns from the shopping list. Added rolls to the shopping list.")
	k.expect("list_add", `{"items":["buns"],"instead":["rolls"]}`, "Removed rolls from the shopping list. Added buns to the shopping list.")
	k.expect("list_add", `{"items":["tea"],"instead":["bread"]}`, "The shopping list has no bread.")
	k.expect("list_remove", `{"items":["buns","rice"]}`, "Removed buns and rice from the shopping list.")
	k.expect("list_add", `{"items":["tea","jam"]}`, "Added tea and jam to the shopping list.")
	k.expect("list_add", `{"items":["honey"],"instead":["it"],"list":"it"}`, "Added honey to the shopping list.")
	k.expect("list_remove", `{"items":["tea","jam","honey"]}`, "Removed tea, jam and honey from the shopping list.")
	k.expect("list_remove", `{"items":["nails","screws"],"list":"hardware"}`, "The hardware list has no nails or screws.")
	k.expect("list_remove", `{"items":["tea","mac and cheese"]}`, "The shopping list has no tea or mac and cheese.")
	k.expect("list_clear", `{}`, "The shopping list is cleared.")
}

func TestSingularAndPluralAreOneItem(t *testing.T) {
	for _, pair := range [][2]string{{"tomato", "tomatoes"}, {"egg", "eggs"}, {"cake", "cakes"}, {"olive", "olives"}, {"dish", "dishes"}} {
		k := newKitchen(t)
		k.expect("list_add", fmt.Sprintf(`{"items":[%q]}`, pair[0]), fmt.Sprintf("Added %s to the shopping list.", pair[0]))
		k.expect("list_remove", fmt.Sprintf(`{"items":[%q]}`, pair[1]), fmt.Sprintf("Removed %s from the shopping list.", pair[0]))
	}
	k := newKitchen(t)
	k.expect("list_add", `{"items":["pea","peas","peach","ice","rice"]}`, "Added pea, peach, ice and rice to the shopping list. Peas was already there.")
}

func TestAnAmountAndItsItemAreTheSameThing(t *testing.T) {
	k := newKitchen(t)
	k.expect("list_add", `{"items":["two eggs"]}`, "Added two eggs to the shopping list.")
	k.expect("list_add", `{"items":["eggs"]}`, "Two eggs is already on the shopping list.")
	k.expect("list_remove", `{"items":["eggs"]}`, "Removed two eggs from the shopping list.")
	k.expect("list_add", `{"items":["eggs"]}`, "Added eggs to the shopping list.")
	k.expect("list_add", `{"items":["two eggs"]}`, "Added two eggs to the shopping list. Eggs was already there.")
	k.expect("list_remove", `{"items":["the eggs"]}`, "Removed eggs and two eggs from the shopping list.")
	k.run("list_add", `{"items":["milk"]}`)
	k.expect("list_remove", `{"items":["two liters of milk"]}`, "Removed milk from the shopping list.")
}

func TestListDataIsTheListAsItIs(t *testing.T) {
	k := newKitchen(t)
	k.run("list_add", `{"items":["milk","eggs"]}`)
	out := k.run("list_remove", `{"items":["milk"]}`)
	got, err := json.Marshal(out.Result.Data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"list":"shopping","items":["eggs"]}`, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestListIsBounded(t *testing.T) {
	k := newKitchen(t)
	for page := range 8 {
		var items []string
		for i := range 25 {
			items = append(items, fmt.Sprintf("thing %d", page*25+i))
		}
		args, err := json.Marshal(map[string]any{"items": items})
		if err != nil {
			t.Fatal(err)
		}
		k.run("list_add", string(args))
	}
	k.expect("list_add", `{"items":["milk"]}`, "The shopping list is full, so I added nothing.")
	if text := k.run("list_show", `{}`).Result.Text; !strings.HasSuffix(text, "thing 9 and 190 more.") {
		t.Errorf("%q", text)
	}
}

// What was taken off for something that could not be put on is told, and undo brings it back.
func TestExchangeOfWhichHalfIsDoneSaysSo(t *testing.T) {
	k := newKitchen(t)
	k.run("list_add", `{"items":["bread"]}`)
	k.store.full = true
	const want = "Removed bread from the shopping list. But not the rest: Sorry, I can't get at the lists right now."
	out := k.run("list_add", `{"items":["rolls"],"instead":["bread"]}`)
	if said := out.Spoken(phrase.English()); out.Class != tools.Failed || said != want {
		t.Errorf("%s %q, want %q", out.Class, said, want)
	}
	k.store.full = false
	k.expect("list_undo", `{}`, "Added bread to the shopping list.")
}

func TestStoreThatIsGoneIsOneSentence(t *testing.T) {
	k := newKitchen(t)
	if err := k.store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"list_add", "list_remove"} {
		if out := k.run(tool, `{"items":["milk"]}`); out.Class != tools.Failed || out.Spoken(phrase.English()) != "Sorry, I can't get at the lists right now." {
			t.Errorf("%s: %+v", tool, out)
		}
	}
	for _, tool := range []string{"list_show", "list_clear"} {
		if out := k.run(tool, `{}`); out.Class != tools.Failed {
			t.Errorf("%s: %+v", tool, out)
		}
	}
}

func TestEmptyItemsAreRefused(t *testing.T) {
	k := newKitchen(t)
	for _, args := range []string{`{}`, `{"items":[]}`, `{"items":[""]}`, `{"items":["  "]}`} {
		for _, tool := range []string{"list_add", "list_remove"} {
			if out := k.run(tool, args); out.Class != tools.BadArguments {
				t.Errorf("%s %s: %+v", tool, args, out)
			}
		}
	}
}

func TestListTellsWhetherSomethingIsOnIt(t *testing.T) {
	k := newKitchen(t)
	k.run("list_add", `{"items":["2 liters of milk","eggs"]}`)
	for args, want := range map[string]string{
		`{"items":["egg"]}`:                 "Yes, eggs is on the shopping list.",
		`{"items":["milk","eggs"]}`:         "Yes, 2 liters of milk and eggs are on the shopping list.",
		`{"items":["tea","bread"]}`:         "No, the shopping list has no tea or bread.",
		`{"items":["milk","tea"]}`:          "2 liters of milk is on the shopping list, but no tea.",
		`{"items":["milk"],"list":"party"}`: "The party list is empty.",
	} {
		if out := k.run("list_show", args); out.Result.Text != want {
			t.Errorf("%s: %q, want %q", args, out.Result.Text, want)
		}
	}
}

func TestListsAnswerInGerman(t *testing.T) {
	k := kitchenIn(t, "de")
	for _, c := range [][3]string{
		{"list_names", `{}`, "Alle Listen sind leer."},
		{"list_show", `{}`, "Die Einkaufsliste ist leer."},
		{"list_clear", `{"list":"die einkaufsliste"}`, "Die Einkaufsliste war schon leer."},
		{"list_add", `{"items":["die Milch"]}`, "Ich habe Milch auf die Einkaufsliste gesetzt."},
		{"list_show", `{"list":"Einkauf"}`, "Auf der Einkaufsliste steht ein Eintrag: Milch."},
		{"list_add", `{"items":["Eier","Milch","2 Liter Saft"]}`, "Ich habe Eier und 2 Liter Saft auf die Einkaufsliste gesetzt. Du hattest Milch schon darauf."},
		{"list_add", `{"items":["Eier"]}`, "Eier hast du schon auf der Einkaufsliste."},
		{"list_show", `{}`, "Auf der Einkaufsliste stehen drei Einträge: Milch, Eier und 2 Liter Saft."},
		{"list_show", `{"items":["saft","eier"]}`, "Ja, du hast 2 Liter Saft und Eier auf der Einkaufsliste."},
		{"list_show", `{"items":["Tee","Brot"]}`, "Nein, Tee oder Brot hast du nicht auf der Einkaufsliste."},
		{"list_show", `{"items":["Tee","Eier"]}`, "Du hast Eier auf der Einkaufsliste, aber nicht Tee."},
		{"list_add", `{"items":["Schrauben"],"list":"Baumarkt"}`, "Ich habe Schrauben auf die Baumarkt-Liste gesetzt."},
		{"list_names", `{}`, "Du hast zwei Listen: die Baumarkt-Liste mit einem Eintrag und die Einkaufsliste mit drei Einträgen."},
		{"list_remove", `{"items":["Saft","Tee"]}`, "Ich habe 2 Liter Saft von der Einkaufsliste gestrichen. Tee hast du nicht auf der Einkaufsliste."},
		{"list_clear", `{}`, "Die Einkaufsliste ist jetzt leer."},
	} {
		k.expect(c[0], c[1], c[2])
	}
}

func TestItIsTheListThatWasSpokenOfLast(t *testing.T) {
	k := newKitchen(t)
	k.expect("list_add", `{"items":["milk"],"list":"it"}`, "Added milk to the shopping list.")
	k.expect("list_add", `{"items":["tent"],"list":"camping"}`, "Added tent to the camping list.")
	k.expect("list_show", `{"list":"it"}`, "The camping list has one item: tent.")
	k.expect("list_clear", `{"list":"it"}`, "The camping list is cleared.")
}

func TestMyListIsThatOfThePersonWhoAsks(t *testing.T) {
	for language, want := range map[string][3]string{
		"en": {"my", "Added milk to Anna's list.", "anna's"},
		"de": {"meine", "Ich habe milk auf die Annas-Liste gesetzt.", "annas"},
	} {
		k := kitchenIn(t, language)
		add := func(person string) string {
			return k.exec.Run(t.Context(), tools.Call{For: llm.Ask{Person: person, ByVoice: true}, ToolCall: llm.ToolCall{
				Name: "list_add", Arguments: json.RawMessage(fmt.Sprintf(`{"items":["milk"],"list":%q}`, want[0]))}}).Result.Text
		}
		if got := add("anna"); got != want[1] {
			t.Errorf("%s: %q", language, got)
		}
		add("")
		lists, err := k.store.Lists(t.Context())
		if diff := cmp.Diff(map[string][]string{want[2]: {"milk"}, "shopping": {"milk"}}, lists); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", language, err, diff)
		}
		k.run("list_clear", fmt.Sprintf(`{"list":%q}`, want[2])) // which others may name
		if items, err := k.store.Items(t.Context(), want[2]); err != nil || len(items) > 0 {
			t.Errorf("%s: %v, %v", language, items, err)
		}
	}
}

func TestLastChangeOfAListIsTakenBack(t *testing.T) {
	k := newKitchen(t)
	k.expect("list_undo", `{}`, "There is nothing that I could undo.")
	for _, c := range [][3]string{
		{"list_add", `{"items":["milk"]}`, "milk"},
		{"list_add", `{"items":["milk","eggs"]}`, "milk eggs"},
		{"list_undo", `{}`, "milk"},
		{"list_undo", `{}`, "milk eggs"},
		{"list_remove", `{"items":["eggs"]}`, "milk"},
		{"list_undo", `{}`, "milk eggs"},
		{"list_clear", `{}`, ""},
		{"list_undo", `{}`, "milk eggs"},
		{"list_add", `{"items":["eggs"]}`, "milk eggs"}, // which changed nothing
		{"list_undo", `{}`, "milk eggs"},
	} {
		out := k.run(c[0], c[1])
		items, err := k.store.Items(t.Context(), "shopping")
		if got := strings.Join(items, " "); got != c[2] || out.Class != tools.OK || err != nil {
			t.Errorf("%s %s: %q, %v; the list is %q, want %q", c[0], c[1], out.Text, err, got, c[2])
		}
	}
	k.run("list_clear", `{}`)
	k.expect("list_undo", `{}`, "Added milk and eggs to the shopping list.")
}

// What a box forgets with the next restart is answered so (daemon/dialogue), but not of lists that another
// machine keeps.
func TestWhatListsKeepIsMarked(t *testing.T) {
	k := newKitchen(t)
	for _, c := range []struct {
		tool, args string
		kept       bool
	}{
		{"list_add", `{"items":["milk"]}`, true},
		{"list_add", `{"items":["milk"]}`, false},
		{"list_show", `{}`, false},
		{"list_add", `{"items":["rolls"],"instead":["milk"]}`, true},
		{"list_remove", `{"items":["rolls"]}`, true},
		{"list_remove", `{"items":["rolls"]}`, false},
	} {
		if out := k.run(c.tool, c.args); out.Class != tools.OK || out.Kept != c.kept {
			t.Errorf("%s %s: %+v", c.tool, c.args, out)
		}
	}
}
