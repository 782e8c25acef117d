package live

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/rigs/llmtest"
)

func TestAnswerThatIsCutIsDroppedAndTheServiceToldWhatWasHeard(t *testing.T) {
	const long = "one two three four five six seven eight nine ten"
	live(t, func(turn llmtest.LiveTurn) llmtest.LiveAnswer {
		switch {
		case turn.N == 1:
			return llmtest.LiveAnswer{Text: long, Heard: "Count."}
		case turn.Heard:
			return llmtest.LiveAnswer{Text: "Yes.", Heard: "Stop."}
		}
		return llmtest.LiveAnswer{} // it obeys
	}, nil, func(r *rig) {
		first := r.asks()
		h := r.hear(first, time.Second)
		first.Cut(500 * time.Millisecond)
		second := r.asks()
		if h = r.hear(second, 0); h.err != nil || h.text != "Yes." || h.person != "Stop." {
			t.Errorf("%+v", h)
		}
		if told := r.added(toObey); !slices.Equal(told, []string{toldStop}) {
			t.Errorf("told %q", told)
		}
		known := r.added(toKnow)
		if len(known) != 1 || !strings.HasSuffix(known[0], ": one two th") {
			t.Errorf("knows %q", known)
		}
	})
}

// It began while the recogniser still worked.
func TestWhatWasHeardOfAnEarlyAnswerIsTold(t *testing.T) {
	live(t, func(turn llmtest.LiveTurn) llmtest.LiveAnswer {
		if turn.N > 1 {
			return llmtest.LiveAnswer{}
		}
		return llmtest.LiveAnswer{Text: "one two three four five six seven eight nine ten", Heard: "Count."}
	}, nil, func(r *rig) {
		turn := r.open()
		r.says(turn)
		time.Sleep(time.Second)
		if err := turn.Commit(); err != nil {
			t.Fatal(err)
		}
		r.hear(turn, 100*time.Millisecond)
		turn.Cut(500 * time.Millisecond)
		if known := r.added(toKnow); len(known) != 1 || !strings.HasSuffix(known[0], ": one two th") {
			t.Errorf("knows %q", known)
		}
	})
}

// It neither hears nor obeys: what is left of its answer comes while the person speaks again.
func TestRestOfAnAnswerThatWasCutIsNoNewAnswer(t *testing.T) {
	live(t, func(turn llmtest.LiveTurn) llmtest.LiveAnswer {
		switch {
		case turn.N == 1:
			return llmtest.LiveAnswer{Text: strings.Repeat("a", 40), Deaf: true}
		case turn.Heard:
			return llmtest.LiveAnswer{Text: strings.Repeat("a", 10) + strings.Repeat("_", 12) + "Yes.", Heard: "Stop."}
		}
		return llmtest.LiveAnswer{Text: strings.Repeat("a", 10), Deaf: true}
	}, nil, func(r *rig) {
		first := r.asks()
		r.hear(first, 300*time.Millisecond)
		first.Cut(300 * time.Millisecond)
		if h := r.hear(r.asks(), 0); h.err != nil || strings.Trim(h.text, "a_") != "Yes." {
			t.Errorf("%+v", h)
		}
	})
}

func TestResultOfATurnThatWasCutIsOnlyKnown(t *testing.T) {
	live(t, consults("Let me see.", llmtest.LiveAnswer{Heard: "How high is it?"}), nil, func(r *rig) {
		turn := r.asks()
		for d, err := range turn.Answer(r.Context(), rigLimit, rigLimit) {
			if err != nil || d.Call != nil {
				break
			}
		}
		turn.Cut(0)
		if said := r.added(toSay); len(said) != 0 {
			t.Errorf("to be said: %q", said)
		}
		if known := r.sent(toKnow); len(known) == 0 || known[0]["delegation_id"] == nil {
			t.Errorf("%v", known)
		}
	})
}

// Nobody asks for its answer, or says that it is over.
func TestSilenceIsNotSentForARequestThatIsForgotten(t *testing.T) {
	live(t, answers(""), nil, func(r *rig) {
		r.says(r.open())
		time.Sleep(abandoned + time.Second)
		n := len(r.sent("session.input_audio.append"))
		time.Sleep(abandoned)
		if m := len(r.sent("session.input_audio.append")); n < 100 || m != n {
			t.Errorf("%d pieces, and %d later", n, m-n)
		}
	})
}
