package act

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"hearthd/tools"
	"hearthd/tools/home"
)

// keeping gives the tools of a house whose orders are noted.
func keeping(t *testing.T, house home.Devices) (map[string]tools.Tool, *Home, *[]Order) {
	t.Helper()
	var kept []Order
	h, err := New(Options{Devices: house, Order: func(_ context.Context, o Order) (tools.Result, error) {
		kept = append(kept, o)
		return tools.Result{Text: "I'll " + o.Label + "."}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]tools.Tool{}
	for _, tool := range h.Tools() {
		byName[tool.Spec().Name] = tool
	}
	return byName, h, &kept
}

func TestOrderForLaterSendsNothingNow(t *testing.T) {
	for args, want := range map[string]struct{ text, call string }{
		`{"action":"off","name":"coffee machine","in_s":600}`:                  {"I'll turn off the coffee machine.", `{"action":"off","name":"coffee machine"}`},
		`{"action":"on","name":"thermostat","time":"06:00?","day":"tomorrow"}`: {"I'll turn on the thermostat.", `{"action":"on","name":"Thermostat","area":"Bathroom"}`},
		`{"action":"set","name":"blinds","position":50,"in_s":60}`:             {"I'll set the blinds to 50 percent.", `{"action":"set","name":"Blinds","area":"Living Room","property":"position","value":50}`},
		`{"action":"set","name":"thermostat","temperature":21,"time":"18:00"}`: {"I'll set the thermostat to 21 degrees.", `{"action":"set","name":"Thermostat","area":"Bathroom","property":"temperature","value":21}`},
		`{"action":"off","name":"all lights","area":"kitchen","in_s":60}`:      {"I'll turn off all lights in the kitchen.", `{"action":"off","name":"all lights","area":"kitchen"}`},
		`{"action":"off","name":"lights","except":"sofa lamp","time":"22:00"}`: {"I'll turn off the lights except the sofa lamp.", `{"action":"off","name":"lights","except":"sofa lamp"}`},
		`{"action":"off","name":"toaster","in_s":600}`:                         {"I don't know a device called toaster.", ""},
		`{"action":"on","name":"lamp","in_s":600}`:                             {"Which one: hallway lamp or sofa lamp? Please say it all again with the name.", ""},
		`{"action":"toggle","name":"coffee machine","in_s":600}`:               {"For later, please tell me what it should be then.", ""},
		`{"action":"off","name":"coffee machine"}`:                             {"When should I do that? Tell me a time, or in how many minutes.", ""},
	} {
		house := kitchen()
		byName, _, kept := keeping(t, house)
		r := call(t, byName["home_later"], args)
		if r.Text != want.text || len(house.sent) > 0 {
			t.Errorf("%s: %q, sent %v", args, r.Text, house.sent)
		}
		var c Call
		if len(*kept) == 1 {
			if err := json.Unmarshal([]byte((*kept)[0].Call), &c); err != nil {
				t.Fatal(err)
			}
		}
		if string(c.Arguments) != want.call || c.Question != "" {
			t.Errorf("%s: keeps %s %v, want %s", args, c.Arguments, c.Question, want.call)
		}
	}
}

func TestOrderForTheDeviceOfTheLastCommandNamesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		byName, _, kept := keeping(t, kitchen())
		call(t, byName["home_control"], `{"action":"on","name":"coffee machine"}`)
		if r := call(t, byName["home_later"], `{"action":"off","name":"it","in_s":600}`); r.Text != "I'll turn off the coffee machine." {
			t.Error(r.Text)
		}
		want := []Order{{Label: "turn off the coffee machine", Call: `{"arguments":{"action":"off","name":"coffee machine"}}`, In: 10 * time.Minute}}
		if diff := cmp.Diff(want, *kept); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOrderThatOpensTheHouseIsAskedForWhenItIsGiven(t *testing.T) {
	byName, _, kept := keeping(t, kitchen())
	later := byName["home_later"]
	ask := later.(tools.Limited).Limits().ConfirmFunc
	for args, want := range map[string]string{
		`{"action":"unlock","name":"front door","in_s":600}`: "Shall I unlock the front door then, without asking again?",
		`{"action":"open","name":"garage","time":"18:00"}`:   "Shall I open the garage door then, without asking again?",
		`{"action":"lock","name":"front door","in_s":600}`:   "",
		`{"action":"off","name":"coffee machine","in_s":60}`: "",
	} {
		if got := ask(json.RawMessage(args)); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	call(t, later, `{"action":"unlock","name":"front door","in_s":600}`)
	var c Call
	if err := json.Unmarshal([]byte((*kept)[0].Call), &c); err != nil || c.Question != "Unlock the front door?" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestKeptOrderKnowsWhetherItsDevicesAreThereAndObeyed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		house := kitchen()
		byName, h, _ := keeping(t, house)
		if h.Knows(Call{Arguments: json.RawMessage(`{"action":"off","name":"toaster"}`)}) || !h.Knows(Call{Arguments: json.RawMessage(`{"action":"off","name":"coffee machine"}`)}) {
			t.Error("knows the toaster, or not the coffee machine")
		}
		house.deaf["s1"] = true
		for args, want := range map[string]bool{`{"action":"on","name":"coffee machine"}`: false, `{"action":"on","name":"hallway lamp"}`: true, `{"action":"on","name":"toaster"}`: false} {
			if r := call(t, byName["home_control"], args); Did(r) != want {
				t.Errorf("%s: %+v", args, r)
			}
		}
	})
}
