package recall

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
	"hearthd/llm/thinker"
	"hearthd/memory"
	"hearthd/rigs/memorytest"
	"hearthd/tools/phrase"
)

// alphabet embeds a text by the letters in it.
type alphabet struct{}

func (alphabet) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float32, 32)
		for _, r := range strings.ToLower(text) {
			v[int(r)%32]++
		}
		out[i] = v
	}
	return out, nil
}

// recalling is a recollection that finds by meaning, with all the time it wants.
func recalling(t *testing.T, store *memory.Store, e interface {
	Embed(context.Context, []string) ([][]float32, error)
}) *Recollection {
	t.Helper()
	m, err := thinker.NewMeanings(e, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- m.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return New(Options{Store: store, Meanings: m, Model: "test", Log: slog.New(slog.DiscardHandler),
		Quiet: func() bool { return true }})
}

// concepts embeds a text by what its words mean: one dimension for each concept, of
// which a word is one of several names.
type concepts map[string]int

func (c concepts) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float32, 512)
		for _, w := range strings.Fields(text) {
			if k, ok := c[w]; ok {
				v[k]++
			} else {
				v[511]++
			}
		}
		out[i] = v
	}
	return out, nil
}

// TestParaphrasedQuestionsFindPlantedNotes asks for 60 notes among 500 in words of
// which none stands in them. The vectors mean something by construction: what this
// measures is the way from the question to the prompt, and not an embedding model.
func TestParaphrasedQuestionsFindPlantedNotes(t *testing.T) {
	const kinds, planted, others = 400, 60, 500
	rnd := rand.New(rand.NewPCG(5, 6))
	means := make(concepts)
	name := func(concept, synonym int) string {
		w := fmt.Sprintf("w%dx%d", concept, synonym)
		means[w] = concept
		return w
	}
	say := func(about []int, synonym int) string {
		words := []string{"so", "it", "is"}
		for _, k := range about {
			words = append(words, name(k, synonym))
		}
		return strings.Join(words, " ")
	}
	store := memorytest.Open(t)
	r := recalling(t, store, means)
	facts := make([][]int, planted)
	for i := range facts {
		facts[i] = []int{rnd.IntN(kinds), rnd.IntN(kinds), rnd.IntN(kinds), rnd.IntN(kinds)}
		if err := r.AddNotes(t.Context(), "", []string{say(facts[i], 0)}); err != nil {
			t.Fatal(err)
		}
	}
	var rest []string
	for range others {
		rest = append(rest, say([]int{rnd.IntN(kinds), rnd.IntN(kinds), rnd.IntN(kinds), rnd.IntN(kinds)}, 0))
	}
	if err := errors.Join(r.AddNotes(t.Context(), "", rest), r.embed(t.Context())); err != nil {
		t.Fatal(err)
	}
	found, recalled := 0, 0
	for _, f := range facts {
		question, want := say(f[:3], 1), say(f, 0) // one of the four things is what is asked for
		hits, err := r.look(t.Context(), memory.Query{Text: question, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Text == want }) {
			found++
		}
		if block, _ := r.recall(t.Context(), "", question); strings.Contains(block, want) {
			recalled++
		}
	}
	t.Logf("of %d planted notes %d are among the first ten, and %d in the prompt", planted, found, recalled)
	if found < planted*95/100 || recalled < planted*95/100 {
		t.Errorf("of %d planted notes %d are among the first ten, and %d in the prompt", planted, found, recalled)
	}
}

func TestAFactIsSaidOnceAndThePersonsOwnGoesFirst(t *testing.T) {
	facts := []memory.Fact{
		{Name: "coffee", Text: "black"}, {Name: "dog", Text: "Rex"},
		{Person: "anna", Name: "coffee", Text: "with milk"}, {Name: "pet", Text: "rex"},
	}
	want := []memory.Fact{facts[2], facts[1]}
	if diff := cmp.Diff(want, promptable(facts)); diff != "" {
		t.Error(diff)
	}
}

func TestKeptAnswersDependOnWhatWasTold(t *testing.T) {
	store := memorytest.Open(t)
	r := recalling(t, store, alphabet{})
	ctx := t.Context()
	on := func(who string) string {
		t.Helper()
		text, err := r.Depends(ctx, who)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	change := func(who string, f func(*memory.Profile)) func() error {
		return func() error { return store.ChangePerson(ctx, who, func(p *memory.Person) { f(&p.Profile) }) }
	}
	for _, c := range []struct {
		what        string
		do          func() error
		anna, house bool // change what an answer to them depends on
	}{
		{"the household's place", change("", func(p *memory.Profile) { p.Place = "Wien" }), true, true},
		{"a place of her own", change("anna", func(p *memory.Profile) { p.Place = "Linz" }), true, false},
		{"the household moves", change("", func(p *memory.Profile) { p.Place = "Graz" }), false, true},
		{"her units", change("anna", func(p *memory.Profile) { p.Units = "imperial" }), true, false},
		{"the household's stocks", change("", func(p *memory.Profile) { p.Tickers = []string{"SPY"} }), true, true},
		{"a fact", func() error {
			return NewOwner(r, phrase.English(), nil).Fact(ctx, "anna", "preference", "coffee", "black")
		}, true,
			false},
		{"a note that was told", func() error {
			return NewOwner(r, phrase.English(), nil).Note(ctx, "",
				"The boiler is in the cellar.")
		}, true, true},
		{"a note of a reflection", func() error { return r.AddNotes(ctx, "", []string{"They like tea."}) }, false,
			false},
	} {
		her, house := on("anna"), on("")
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		if (on("anna") != her) != c.anna || (on("") != house) != c.house {
			t.Errorf("%s: for anna %s, then %s; for the household %s, then %s", c.what, her, on("anna"), house, on(""))
		}
	}
	if block := r.known(ctx, "ben"); !strings.Contains(block, "home: Graz\n") ||
		!strings.Contains(block, "watched stocks: SPY\n") {
		t.Errorf("who told nothing lives where the household does: %q", block)
	}
}

func TestSignalsOfAPersonAreWrittenTogether(t *testing.T) {
	store := memorytest.Open(t)
	r := recalling(t, store, alphabet{})
	begun := time.UnixMilli(1_800_000_000_000)
	for _, after := range []time.Duration{0, 10 * time.Minute, 3 * time.Hour} {
		r.seen("anna", begun.Add(after))
	}
	topics := func(ts ...string) {
		if err := r.AddTopics(t.Context(), "anna", ts); err != nil {
			t.Fatal(err)
		}
	}
	topics("bread", "tea")
	topics("Tea", "trains")
	if err := r.tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.seen("anna", begun.Add(3*time.Hour+time.Minute)) // the same session
	topics("cake")
	if err := r.tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := store.Person(t.Context(), "anna")
	want := memory.Person{
		Name: "anna", Topics: []string{"cake", "Tea", "trains", "bread"},
		LastActive: begun.Add(3*time.Hour + time.Minute), Sessions: 2,
	}
	if err != nil || !cmp.Equal(want, got) {
		t.Errorf("(%v) %s", err, cmp.Diff(want, got))
	}
	if block := r.known(t.Context(), "anna"); !strings.Contains(block,
		"recent topics: cake, Tea, trains, bread\nlast conversation: ") {
		t.Errorf("the prompt says %q", block)
	}
	topics("secrets")
	r.Forget()
	if err := r.tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Person(t.Context(), "anna"); err != nil || slices.Contains(got.Topics, "secrets") {
		t.Errorf("topics %q (%v)", got.Topics, err)
	}
}

func TestWhatIsRecalledGathersVectorsAndUses(t *testing.T) {
	store := memorytest.Open(t)
	r := recalling(t, store, alphabet{})
	r.opt.Home = memory.Profile{Place: "Graz", Units: "metric"}
	var notes []string
	for i := range 3 * vectorBatch {
		notes = append(notes, fmt.Sprintf("note %d about pears", i))
	}
	if err := r.AddNotes(t.Context(), "", append(notes, "Anna likes xylophones.")); err != nil {
		t.Fatal(err)
	}
	if err := r.tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := store.Unvectored(t.Context(), "test", 10); err != nil || len(left) != 0 {
		t.Errorf("%d notes have no vector (%v)", len(left), err)
	}
	block, n := r.recall(t.Context(), "", "who plays the xylophone")
	block += r.known(t.Context(), "")
	if !strings.Contains(block, "Anna likes xylophones.") || !strings.Contains(block, "home: Graz") ||
		n != promptNotes || len(r.used) != n {
		t.Errorf("recalled %d: %q, %d uses to count", n, block, len(r.used))
	}
	if err := r.tidy(t.Context()); err != nil || len(r.used) != 0 {
		t.Errorf("%d uses left (%v)", len(r.used), err)
	}
	hits, err := store.Search(t.Context(), memory.Query{Text: "xylophones"})
	if err != nil || len(hits) != 1 || hits[0].Uses != 1 {
		t.Errorf("%+v (%v)", hits, err)
	}
}

func TestNotesOfAPersonAreNotForWhoeverSpeaks(t *testing.T) {
	store := memorytest.Open(t)
	r := recalling(t, store, alphabet{})
	for _, n := range []memory.Note{{Person: "anna", Text: "The surprise for Ben is a red bicycle."},
		{Text: "The bicycle pump is in the cellar."}} {
		if err := r.add(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	o := NewOwner(r, phrase.English(), nil)
	for who, want := range map[string]bool{"": false, "ben": false, "anna": true} {
		block, _ := r.Recall(t.Context(), who, "where is the bicycle")
		all, err1 := o.Known(t.Context(), who, "")
		some, err2 := o.Known(t.Context(), who, "bicycle")
		for what, told := range map[string]string{"the prompt": block, "all": strings.Join(all, " "),
			"some": strings.Join(some, " ")} {
			if strings.Contains(told, "surprise") != want || !strings.Contains(told, "pump") || err1 != nil ||
				err2 != nil {
				t.Errorf("%s for %q: %q (%v, %v)", what, who, told, err1, err2)
			}
		}
	}
	for _, search := range []string{"", "bicycle"} {
		if list, err := NewArchive(o).Remembered(t.Context(), search, 10); err != nil || len(list) != 2 {
			t.Errorf("the owner of the box sees %+v (%v)", list, err)
		}
	}
}

// Who is called what is understood by the sentences of a language; a request that only begins so is no name.
func TestOnlyTheToolGivesAName(t *testing.T) {
	store := memorytest.Open(t)
	r := recalling(t, store, alphabet{})
	for _, text := range []string{"call me tonight", "call me up", "please call me asap"} {
		r.Heard(llm.Ask{Text: text})
	}
	if p, err := store.Person(t.Context(), ""); err != nil || p.Profile.Called != "" {
		t.Errorf("called %q, %v", p.Profile.Called, err)
	}
}
