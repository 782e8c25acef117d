package dialogue

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/peer"
	"hearthd/vad"
)

// house lets the test decide who answers.
type house struct {
	mu   sync.Mutex
	bids []peer.Bid
	tell []func(peer.Verdict)
	none bool // there is nobody else
}

func (h *house) Contend(b peer.Bid, tell func(peer.Verdict)) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bids, h.tell = append(h.bids, b), append(h.tell, tell)
	return !h.none
}

// asked is what the house was told.
func (h *house) asked() []peer.Bid {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.bids)
}

// rule tells the newest verdict.
func (h *house) rule(box string) {
	h.mu.Lock()
	tell := h.tell[len(h.tell)-1]
	h.mu.Unlock()
	tell(peer.Verdict{Won: box == "", Sure: box == "", Box: box})
	synctest.Wait()
}

// unsure tells that this box may answer, for nobody says otherwise.
func (h *house) unsure() {
	h.mu.Lock()
	tell := h.tell[len(h.tell)-1]
	h.mu.Unlock()
	tell(peer.Verdict{Won: true})
	synctest.Wait()
}

func (h *house) spotted(r *rig) {
	wakeWords(r)
	r.opt.Peers = h
}

func (h *house) phrase(r *rig) { r.opt.Peers = h }

func TestBoxThatLosesTheWakeWordIsSilent(t *testing.T) {
	h := &house{}
	with(t, h.spotted, func(t *testing.T, r *rig) {
		r.spot(1, "jarvis")
		if s := r.state(); s != event.Idle || len(h.asked()) != 1 || h.asked()[0].Busy || h.asked()[0].Score != 0.9 {
			t.Errorf("undecided: state %s, bids %+v", s, h.asked())
		}
		time.Sleep(150 * time.Millisecond)
		h.rule("bedroom")
		if e := r.next("yielded").(*event.Yielded); e.Box != "bedroom" || e.Reason != "another box answered" {
			t.Errorf("%+v", e)
		}
		for range 100 {
			time.Sleep(10 * time.Millisecond)
			synctest.Wait()
			if r.mixer.Earcon().Sounding() {
				t.Fatal("an earcon")
			}
		}
		r.say(1, "do tea")
		r.none("turn")
		if n := len(h.asked()); n != 1 {
			t.Errorf("%d bids", n)
		}
	})
}

func TestBoxThatWinsTheWakeWordChimesWhenItWouldHave(t *testing.T) {
	h := &house{}
	with(t, h.spotted, func(t *testing.T, r *rig) {
		r.spot(1, "jarvis")
		time.Sleep(150 * time.Millisecond)
		h.rule("")
		if e := r.next("woken").(*event.Woken); e.By != "jarvis" || r.state() != event.Listening {
			t.Errorf("%+v, state %s", e, r.state())
		}
		time.Sleep(chimeDelay - 160*time.Millisecond)
		synctest.Wait()
		if r.mixer.Earcon().Sounding() {
			t.Error("an earcon too early")
		}
		time.Sleep(20 * time.Millisecond)
		synctest.Wait()
		if !r.mixer.Earcon().Sounding() {
			t.Error("no earcon")
		}
		time.Sleep(time.Second)
		r.say(1, "do tea")
		if turn := r.turn(); turn.WokenBy != "jarvis" || turn.Outcome != "answered" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestBoxThatIsNotSureListensWithoutAChime(t *testing.T) {
	for _, yields := range []bool{false, true} {
		h := &house{}
		with(t, h.spotted, func(t *testing.T, r *rig) {
			r.spot(1, "jarvis")
			time.Sleep(250 * time.Millisecond)
			h.unsure()
			time.Sleep(500 * time.Millisecond)
			synctest.Wait()
			if s := r.state(); s != event.Listening || r.mixer.Earcon().Sounding() {
				t.Errorf("unsure: state %s, earcon %v", s, r.mixer.Earcon().Sounding())
			}
			if yields {
				h.rule("bedroom")
			} else {
				h.rule("")
			}
			time.Sleep(time.Millisecond)
			synctest.Wait()
			if r.mixer.Earcon().Sounding() == yields {
				t.Errorf("yields %v, earcon %v", yields, !yields)
			}
		})
	}
}

func TestBoxYieldsToALateVerdictWhileItListens(t *testing.T) {
	h := &house{}
	with(t, h.spotted, func(t *testing.T, r *rig) {
		r.spot(1, "jarvis")
		h.rule("")
		time.Sleep(500 * time.Millisecond)
		r.speak(1)
		h.rule("bedroom")
		if s := r.state(); s != event.Idle {
			t.Errorf("state %s", s)
		}
		r.ears.will(1, "do tea", nil)
		r.silence(1, vad.End, vad.Silence)
		r.none("turn")
	})
}

func TestVerdictThatComesAfterTheAnswerBeganChangesNothing(t *testing.T) {
	h := &house{}
	with(t, h.spotted, func(t *testing.T, r *rig) {
		r.spot(1, "jarvis")
		h.rule("")
		r.say(1, "do tea")
		r.next("routed")
		h.rule("bedroom")
		if turn := r.turn(); turn.Outcome != "answered" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestBoxThatAnswersSaysSoWhenItIsCalled(t *testing.T) {
	h := &house{none: true}
	with(t, h.spotted, func(t *testing.T, r *rig) {
		if err := r.d.Announce(t.Context(), "The soup is ready and the table is laid.", false, false); err != nil {
			t.Fatal(err)
		}
		r.next("said")
		time.Sleep(300 * time.Millisecond)
		h.mu.Lock()
		h.none = false
		h.mu.Unlock()
		r.spot(1, "jarvis")
		if b := h.asked()[len(h.asked())-1]; !b.Busy {
			t.Errorf("bid %+v", b)
		}
		if s := r.state(); s != event.Idle {
			t.Errorf("undecided, and cut: state %s", s)
		}
		r.speak(1)
		h.rule("")
		if s := r.state(); s != event.Listening {
			t.Errorf("state %s", s)
		}
	})
}

func TestPhraseIsAnsweredByOneBox(t *testing.T) {
	for _, c := range []struct {
		name, box string
		late      bool // the verdict comes after the transcript
	}{
		{"this one, known before the end", "", false},
		{"this one, known after the end", "", true},
		{"another one, known before the end", "bedroom", false},
		{"another one, known after the end", "bedroom", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &house{}
			with(t, h.phrase, func(t *testing.T, r *rig) {
				begun := time.Now()
				r.knows(1, "hey hearth do tea")
				r.onset(1)
				r.goOn(1, 16000)
				if len(h.asked()) != 1 || h.asked()[0].Since.After(begun) {
					t.Fatalf("bids %+v, speech began %v", h.bids, begun)
				}
				if !c.late {
					h.rule(c.box)
				}
				r.end(1, r.at(1, 16000))
				if c.late {
					if s := r.state(); s != event.Idle {
						t.Errorf("undecided: state %s", s)
					}
					h.rule(c.box)
				}
				if c.box != "" {
					r.next("yielded")
					r.none("turn")
				} else if turn := r.turn(); turn.WokenBy != "phrase" || turn.Transcript != "do tea" || turn.Outcome != "answered" {
					t.Errorf("turn %+v", turn)
				}
				if len(h.asked()) != 1 {
					t.Errorf("%d bids", len(h.asked()))
				}
			})
		})
	}
}

func TestWindowThatAHandOpenedAsksNobody(t *testing.T) {
	h := &house{}
	with(t, h.phrase, func(t *testing.T, r *rig) {
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.say(1, "hey hearth do tea")
		if turn := r.turn(); turn.WokenBy != "button" || len(h.asked()) != 0 {
			t.Errorf("turn %+v, bids %+v", turn, h.asked())
		}
	})
}

func TestStopForgetsWhatWaitsForAVerdict(t *testing.T) {
	h := &house{}
	with(t, h.phrase, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		if err := r.d.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.rule("")
		r.none("turn")
	})
}

func TestAnnouncementWaitsForTheVerdict(t *testing.T) {
	h := &house{}
	with(t, h.spotted, func(t *testing.T, r *rig) {
		r.spot(1, "jarvis")
		if err := r.d.Announce(t.Context(), "The soup is ready.", false, false); err != nil {
			t.Fatal(err)
		}
		if s := r.state(); s != event.Idle {
			t.Errorf("undecided: state %s", s)
		}
		h.rule("bedroom")
		if turn := r.turn(); turn.Source != "announcement" || turn.Outcome != "answered" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestNothingIsSaidWhileItIsNotKnownWhoAnswers(t *testing.T) {
	h := &house{}
	with(t, h.spotted, func(t *testing.T, r *rig) {
		r.spot(1, "jarvis")
		if err := r.d.Announce(t.Context(), "Dinner is ready.", false, false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if s := r.state(); s != event.Idle || r.opt.Voice.Speaking() {
			t.Errorf("state %s, and it speaks to whoever called", s)
		}
		h.rule("bedroom")
		if turn := r.turn(); turn.Answer != "Dinner is ready." {
			t.Errorf("%+v", turn)
		}
	})
}
