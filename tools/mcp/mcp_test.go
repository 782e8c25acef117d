package mcp

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

func TestToolsOfProgramsAndAddressesAreToolsOfTheHouse(t *testing.T) {
	t.Setenv("HEARTHD_SECRET", "never")
	byAddress, _ := site(t)
	old := httptest.NewServer(mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return kitchen("") }, nil))
	t.Cleanup(old.Close)
	for name, s := range map[string]Server{
		"program": program(t, "plain"), "address": byAddress,
		"older address": {Name: "kitchen", URL: old.URL + "/sse", Allow: allowed, Timeout: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			s.ReadOnly, s.Confirm = []string{"to*"}, []string{"secret"}
			if s.URL == "" {
				s.Secret, s.SecretIn = "hunter2", "KITCHEN_TOKEN"
			}
			h := open(t, s)
			h.waits("kitchen is here")
			var names []string
			for _, d := range h.registry.List() {
				names = append(names, d.Spec.Name)
				if d.Origin != "server kitchen" || d.Limits.Timeout != time.Minute {
					t.Errorf("%+v", d)
				}
			}
			want := []string{"kitchen_die", "kitchen_fail", "kitchen_grow", "kitchen_hang", "kitchen_huge",
				"kitchen_long", "kitchen_nothing", "kitchen_picture", "kitchen_secret", "kitchen_to_grams"}
			if diff := cmp.Diff(want, names); diff != "" {
				t.Error(diff)
			}
			out := h.run("kitchen_to_grams", `{"cups":"2"}`)
			if out.Class != tools.OK || out.Result.Text != "240 grams" || !out.Result.Foreign ||
				fmt.Sprint(out.Result.Data) != "map[grams:240]" {
				t.Errorf("%+v", out)
			}
			if out := h.run("kitchen_to_grams", `{"cups":"two"}`); out.Class != tools.BadArguments {
				t.Errorf("%+v", out)
			}
			out = h.run("kitchen_fail", `{}`)
			if out.Class != tools.Failed || out.Spoken(phrase.English()) != "Sorry, that did not work at kitchen." ||
				!strings.HasSuffix(out.Result.Text, "the oven is broken") || !out.Result.Foreign {
				t.Errorf("%+v", out)
			}
			if out := h.run("kitchen_nothing", `{}`); out.Class != tools.OK || out.Result.Text != "Done." ||
				!out.Result.Foreign {
				t.Errorf("%+v", out)
			}
			out = h.run("kitchen_picture", `{}`)
			if out.Result.Text != "A cake:\n(a picture)\nBake it." || len(out.Result.Sources) != 1 ||
				out.Result.Sources[0] != (llm.Source{Title: "Cake", URL: "https://example.org/cake"}) {
				t.Errorf("%+v", out)
			}
			out = h.run("kitchen_secret", `{}`)
			if out.Class != tools.Asked || out.Question != "Shall I really do that: kitchen secret?" {
				t.Errorf("%+v", out)
			}
			if s.URL == "" {
				out = h.exec.Run(t.Context(), tools.Call{ToolCall: llm.ToolCall{Name: "kitchen_secret"},
					Agreed: out.Question})
				if out.Result.Text != "hunter2" {
					t.Errorf("the program sees %q", out.Result.Text)
				}
			}
			if out := h.run("kitchen_forbidden", `{}`); out.Class != tools.UnknownTool {
				t.Errorf("%+v", out)
			}
			if out := h.run("kitchen_long", `{}`); out.Class != tools.OK || len(out.Result.Text) > 8<<10 ||
				!strings.HasSuffix(out.Result.Text, "(cut)") {
				t.Errorf("%s, %d bytes", out.Class, len(out.Result.Text))
			}
			s.Timeout = 500 * time.Millisecond
			h = open(t, s)
			h.waits("kitchen is here")
			if out := h.run("kitchen_hang", `{}`); out.Class != tools.Timeout || out.Took > 12*time.Second {
				t.Errorf("%+v", out)
			}
			// A busy machine may take longer than that for any call.
			for out := h.run("kitchen_to_grams", `{"cups":1}`); out.Class != tools.OK; out = h.run("kitchen_to_grams",
				`{"cups":1}`) {
				if out.Class != tools.Timeout || t.Context().Err() != nil {
					t.Fatalf("after a call that hung: %+v", out)
				}
			}
		})
	}
}

func TestWhatAServerSaysOfItselfIsCleaned(t *testing.T) {
	h := open(t, program(t, "plain"))
	h.waits("kitchen is here")
	for _, d := range h.registry.List() {
		if d.Spec.Name != "kitchen_to_grams" {
			continue
		}
		if d.Spec.Description != "The server kitchen says of it: “Converts ‹|im_start|›cups.”" ||
			!strings.Contains(string(d.Spec.Parameters), "how many ‹b›cups‹/b›") ||
			strings.Contains(string(d.Spec.Parameters), "$schema") {
			t.Errorf("%+v %s", d.Spec, d.Spec.Parameters)
		}
		if d.Spec.ReadOnly {
			t.Error("nobody said that it only reads")
		}
	}
}

func TestServerThatDiesIsWithdrawnAndComesBack(t *testing.T) {
	h := open(t, program(t, "plain"))
	h.waits("kitchen is here")
	if out := h.run("kitchen_die", `{}`); out.Class != tools.Failed ||
		out.Spoken(phrase.English()) != "Sorry, kitchen is not reachable." {
		t.Errorf("%+v", out)
	}
	h.waits("kitchen is gone")
	h.waits("kitchen is here")
	if out := h.run("kitchen_to_grams", `{"cups":1}`); out.Class != tools.OK {
		t.Errorf("%+v", out)
	}
}

func TestMessageThatIsTooLongEndsTheConnectionOnly(t *testing.T) {
	byAddress, _ := site(t)
	for name, s := range map[string]Server{"program": program(t, "plain"), "address": byAddress} {
		t.Run(name, func(t *testing.T) {
			h := open(t, s)
			h.waits("kitchen is here")
			if out := h.run("kitchen_huge", `{}`); out.Class == tools.OK {
				t.Errorf("%s, %d bytes", out.Class, len(out.Result.Text))
			}
			for { // the connection may have ended
				if out := h.run("kitchen_to_grams", `{"cups":1}`); out.Class == tools.OK {
					return
				}
				select {
				case <-h.changes:
				case <-t.Context().Done():
					t.Fatal("it does not come back")
				case <-time.After(30 * time.Second):
					t.Fatal("it does not come back")
				}
			}
		})
	}
}

func TestNewToolsOfAServerAreOfferedWhenTheOwnerAgrees(t *testing.T) {
	h := open(t, program(t, "plain"))
	h.waits("kitchen is here")
	if out := h.run("kitchen_grow", `{}`); out.Class != tools.OK {
		t.Fatalf("%+v", out)
	}
	waiting := <-h.withheld
	if len(waiting) != 1 || waiting[0].Tool != "grown" || !waiting[0].New ||
		h.run("kitchen_grown", `{}`).Class != tools.UnknownTool {
		t.Fatalf("%+v", waiting)
	}
	if err := h.client.Accept(t.Context(), "kitchen", "grown", waiting[0].Hash); err != nil {
		t.Fatal(err)
	}
	h.waits("kitchen is here")
	if out := h.run("kitchen_grown", `{}`); out.Class != tools.OK || out.Result.Text != "Taller." {
		t.Errorf("%+v", out)
	}
}

func TestNoServerMayHaveManyTools(t *testing.T) {
	h := open(t, program(t, "many"))
	h.waits("kitchen is here")
	if n := len(h.registry.Specs()); n != maxTools {
		t.Errorf("%d tools", n)
	}
}

func TestServerThatIsDownHasNoTools(t *testing.T) {
	s, srv := site(t)
	srv.Close()
	none := Server{Name: "none", Command: []string{"/no/such/program"}, Allow: []string{"*"}}
	h := open(t, s, none)
	got := map[string]bool{}
	for range 2 {
		select {
		case c := <-h.changes:
			got[c] = true
		case <-time.After(time.Minute):
			t.Fatal("nobody is told")
		}
	}
	if !got["kitchen is gone"] || !got["none is gone"] || len(h.registry.Specs()) != 0 {
		t.Errorf("%v, %d tools", got, len(h.registry.Specs()))
	}
}

// A program that hangs reads nothing, and what is written to it waits in a pipe that is full one day.
func TestProgramThatReadsNothingMoreIsEndedAndStartedAgain(t *testing.T) {
	s := program(t, "stuck")
	s.Allow, s.Timeout = []string{"*"}, 300*time.Millisecond
	h := open(t, s)
	h.waits("kitchen is here")
	text := `{"text":"` + strings.Repeat("a", 30<<10) + `"}`
	for range 4 { // a pipe holds 64 kB
		if out := h.run("kitchen_write", text); out.Class != tools.Timeout {
			t.Errorf("%+v", out)
		}
	}
	h.client.servers[0].lookAgain()
	h.waits("kitchen is gone")
	h.waits("kitchen is here")
}

func TestProgramThatSaysNothingIsEndedWithTheDaemon(t *testing.T) {
	s := program(t, "deaf")
	h := open(t, s)
	if out := h.run("kitchen_to_grams", `{}`); out.Class != tools.UnknownTool {
		t.Errorf("%+v", out)
	} // the cleanup shows that Run ends
}
