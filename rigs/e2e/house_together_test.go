package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/rigs/testcard"
)

// progress notes when the card of a kitchen had played how much.
type progress struct {
	k     *kitchen
	stop  chan struct{}
	ended chan struct{}
	sizes []int64
	times []time.Time
}

// watch begins to note what k's card plays.
func watch(k *kitchen) *progress {
	p := &progress{k: k, stop: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-p.stop:
				return
			case now := <-tick.C:
				info, err := os.Stat(k.card.SpeakerPath())
				if err == nil && (len(p.sizes) == 0 || info.Size() != p.sizes[len(p.sizes)-1]) {
					p.sizes, p.times = append(p.sizes, info.Size()), append(p.times, now)
				}
			}
		}
	}()
	return p
}

// begin is when the first sample that can be heard was played, after from bytes.
func (p *progress) begin(from int64) time.Time {
	close(p.stop)
	<-p.ended
	at := slices.IndexFunc(p.k.sound(from), func(v int16) bool { return v > loud || v < -loud })
	if at < 0 {
		p.k.t.Fatal("nothing was played")
	}
	i, _ := slices.BinarySearch(p.sizes, from+2*int64(at)+1)
	if i == len(p.times) {
		p.k.t.Fatal("it was played when nobody looked")
	}
	return p.times[i]
}

// trio is a household of three boxes on one Mosquitto.
func trio(t *testing.T, env ...string) (three []*kitchen, b *mosquitto) {
	t.Helper()
	rooms := []string{"bedroom", "hall", "kitchen"}
	for range rooms {
		three = append(three, newKitchen(t, env...))
	}
	b = newMosquitto(t, three[0].dir)
	for i, name := range rooms {
		groups := "[]"
		if name != "kitchen" {
			groups = "[upstairs]"
		}
		three[i].begin(append(b.environ(), "HEARTHD_NODE="+name, "HEARTHD_MQTT_GROUPS="+groups)...)
	}
	for _, k := range three {
		k.await("the other boxes", func(s Status) bool { return len(s.Boxes) == 2 })
	}
	return three, b
}

func TestAnnouncementBeginsEverywhereTogether(t *testing.T) {
	three, b := trio(t)
	var apart []time.Duration
	for try := range tries(t, 3) {
		var watches []*progress
		var from []int64
		for _, k := range three {
			watches, from = append(watches, watch(k)), append(from, k.played())
		}
		if try%2 == 0 {
			b.publish("hearth/house/home/set/announce", "Dinner is ready.")
		} else if doc := three[2].ask("announce everywhere that dinner is ready"); doc.Answer != "Okay." {
			t.Fatalf("%+v", doc)
		}
		var begins []time.Time
		for i, k := range three {
			if doc := k.turn("announcement"); doc.Outcome != "answered" || !strings.HasPrefix(doc.Answer, "Dinner is ready") {
				t.Errorf("%+v", doc)
			}
			if try%2 == 1 && i == 2 {
				close(watches[i].stop) // it says okay before
				continue
			}
			begins = append(begins, watches[i].begin(from[i]))
		}
		slices.SortFunc(begins, time.Time.Compare)
		apart = append(apart, begins[len(begins)-1].Sub(begins[0]))
	}
	slices.Sort(apart)
	t.Logf("%d announcements began %v apart in the middle, %v at most", len(apart), apart[len(apart)/2], apart[len(apart)-1])
}

func TestAnnouncementGoesToABoxAndToAGroup(t *testing.T) {
	three, b := trio(t)
	heard := func(k *kitchen) bool {
		return k.diary.has(func(h happening) bool { return h.Type == "said" && strings.Contains(h.Text, "soup") })
	}
	if doc := three[2].ask("tell the bedroom that the soup is ready"); doc.Answer != "Okay." || doc.Intent != "announce_there" {
		t.Errorf("%+v", doc)
	}
	three[0].turn("announcement")
	if heard(three[1]) || heard(three[2]) {
		t.Error("it was said elsewhere too")
	}
	if doc := three[2].ask("tell upstairs that the soup is ready"); doc.Answer != "Okay." {
		t.Errorf("%+v", doc)
	}
	three[0].turn("announcement")
	three[1].turn("announcement")
	if heard(three[2]) {
		t.Error("it was said here too")
	}
	check(t, three[0].Stop())
	three[2].await("a box that is gone", func(s Status) bool { return len(s.Boxes) == 1 })
	if doc := three[2].ask("tell the bedroom that the soup is ready"); doc.Answer != "The bedroom speaker is off, or cannot be reached." {
		t.Errorf("%+v", doc)
	}
	var fleet []struct {
		Node, State, Version string
		Online               bool
	}
	check(t, three[2].Call(t.Context(), http.MethodGet, "/v1/fleet", nil, &fleet))
	if len(fleet) != 3 || fleet[0].Node != "bedroom" || fleet[0].Online || !fleet[1].Online || fleet[2].Version == "" {
		t.Errorf("fleet %+v", fleet)
	}
	b.kill()
	three[2].await("no broker", func(s Status) bool { return s.Broker == "connecting" })
	if doc := three[2].ask("announce that the soup is ready"); doc.Answer != "Okay." {
		t.Errorf("%+v", doc)
	}
	three[2].turn("announcement")
}

func TestIntercomMessageIsHeardInTheOtherRoom(t *testing.T) {
	two := neighbours(t, "HEARTHD_WAKE_FOLLOW_UP=0s")
	bedroom, kitchen := two[0], two[1]
	message := bedroom.synthesise("Dinner is ready, and the dog is hungry.")
	for sent := false; !sent; {
		if doc := bedroom.heard("Hey hearth, intercom to the kitchen."); doc.Intent != "intercom" || doc.Answer != "What is your message?" {
			t.Fatalf("%+v", doc)
		}
		listens := func(h happening) bool { return h.lost() || h.Type == "state" && h.To == "listening" }
		if h := bedroom.event("that it listens", listens); !h.lost() {
			bedroom.hears(message)
			var doc Turn
			h = bedroom.event("what comes of it", func(h happening) bool {
				return h.lost() || h.Type == "turn" && json.Unmarshal(h.raw, &doc) == nil
			})
			if sent = doc.Source == "voice"; sent && (doc.Answer != "Okay." || doc.Transcript != "") {
				t.Errorf("%+v", doc)
			}
		}
		bedroom.await("rest", func(s Status) bool { return s.State == "idle" })
	}
	// All of it is played there: the words that say where it is from take a second.
	doc := kitchen.turn("announcement")
	if least := len(message) * 1000 / testcard.Rate; doc.Outcome != "answered" || doc.Answer != "A message from the bedroom." || doc.Stages.Total < least {
		t.Errorf("%+v", doc)
	}
	if bedroom.diary.has(func(h happening) bool { return h.Type == "said" && strings.Contains(h.Text, "message from") }) {
		t.Error("it is heard here too")
	}
}

func TestTimersAndListsAreShared(t *testing.T) {
	three, _ := trio(t, "HEARTHD_MQTT_SHARE_TIMERS=true", "HEARTHD_MQTT_LISTS_AT=kitchen")
	bedroom, kitchen := three[0], three[2]
	for _, c := range []struct {
		box          interface{ ask(string) Turn }
		text, answer string
	}{
		{kitchen, "set a timer for twenty minutes", "Timer set for twenty minutes."},
		{kitchen, "set a pasta timer for ten minutes", "Pasta timer set for ten minutes."},
		{bedroom, "cancel the pasta timer", "In the kitchen: "},
		{bedroom, "cancel the kitchen timer", "cancelled"},
		{bedroom, "cancel the kitchen timer", ""},
		{bedroom, "add milk to the shopping list", "Added milk to the shopping list."},
		{kitchen, "what is on the shopping list", "milk"},
	} {
		doc := c.box.ask(c.text)
		if !strings.Contains(strings.ToLower(doc.Answer), strings.ToLower(c.answer)) {
			t.Errorf("%s: %+v", c.text, doc)
		}
	}
	if s := kitchen.status(); len(s.Timers) != 0 {
		t.Errorf("timers %+v", s.Timers)
	}
	check(t, kitchen.Stop())
	bedroom.await("a box that is gone", func(s Status) bool { return len(s.Boxes) == 1 })
	for _, text := range []string{"cancel the kitchen timer", "add bread to the shopping list"} {
		if doc := bedroom.ask(text); !strings.Contains(doc.Answer, "The kitchen speaker is off") {
			t.Errorf("%s: %+v", text, doc)
		}
	}
}
