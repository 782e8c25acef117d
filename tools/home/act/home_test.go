package act

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
	"hearthd/tools/phrase"
)

func TestToolsAreTaken(t *testing.T) {
	byName, _ := newTools(t, kitchen())
	r := tools.NewRegistry(phrase.English())
	for _, tool := range byName {
		if err := r.Register(tool); err != nil {
			t.Error(err)
		}
	}
	if _, err := New(Options{}); err == nil {
		t.Error("a home without devices was made")
	}
}

func TestCommands(t *testing.T) {
	for args, want := range map[string]struct{ text, sent string }{
		`{"action":"on","name":"the kitchen ceiling light"}`:             {"The ceiling light is on.", `l1 {"state":"on"}`},
		`{"action":"on","name":"sealing lite"}`:                          {"The ceiling light is on.", `l1 {"state":"on"}`},
		`{"action":"off","name":"my cofee machine"}`:                     {"The coffee machine is off.", `s1 {"state":"off"}`},
		`{"action":"on","name":"child lock"}`:                            {"The child lock is on.", `s2 {"state":"on"}`},
		`{"action":"on","name":"lights","area":"kitchen"}`:               {"Both lights are on.", `l1 {"state":"on"};l2 {"state":"on"}`},
		`{"action":"on","name":"all the kitchen lights"}`:                {"Both lights are on.", `l1 {"state":"on"};l2 {"state":"on"}`},
		`{"action":"on","name":"hallway lamp"}`:                          {"The hallway lamp is on.", `s3 {"state":"on"}`},
		`{"action":"on","name":"lamp","area":"the living room"}`:         {"The sofa lamp is on.", `l3 {"state":"on"}`},
		`{"action":"set","name":"livingroom lamp","brightness":30}`:      {"The sofa lamp is at 30 percent.", `l3 {"brightness":30,"state":"on"}`},
		`{"action":"set","name":"sofa lamp","brightness":0}`:             {"The sofa lamp is off.", `l3 {"state":"off"}`},
		`{"action":"set","name":"sofa lamp","color":"blue"}`:             {"The sofa lamp is blue.", `l3 {"color":"#0000ff","state":"on"}`},
		`{"action":"set","name":"ceiling light","color":"warm white"}`:   {"The ceiling light is at 2700 kelvin.", `l1 {"kelvin":2700,"state":"on"}`},
		`{"action":"set","name":"bedside","brightness":30}`:              {"The bedside cannot do that.", ""},
		`{"action":"open","name":"blinds"}`:                              {"The blinds are open.", `c2 {"state":"open"}`},
		`{"action":"open","name":"living room blinds","position":40}`:    {"The blinds are at 40 percent.", `c2 {"position":40}`},
		`{"action":"stop","name":"blinds"}`:                              {"I told the blinds to stop.", `c2 {"state":"stopped"}`},
		`{"action":"lock","name":"front door"}`:                          {"The front door was already locked.", `k1 {"state":"locked"}`},
		`{"action":"set","name":"bathroom thermostat","temperature":22}`: {"The thermostat is set to 22 degrees.", `t1 {"temperature":22}`},
		`{"action":"set","name":"thermostat","temperature_step":2}`:      {"The thermostat is set to 22 degrees.", `t1 {"temperature":22}`},
		`{"action":"set","name":"thermostat","temperature":45}`:          {"The thermostat only goes from 5 to 30 degrees.", ""},
		`{"action":"set","name":"thermostat","mode":"eco"}`:              {"The thermostat is set to eco.", `t1 {"preset":"eco"}`},
		`{"action":"set","temperature_step":1}`:                          {"The thermostat is set to 21 degrees.", `t1 {"temperature":21}`},
		`{"action":"set","name":"blinds","brightness":30}`:               {"The blinds are at 30 percent.", `c2 {"position":30}`},
		`{"action":"off","name":"heating","area":"bathroom"}`:            {"The thermostat is off.", `t1 {"mode":"off"}`},
		`{"action":"set","name":"bedroom fan","speed":66}`:               {"The bedroom fan is at 66 percent.", `f1 {"speed":66}`},
		`{"action":"on","name":"movie night scene"}`:                     {"I started movie night.", `z1 {"state":"on"}`},
		`{"action":"on","name":"pool pump"}`:                             {"I sent that to the pool pump, which does not report back.", `b1 {"state":"on"}`},
		`{"action":"start","name":"vacuum"}`:                             {"Robo is cleaning.", `v1 {"state":"cleaning"}`},
		`{"action":"set","name":"pump mode","value":"eco"}`:              {"The pump mode is set to Eco Mode.", `q1 {"state":"Eco Mode"}`},
		`{"action":"on","name":"helicopter"}`:                            {"I don't know a device called helicopter.", ""},
		`{"action":"on","name":"kitchen light"}`:                         {"Both lights are on.", `l1 {"state":"on"};l2 {"state":"on"}`},
		`{"action":"on","name":"kitchen lamp"}`:                          {"Which one: ceiling light or counter?", ""},
		`{"action":"open","name":"ceiling light"}`:                       {"The ceiling light is on.", `l1 {"state":"on"}`},
		`{"action":"toggle","name":"garage door"}`:                       {"The garage door is open.", `c1 {"state":"open"}`},
		`{"action":"toggle","name":"bedside"}`:                           {"The bedside does not say how it is now.", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			house := kitchen()
			byName, _ := newTools(t, house)
			got := call(t, byName["home_control"], args)
			slices.Sort(house.sent)
			if sent := strings.Join(house.sent, ";"); got.Text != want.text || sent != want.sent {
				t.Errorf("%s: %q, sent %s; want %q, %s", args, got.Text, sent, want.text, want.sent)
			}
		})
	}
}

func TestDeviceThatDoesNotAnswerIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		house := kitchen()
		house.deaf["l1"] = true
		byName, _ := newTools(t, house)
		began := time.Now()
		if got := call(t, byName["home_control"], `{"action":"on","name":"lights","area":"kitchen"}`); got.Text != "One light is on. I sent that to the ceiling light, but got no answer." {
			t.Error(got.Text)
		}
		if took := time.Since(began); took != answerWithin {
			t.Errorf("took %v", took)
		}
	})
}

func TestCoverIsAcknowledgedWhenItMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		house := kitchen()
		house.deaf["c1"], house.deaf["c2"] = true, true
		byName, _ := newTools(t, house)
		time.AfterFunc(time.Second, func() { house.set("c1", home.State{home.Main: "opening"}) })
		if got := call(t, byName["home_control"], `{"action":"open","name":"garage"}`); got.Text != "The garage door is opening." {
			t.Error(got.Text)
		}
		time.AfterFunc(time.Second, func() { house.set("c2", home.State{home.Position: 15.0}) })
		if got := call(t, byName["home_control"], `{"action":"set","name":"blinds","position":70}`); got.Text != "The blinds are moving." {
			t.Error(got.Text)
		}
	})
}

func TestOfflineDeviceIsNotSentTo(t *testing.T) {
	house := kitchen()
	e := house.devices["l3"]
	e.Offline = true
	house.devices["l3"] = e
	byName, _ := newTools(t, house)
	if got := call(t, byName["home_control"], `{"action":"on","name":"sofa lamp"}`); got.Text != "The sofa lamp cannot be reached right now." || len(house.sent) > 0 {
		t.Errorf("%s %q", got.Text, house.sent)
	}
}

func TestLostBrokerIsSaid(t *testing.T) {
	house := kitchen()
	house.err = fmt.Errorf("no connection")
	byName, _ := newTools(t, house)
	_, err := byName["home_control"].Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(`{"action":"on","name":"sofa lamp"}`)}})
	if f, ok := err.(*tools.Failure); !ok || f.Say != "Sorry, I could not reach the sofa lamp." {
		t.Error(err)
	}
}

func TestOneOfSeveralIsChosen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		house := kitchen()
		byName, home := newTools(t, house)
		var offered []string
		home.opt.Choice = func(names []string) { offered = names }
		if got := call(t, byName["home_choose"], `{"name":"counter"}`); got.Text != "There is nothing to choose from right now." {
			t.Error(got.Text)
		}
		call(t, byName["home_control"], `{"action":"on","name":"kitchen lamp"}`)
		if diff := cmp.Diff([]string{"ceiling light", "counter", "first", "last", "second", "ceiling", "light"}, offered); diff != "" {
			t.Error(diff)
		}
		if got := call(t, byName["home_choose"], `{"name":"the sofa"}`); got.Text != "The sofa is none of them." {
			t.Error(got.Text)
		}
		if got := call(t, byName["home_choose"], `{"name":"the counter one"}`); got.Text != "The counter is on." {
			t.Error(got.Text)
		}
		call(t, byName["home_control"], `{"action":"off","name":"kitchen lamp"}`)
		time.Sleep(chooseWithin + time.Second)
		if got := call(t, byName["home_choose"], `{"name":"counter"}`); got.Text != "There is nothing to choose from right now." {
			t.Error(got.Text)
		}
	})
}

func TestWhatLetsSomebodyInIsConfirmed(t *testing.T) {
	byName, _ := newTools(t, kitchen())
	ask := byName["home_control"].(tools.Limited).Limits().ConfirmFunc
	for args, want := range map[string]string{
		`{"action":"unlock","name":"front door"}`:            "Unlock the front door?",
		`{"action":"open","name":"front door"}`:              "Unlock the front door?",
		`{"action":"open","name":"the garage"}`:              "Open the garage door?",
		`{"action":"set","name":"garage door","position":9}`: "",
		`{"action":"toggle","name":"garage door"}`:           "Open the garage door?",
		`{"action":"toggle","name":"front door"}`:            "Unlock the front door?",
		`{"action":"close","name":"garage door"}`:            "",
		`{"action":"lock","name":"front door"}`:              "",
		`{"action":"open","name":"blinds"}`:                  "",
		`{"action":"on","name":"kitchen light"}`:             "",
	} {
		if got := ask(json.RawMessage(args)); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

func TestQuestions(t *testing.T) {
	house := kitchen()
	house.set("l1", home.State{home.Main: "on", home.Brightness: 50.0})
	house.set("l2", home.State{home.Main: "off"})
	house.set("l3", home.State{home.Main: "off"})
	for args, want := range map[string]string{
		`{"name":"freezer temperature"}`:               "The freezer temperature is -18.4 degrees.",
		`{"name":"freezer","what":"temperature"}`:      "The freezer temperature is -18.4 degrees.",
		`{"name":"freezer","what":"battery"}`:          "The freezer battery is 91 percent.",
		`{"area":"living room","what":"temperature"}`:  "The living room climate temperature is 21.5 degrees.",
		`{"name":"garage door","is":"open"}`:           "No. The garage door is closed.",
		`{"name":"front door","is":"locked"}`:          "Yes, the front door is locked.",
		`{"name":"any windows","is":"open"}`:           "Yes, the bathroom window is open.",
		`{"name":"all windows","is":"closed"}`:         "No, the bathroom window is open.",
		`{"name":"lights","area":"kitchen","is":"on"}`: "Yes, one of two: the ceiling light is on.",
		`{"name":"ceiling light","is":"on"}`:           "Yes, the ceiling light is on.",
		`{"name":"counter","is":"on"}`:                 "No. The counter is off.",
		`{"name":"ceiling light"}`:                     "The ceiling light is on at 50 percent.",
		`{"name":"thermostat"}`:                        "The thermostat is in heat mode, set to 20 degrees and at 19.5 degrees now.",
		`{"name":"bathroom window"}`:                   "The bathroom window is open.",
		`{"name":"vacuum"}`:                            "Robo is docked.",
		`{"name":"spaceship"}`:                         "I don't know a device called spaceship.",
		`{"name":"bedroom fan"}`:                       "I don't know how the bedroom fan is.",
	} {
		byName, _ := newTools(t, house)
		if got := call(t, byName["home_read"], args); got.Text != want {
			t.Errorf("%s: %q, want %q", args, got.Text, want)
		}
	}
}

func TestReadingChangesNothing(t *testing.T) {
	byName, _ := newTools(t, kitchen())
	if spec := byName["home_read"].Spec(); !spec.ReadOnly {
		t.Errorf("%+v", spec)
	}
	var _ llm.ToolSpec = byName["home_control"].Spec()
}

func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"action":"set","name":"lamp","property":"brightness","value":"max"}`), "Kitchen")
	f.Add([]byte(`{"action":"set","kind":"light","brightness_step":20,"area":"here"}`), "")
	f.Add([]byte(`{"name":"doors and windows","which":"any","is":"open","except":"a and b"}`), "x")
	f.Fuzz(func(t *testing.T, raw []byte, room string) {
		h, err := New(Options{Devices: villa(), Area: room})
		if err != nil {
			t.Fatal(err)
		}
		var a meaning.Request
		if json.Unmarshal(raw, &a) != nil {
			return
		}
		h.confirms("home.shall", "")(raw)
		h.targets(&a)
		if _, err := h.read(t.Context(), a); err != nil {
			t.Error(err)
		}
	})
}

func FuzzDeviceIsNamed(f *testing.F) {
	f.Add("Ceiling light 2", "node_1")
	f.Add("Ünïcode ☃", "a/b")
	f.Fuzz(func(t *testing.T, name, device string) {
		e := home.Entity{ID: "x", Kind: home.Light, Name: home.Clean(name), Device: home.Clean(device)}
		(&teller{Book: phrase.English()}).device(&e)
	})
}
