package act

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/home"
)

// fails is what a call says that fails.
func fails(t *testing.T, tool tools.Tool, args string) string {
	t.Helper()
	r, err := tool.Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(args)}})
	var f *tools.Failure
	if !errors.As(err, &f) {
		t.Fatalf("%s: %q, %v", args, r.Text, err)
	}
	return f.Say
}

// While the devices cannot be asked, nothing is told from memory and nothing is said to be done.
func TestNothingIsToldOfDevicesThatCannotBeAsked(t *testing.T) {
	for lost, want := range map[error]string{
		fmt.Errorf("%w: refused", home.ErrAway): "I cannot reach Home Assistant at the moment.",
		home.ErrRefused:                         "Home Assistant does not let me in any more: its token has ended.",
		home.ErrBroker:                          "I cannot reach the broker at the moment.",
	} {
		house := kitchen()
		house.lost = lost
		byName, _ := newTools(t, house)
		for _, c := range [][2]string{
			{"home_read", `{"name":"front door","is":"locked"}`}, {"home_read", `{"name":"lights","is":"on","which":"any"}`},
			{"home_read", `{"what":"temperature"}`}, {"home_control", `{"action":"on","name":"sofa lamp"}`},
			{"home_control", `{"action":"off","name":"all lights"}`}, {"home_control", `{"action":"on","name":"kettle"}`},
		} {
			if got := fails(t, byName[c[0]], c[1]); got != want {
				t.Errorf("%s %s: %q, want %q", c[0], c[1], got, want)
			}
		}
		if len(house.sent) > 0 {
			t.Errorf("sent %q", house.sent)
		}
	}
}

// An order in which the connection ended is not known to be done, until the device says so.
func TestAnOrderThatNobodyAnswered(t *testing.T) {
	for _, c := range []struct {
		args, id string
		back     time.Duration // 0: it does not come back in time
		want     string
	}{
		{`{"action":"on","name":"coffee machine"}`, "s1", time.Second, "The coffee machine is on."},
		{`{"action":"on","name":"coffee machine"}`, "s1", 0, "I sent that to the coffee machine, but got no answer."},
		{`{"action":"on","name":"movie night"}`, "z1", time.Second, "I sent that to the movie night, but got no answer."},
		{`{"action":"on","name":"pool pump"}`, "b1", 0, "I sent that to the pool pump, but got no answer."},
	} {
		synctest.Test(t, func(t *testing.T) {
			house := kitchen()
			house.err, house.cut = home.ErrUnanswered, true
			if c.back > 0 {
				time.AfterFunc(c.back, func() {
					house.mu.Lock()
					house.lost = nil
					house.mu.Unlock()
					house.set(c.id, home.State{home.Main: "on"})
				})
			}
			byName, _ := newTools(t, house)
			if got := call(t, byName["home_control"], c.args).Text; got != c.want {
				t.Errorf("%s: %q, want %q", c.args, got, c.want)
			}
			if len(house.sent) != 1 || !strings.HasPrefix(house.sent[0], c.id) {
				t.Errorf("%s: sent %q", c.args, house.sent)
			}
		})
	}
}
