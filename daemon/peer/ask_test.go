package peer

import (
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// answers lets a box obey the commands that are sent to topics which end so.
func (x *box) answers(topic string, how func(fields map[string]any) Answer) {
	x.obeys = func(at string, payload []byte) {
		if at != topic {
			return
		}
		var fields map[string]any
		if err := json.Unmarshal(payload, &fields); err != nil {
			x.t.Errorf("%s: %v", payload, err)
		}
		a := how(fields)
		a.ID, _ = fields["id"].(string)
		reply, _ := fields["reply"].(string)
		data, err := json.Marshal(a)
		if err != nil {
			x.t.Error(err)
		}
		if err := x.Publish(x.t.Context(), reply, data, 1, false); err != nil {
			x.t.Error(err)
		}
	}
}

func TestOrderReturnsWhatTheOtherBoxSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boxes, stop := house(t, within(time.Millisecond, 5*time.Millisecond), "bedroom", "kitchen")
		defer stop()
		boxes[1].answers("hearth/kitchen/set/tool", func(f map[string]any) Answer {
			return Answer{OK: true, Text: f["tool"].(string) + " done"}
		})
		a, err := boxes[0].Order(t.Context(), "kitchen", "tool", map[string]any{"tool": "timer_cancel"})
		if err != nil || !a.OK || a.Text != "timer_cancel done" {
			t.Errorf("%+v, %v", a, err)
		}
	})
}

func TestOrderOfABoxThatIsSilentEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boxes, stop := house(t, within(0, 0), "bedroom", "kitchen")
		defer stop()
		begun := time.Now()
		if a, err := boxes[0].Order(t.Context(), "kitchen", "tool", map[string]any{}); err == nil ||
			time.Since(begun) > answerLimit {
			t.Errorf("%+v after %v", a, time.Since(begun))
		}
		boxes[0].off.Store(true)
		if _, err := boxes[0].Order(t.Context(), "kitchen", "tool", map[string]any{}); err == nil {
			t.Error("no error without a broker")
		}
	})
}

// A broker hands over late what was answered before a restart.
func TestCommandsOfTwoLivesHaveNoIDInCommon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ids []string
		for range 2 {
			boxes, stop := house(t, within(0, 0), "bedroom", "kitchen")
			boxes[1].answers("hearth/kitchen/set/tool", func(f map[string]any) Answer {
				ids = append(ids, f["id"].(string))
				return Answer{OK: true}
			})
			if _, err := boxes[0].Order(t.Context(), "kitchen", "tool", map[string]any{}); err != nil {
				t.Error(err)
			}
			stop()
		}
		if len(ids) != 2 || ids[0] == ids[1] {
			t.Errorf("ids %q", ids)
		}
	})
}

func TestAnnouncementIsAnsweredByAllThatAreThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boxes, stop := house(t, within(0, 5*time.Millisecond), "bedroom", "hall", "kitchen")
		defer stop()
		for _, x := range boxes[:2] { // the kitchen says nothing
			x.answers("hearth/house/home/set/announce", func(f map[string]any) Answer {
				if f["text"] != "Dinner." || f["lead_ms"] != 1500.0 {
					t.Errorf("%v", f)
				}
				return Answer{Box: x.name, OK: x.name == "hall"}
			})
		}
		list, err := boxes[2].Announce(t.Context(), Announcement{Text: "Dinner.", Lead: 1500 * time.Millisecond,
			To: []string{"bedroom", "hall", "kitchen"}})
		slices.SortFunc(list, func(a, b Answer) int { return len(b.Box) - len(a.Box) })
		if err != nil || len(list) != 2 || list[0].Box != "bedroom" || list[0].OK || !list[1].OK {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

// A box that is called as another one is, by its room, answers too, and a broker may deliver an answer twice.
func TestAnnouncementWaitsForThoseThatAreMeant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boxes, stop := house(t, within(0, 5*time.Millisecond), "bedroom", "hall", "kitchen")
		defer stop()
		for i, x := range boxes[:2] {
			x.answers("hearth/house/home/set/announce", func(map[string]any) Answer {
				time.Sleep(time.Duration(i) * time.Second)
				return Answer{Box: x.name, OK: true}
			})
		}
		list, err := boxes[2].Announce(t.Context(), Announcement{Text: "Dinner.", To: []string{"hall"}})
		if err != nil || !slices.ContainsFunc(list, func(a Answer) bool { return a.Box == "hall" }) {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

func TestTimersOfOtherBoxesAreKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boxes, stop := house(t, within(0, 0), "bedroom", "kitchen")
		defer stop()
		boxes[0].Receive("hearth/kitchen/timers",
			[]byte(`[{"kind":"timer","label":"pasta"},{"kind":"alarm","label":"up"},{"kind":"timer"}]`))
		if p := boxes[0].Boxes(); len(p) != 1 || !slices.Equal(p[0].Timers, []string{"pasta", ""}) {
			t.Errorf("%+v", p)
		}
	})
}
