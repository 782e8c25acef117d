package peer

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/mqtt/contract"
)

func TestOneOfManyBoxesAnswersWhateverTheyHear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for n := 2; n <= 6; n++ {
			boxes, stop := house(t, within(0, 8*time.Millisecond), names(n)...)
			for range 40 {
				for _, x := range boxes {
					go func() {
						time.Sleep(rand.N(150 * time.Millisecond))
						x.called(rand.Float32(), 60*rand.Float32(), rand.N(4) == 0)
					}()
				}
				answers, waited := outcome(boxes)
				if len(answers) != 1 || waited > limit {
					t.Errorf("of %d boxes %v answer, after at most %v", n, answers, waited)
				}
			}
			stop()
		}
	})
}

func TestBoxThatHeardBestAnswers(t *testing.T) {
	type heard struct {
		score, level float32
		busy         bool
	}
	for _, c := range []struct {
		name   string
		boxes  []heard
		answer string
	}{
		{"the louder one", []heard{{0.95, 20, false}, {0.97, 31, false}}, "box1"},
		{"the surer one", []heard{{0.5, 40, false}, {0.97, 31, false}}, "box1"},
		{"the one that is answering", []heard{{0.9, 20, true}, {0.99, 50, false}}, "box0"},
		{"one of two that heard the same", []heard{{0.9, 20, false}, {0.9, 20, false}}, "box0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				boxes, stop := house(t, within(0, 5*time.Millisecond), names(len(c.boxes))...)
				defer stop()
				for i, h := range c.boxes {
					boxes[i].called(h.score, h.level, h.busy)
					time.Sleep(50 * time.Millisecond)
				}
				answers, waited := outcome(boxes)
				if !slices.Equal(answers, []string{c.answer}) || waited > 100*time.Millisecond {
					t.Errorf("%v answer after %v", answers, waited)
				}
			})
		})
	}
}

func TestBoxThatAloneHearsTheWordWaitsForTheOthersOnlyShortly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boxes, stop := house(t, within(2*time.Millisecond, 2*time.Millisecond), "bedroom", "kitchen")
		defer stop()
		boxes[0].called(0.8, 20, false)
		answers, waited := outcome(boxes)
		if !slices.Equal(answers, []string{"bedroom"}) || waited > collect+10*time.Millisecond {
			t.Errorf("%v after %v", answers, waited)
		}
	})
}

// The power went for the broker and the kitchen. The broker is back, and knows nothing of the kitchen.
func TestBoxOfWhichTheBrokerKnowsNothingAnyMoreIsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boxes, stop := house(t, within(0, 0), "bedroom", "kitchen")
		defer stop()
		boxes[1].off.Store(true)
		boxes[0].broker.kept = map[string][]byte{}
		boxes[0].Connected()
		synctest.Wait()
		if on := boxes[0].Peers.Online(); len(on) != 0 {
			t.Errorf("%v are taken to be there", on)
		}
		boxes[0].called(0.8, 20, false)
		if answers, waited := outcome(boxes[:1]); !slices.Equal(answers, []string{"bedroom"}) || waited > 0 {
			t.Errorf("%v after %v", answers, waited)
		}
	})
}

func TestBoxThatIsAloneWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boxes, stop := house(t, within(0, 0), "kitchen")
		defer stop()
		if boxes[0].Contend(Bid{Score: 1}, func(Verdict) { t.Error("a verdict") }) {
			t.Error("it waits")
		}
		synctest.Wait()
	})
}

func TestBoxWithoutABrokerAnswersAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boxes, stop := house(t, within(0, 0), "bedroom", "kitchen")
		defer stop()
		boxes[0].off.Store(true)
		boxes[0].called(1, 20, false)
		boxes[1].called(1, 20, false)
		if answers, _ := outcome(boxes); len(answers) != 2 {
			t.Errorf("%v answer", answers)
		}
	})
}

func TestBoxAnswersWhenTheBetterOneIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boxes, stop := house(t, within(time.Millisecond, time.Millisecond), "bedroom", "kitchen")
		defer stop()
		boxes[0].post(call{Version: 1, Box: "bedroom", Number: 900, Busy: true, Score: 1, Level: 60})
		time.Sleep(5 * time.Millisecond)
		boxes[1].called(1, 20, false)
		answers, waited := outcome(boxes)
		if !slices.Equal(answers, []string{"kitchen"}) || waited > limit {
			t.Errorf("%v after %v", answers, waited)
		}
	})
}

func TestSlowBrokerDelaysNobodyAndTheFirstOneGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boxes, stop := house(t, within(200*time.Millisecond, 220*time.Millisecond), "bedroom", "kitchen")
		defer stop()
		for range 20 {
			for _, x := range boxes {
				go x.called(rand.Float32(), 20, false)
			}
			time.Sleep(5 * time.Second)
			synctest.Wait()
			yields := 0
			for _, x := range boxes {
				if took := <-x.won; took > limit {
					t.Errorf("waited %v", took)
				}
				for len(x.won) > 0 {
					<-x.won // it is sure now
				}
				for len(x.lost) > 0 {
					<-x.lost
					yields++
				}
			}
			if yields != 1 {
				t.Errorf("%d of two boxes yield in the end", yields)
			}
		}
	})
}

// The process may not run for a while, on a busy machine. What it says then comes late,
// and still decides; and what it has not read yet, while it stood still, counts before
// the box is heard.
func TestBoxThatWasHeldUpSaysThatItAnswers(t *testing.T) {
	for _, held := range []time.Duration{limit + 50*time.Millisecond, limit + silence + 50*time.Millisecond,
		time.Minute} {
		var posted []call
		var told []Verdict
		a := newArbiter("kitchen", func() int { return 1 }, func(c call) { posted = append(posted, c) })
		now := time.Now()
		a.open(now, bid{Bid: Bid{Score: 1, Since: now}, tell: func(v Verdict) { told = append(told, v) }})
		now = now.Add(held)
		a.weigh(now)
		a.weigh(now.Add(silence - time.Millisecond))
		if len(posted) != 2 || !posted[1].Take || !slices.Equal(told, []Verdict{{Won: true}}) {
			t.Fatalf("held up for %v: said %+v, told %+v", held, posted, told)
		}
		a.hear(now.Add(silence), call{Box: "bedroom", Number: 3, Take: true})
		if want := (Verdict{Box: "bedroom"}); len(told) != 2 || told[1] != want {
			t.Errorf("held up for %v: told %+v", held, told)
		}
	}
}

func TestSlowRecogniserLosesToWhoHasAnsweredLongAgo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boxes, stop := house(t, within(0, time.Millisecond), "bedroom", "kitchen")
		defer stop()
		began := time.Now()
		boxes[0].called(1, 20, false)
		time.Sleep(4 * time.Second)
		boxes[1].Contend(Bid{Score: 1, Level: 40, Since: began}, func(v Verdict) {
			if v.Won {
				t.Error("it answers too")
			}
			boxes[1].lost <- v.Box
		})
		synctest.Wait()
		if by := <-boxes[1].lost; by != "bedroom" {
			t.Errorf("yields to %q", by)
		}
		boxes[1].called(1, 40, false) // somebody calls again
		if answers, _ := outcome(boxes); !slices.Equal(answers, []string{"bedroom", "kitchen"}) {
			t.Errorf("%v answer, one after the other", answers)
		}
	})
}

func TestBoxOfAnotherHouseIsNoPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boxes, stop := house(t, within(0, 0), "bedroom", "kitchen")
		defer stop()
		boxes[0].Receive("hearth/kitchen/"+contract.About, []byte(`{"house":"neighbours"}`))
		if n := boxes[0].directory.count(); n != 0 {
			t.Errorf("%d peers", n)
		}
		boxes[1].Receive("hearth/bedroom/"+contract.Availability, []byte(contract.Offline))
		if list := boxes[1].Boxes(); boxes[1].directory.count() != 0 || len(list) != 1 || list[0].Online {
			t.Errorf("peers %+v", list)
		}
	})
}

func TestPeerIsCalledByNameRoomAndGroup(t *testing.T) {
	p := Box{Device: contract.Device{Node: "living-room", Area: "Lounge", Groups: []string{"Down Stairs"}}}
	for name, want := range map[string]bool{"living room": true, "Living_Room": true, "lounge": true,
		"down stairs": true, "kitchen": false, "": false} {
		if p.Called(name) != want {
			t.Errorf("called %q: %v", name, !want)
		}
	}
}

func FuzzReceive(f *testing.F) {
	claim := contract.HouseTopic("hearth", "home", contract.Claim)
	f.Add(claim, []byte(`{"v":1,"box":"bedroom","n":3,"take":true,"score":0.9,"level_db":20}`))
	f.Add(contract.HouseTopic("hearth", "home", contract.Boxes)+"/bedroom", []byte("1"))
	f.Add("hearth/bedroom/about", []byte(`{"house":"home","groups":["up"]}`))
	f.Fuzz(func(t *testing.T, topic string, payload []byte) {
		x := &box{t: t, broker: newBroker(within(0, 0)), in: make(chan func(), 1000)}
		h, err := New(Options{Wire: x, Prefix: "hearth", House: "home", Node: "kitchen", Named: func([]string) {},
			Log: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		h.Receive(topic, payload)
		h.Receive(claim, payload)
		select {
		case c := <-h.in:
			if contract.Node(c.Box) != c.Box || c.Score < 0 || c.Score > 1 || c.Level < 0 || c.Level > maxLevel {
				t.Errorf("claim %+v", c)
			}
		default:
		}
	})
}
