package dialogue

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/vad"
)

// knows tells what the recogniser knows of utterance n at each pause.
func (r *rig) knows(n uint64, texts ...string) {
	r.ears.sofar = map[uint64][]transcript{}
	for _, text := range texts {
		r.ears.sofar[n] = append(r.ears.sofar[n], transcript{text: text})
	}
}

// goOn is what somebody says up to a pause; the words are asked for meanwhile.
func (r *rig) goOn(n uint64, voiced int) {
	r.opt.Inbox.Deliver(&vad.Signal{Kind: vad.Sustained, Utterance: n})
	r.frames(n, 20)
	r.pause(n, r.at(n, voiced))
	time.Sleep(310 * time.Millisecond)
}

func TestWholeRequestEndsEarlyAndNeedsNoFurtherDecoding(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.knows(1, "hey hearth do tea")
		r.onset(1)
		r.goOn(1, 16000)
		r.end(1, r.at(1, 16000))
		turn := r.turn()
		if turn.Transcript != "do tea" || turn.Outcome != "answered" || turn.Stages.STT != 0 {
			t.Errorf("turn %+v", turn)
		}
		if diff := cmp.Diff([]string{"1 400ms"}, r.ends); diff != "" {
			t.Error(diff)
		}
		if r.ears.ends != 0 {
			t.Error("the whole utterance was decoded again")
		}
	})
}

func TestUnfinishedRequestIsWaitedFor(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.knows(1, "hey hearth do", "hey hearth do tea")
		r.onset(1)
		r.goOn(1, 16000)
		r.goOn(1, 32000)
		r.end(1, r.at(1, 32000))
		if turn := r.turn(); turn.Transcript != "do tea" {
			t.Errorf("turn %+v", turn)
		}
		if diff := cmp.Diff([]string{"1 1.5s", "1 400ms"}, r.ends); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWordsThatCameTooLateAreNotTheWhole(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.knows(1, "hey hearth do tea", "hey hearth do coffee")
		r.ears.will(1, "hey hearth do coffee", nil)
		r.speak(1)
		r.pause(1, r.at(1, 16000))
		r.frames(1, 20) // somebody goes on before the words are known, and pauses again
		r.pause(1, r.at(1, 24000))
		time.Sleep(350 * time.Millisecond)
		synctest.Wait()
		if r.ends != nil {
			t.Errorf("the pause that was over is to end after %q", r.ends)
		}
		r.end(1, r.at(1, 24000))
		if turn := r.turn(); turn.Intent != "coffee" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestUtteranceThatEndsWhileItsWordsAreDecodedWaitsForThem(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.knows(1, "hey hearth do tea")
		r.speak(1)
		r.pause(1, r.at(1, 16000))
		time.Sleep(100 * time.Millisecond)
		r.end(1, r.at(1, 16000))
		if turn := r.turn(); turn.Intent != "tea" || turn.Stages.STT != 200 {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestKnockIsNotPeekedAt(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.onset(1)
		r.pause(1, r.at(1, 8000))
		time.Sleep(time.Second)
		if r.ears.peeks != 0 {
			t.Error("the recogniser was asked for the words of a knock")
		}
		r.silence(1, vad.Discard, vad.Short)
	})
}

func TestChatterIsPeekedAtOnce(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.knows(1, "the radio said", "do tea", "do tea")
		r.ears.will(1, "the radio said do tea", nil)
		r.onset(1)
		for i := range 3 {
			r.goOn(1, 16000*(i+1))
		}
		r.silence(1, vad.End, vad.Silence)
		if r.next("ignored"); r.ears.peeks != 1 || r.ends != nil {
			t.Errorf("the recogniser was asked %d times, and the end is %q", r.ears.peeks, r.ends)
		}
	})
}

// Where two recognisers hear, the words of the first say when the request ends, and those that both are asked for
// what it is.
func TestWordsOfTheQuickerRecogniserEndTheRequestAndTheChosenOnesAreAnswered(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.knows(1, "hey hearth do coffee")
		r.ears.early = "hey hearth do tea"
		r.speak(1)
		r.opt.Inbox.Deliver(&vad.Signal{Kind: vad.Sustained, Utterance: 1})
		r.pause(1, r.at(1, 16000))
		time.Sleep(150 * time.Millisecond)
		synctest.Wait()
		if diff := cmp.Diff([]string{"1 400ms"}, r.ends); diff != "" {
			t.Error(diff)
		}
		r.end(1, r.at(1, 16000))
		turn := r.turn()
		if turn.Transcript != "do coffee" || turn.Outcome != "answered" || turn.Stages.Endpoint != 400 {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestEarlyWordsForNobodyDoNotKeepTheOtherRecogniserFromBeingAsked(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.knows(1, "hey hearth do", "hey hearth do tea")
		r.ears.early = "they heard do tea"
		r.onset(1)
		r.goOn(1, 16000)
		r.goOn(1, 32000)
		r.end(1, r.at(1, 32000))
		if turn := r.turn(); turn.Transcript != "do tea" || r.ears.peeks != 2 {
			t.Errorf("turn %+v after %d peeks", turn, r.ears.peeks)
		}
	})
}
