package dialogue

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
	"hearthd/llm"
)

func TestAnnouncementsHaveTheirSources(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		study := llm.Source{Title: "A study", URL: "https://example.org/study"}
		if err := r.d.SayFrom(t.Context(), "word", []llm.Source{study}); err != nil {
			t.Fatal(err)
		}
		if turn := r.turn(); len(turn.Sources) != 1 || turn.Sources[0] != event.Source(study) {
			t.Errorf("turn %+v", turn)
		}
		if diff := cmp.Diff([]llm.Source{study}, r.ans.Tools.Cited("")); diff != "" {
			t.Error(diff)
		}
	})
}

// A model's answer may be longer than what people and programs may send; "repeat" says it once more.
func TestALongAnswerIsSaidOnceMore(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if err := r.d.SayFrom(t.Context(), strings.Repeat("word ", maxText/5)+"end", nil); err != nil {
			t.Fatal(err)
		}
		if turn := r.turn(); !strings.HasSuffix(turn.Answer, "word end") {
			t.Errorf("turn %+v", turn)
		}
	})
}

// reader is a mind that answers with what it kept.
type reader struct {
	*mind
	usage llm.Usage
}

func (r reader) Think(context.Context, llm.Ask) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if yield(llm.Delta{Text: "Sourdough."}, nil) {
			yield(llm.Delta{Usage: &r.usage}, nil)
		}
	}
}

func TestKeptAnswersHaveTheirSources(t *testing.T) {
	book := llm.Source{Title: "A book"}
	with(t, func(r *rig) {
		r.ans.Thinker = reader{r.mind, llm.Usage{Cached: true, Recalled: 2, Sources: []llm.Source{book}}}
	}, func(t *testing.T, r *rig) {
		go r.ask(t.Context(), "what bread is best")
		turn := r.turn()
		if !turn.Cached || turn.Recalled != 2 || len(turn.Sources) != 1 || turn.Sources[0] != event.Source(book) ||
			r.ans.Tools.Cited("")[0] != book {
			t.Errorf("turn %+v", turn)
		}
	})
}
