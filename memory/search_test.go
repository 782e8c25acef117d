package memory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func addNotes(t *testing.T, s *Store, texts ...string) []int64 {
	t.Helper()
	notes := make([]Note, len(texts))
	for i, text := range texts {
		notes[i].Text = text
	}
	ids, err := s.AddNotes(t.Context(), notes...)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// found is the texts that a question finds, the best first.
func found(t *testing.T, s *Store, q Query) []string {
	t.Helper()
	hits, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, h := range hits {
		texts = append(texts, h.Text)
	}
	return texts
}

// axis is a vector that points along one dimension.
func axis(i int) []float32 {
	v := make([]float32, 16)
	v[i] = 1
	return v
}

func TestFullTextFindsOtherFormsOfAWord(t *testing.T) {
	s := openNew(t)
	addNotes(t, s, "Anna bakes bread on Sundays.", "The boiler is in the cellar.", "Ändere nie den Müllplan.")
	for question, want := range map[string]string{
		"who was baking bread?":   "Anna bakes bread on Sundays.",
		"where is the boiler":     "The boiler is in the cellar.",
		"was steht im Mullplan?":  "Ändere nie den Müllplan.",
		`"bread" OR ) NEAR(* ^`:   "Anna bakes bread on Sundays.",
		"what about the and is":   "",
		"":                        "",
		"nothing of that matches": "",
	} {
		if got := strings.Join(found(t, s, Query{Text: question}), "|"); got != want {
			t.Errorf("%q found %q, want %q", question, got, want)
		}
	}
}

// FuzzTerms reads any question: what goes to FTS5 are words in quotes, which are no
// syntax there. SQLite itself is too slow under the fuzzer.
func FuzzTerms(f *testing.F) {
	for _, seed := range []string{"who was baking bread?", `"bread" OR ) NEAR(* ^`, "col:bread AND NOT -x",
		"brød 面包 \x00\xff", strings.Repeat("a b ", 900)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all := terms(text)
		if len(all) > maxTerms {
			t.Errorf("%d terms", len(all))
		}
		for _, term := range all {
			word := strings.TrimSuffix(strings.TrimPrefix(term, `"`), `"`)
			if len(term) != len(word)+2 || word == "" || strings.ContainsAny(word, "\"\x00") ||
				!utf8.ValidString(word) {
				t.Errorf("%q", term)
			}
		}
	})
}

func TestVectorsFindWhatHasNoWordInCommon(t *testing.T) {
	s := openNew(t)
	ids := addNotes(t, s, "Anna bakes bread.", "The boiler is in the cellar.", "No vector yet.")
	err := s.SetVectors(t.Context(), "m", map[int64][]float32{ids[0]: axis(0), ids[1]: axis(1), 999: axis(2)})
	if err != nil {
		t.Fatal(err)
	}
	q := Query{Text: "heating", Vector: axis(1), Model: "m", Limit: 1}
	if got := found(t, s, q); !slices.Equal(got, []string{"The boiler is in the cellar."}) {
		t.Errorf("found %q", got)
	}
	left, err := s.Unvectored(t.Context(), "m", 10)
	if err != nil || len(left) != 1 || left[0].ID != ids[2] {
		t.Errorf("without a vector: %v (%v)", left, err)
	}
	// Another model does not see the vectors of the first, nor another length.
	q.Model = "other"
	if got := found(t, s, q); len(got) != 0 {
		t.Errorf("another model found %q", got)
	}
	q.Model, q.Vector = "m", make([]float32, 8)
	q.Vector[0] = 1
	if got := found(t, s, q); len(got) != 0 {
		t.Errorf("another length found %q", got)
	}
	for _, bad := range [][]float32{nil, make([]float32, 16), make([]float32, 7), make([]float32, 5000)} {
		if err := s.SetVectors(t.Context(), "m", map[int64][]float32{ids[0]: bad}); err == nil {
			t.Errorf("a vector of %d was stored", len(bad))
		}
	}
}

func TestACommonWordDoesNotHideWhatMeansTheSame(t *testing.T) {
	s := openNew(t)
	var texts []string
	for i := range 200 {
		texts = append(texts, "Somewhere there is thing "+strconv.Itoa(i))
	}
	ids := addNotes(t, s, texts...)
	vectors := make(map[int64][]float32)
	for i, id := range ids {
		vectors[id] = axis(i % 8)
		vectors[id][8+i%8] = 0.1 * float32(i%5)
	}
	vectors[ids[190]] = axis(15)
	if err := s.SetVectors(t.Context(), "m", vectors); err != nil {
		t.Fatal(err)
	}
	v := axis(15)
	v[0] = 0.6 // not quite the same
	if got := found(t, s, Query{Text: "where is it somewhere, the gizmo", Vector: v, Model: "m",
		Limit: 3}); !slices.Contains(got, texts[190]) {
		t.Errorf("found %q", got)
	}
}

func TestSearchPrefersWhatIsRecentAndOfUse(t *testing.T) {
	s := openNew(t)
	now := time.UnixMilli(1_800_000_000_000)
	ids, err := s.AddNotes(t.Context(),
		Note{Text: "The spare key hangs in the hall.", Created: now.AddDate(-3, 0, 0)},
		Note{Text: "The spare key lies in the shed.", Created: now})
	if err != nil {
		t.Fatal(err)
	}
	q := Query{Text: "spare key", Now: now}
	if got := found(t, s, q); len(got) != 2 || !strings.Contains(got[0], "shed") {
		t.Errorf("recent: %q", got)
	}
	for range 100 {
		if err := s.UseNotes(t.Context(), now, ids[0]); err != nil {
			t.Fatal(err)
		}
	}
	q.Now = now.AddDate(3, 0, 0) // both are old now
	if got := found(t, s, q); len(got) != 2 || !strings.Contains(got[0], "hall") {
		t.Errorf("often used: %q", got)
	}
}

func TestANoteIsFoundAmongManyOfOthers(t *testing.T) {
	s := openNew(t)
	notes := []Note{{Person: "Anna", Text: "Anna keeps the key of the garden shed behind the blue pot near the old " +
		"oak tree."}}
	for i := range candidates + 50 {
		notes = append(notes, Note{Person: "Ben", Text: fmt.Sprint("garden note ", i)})
	}
	ids, err := s.AddNotes(t.Context(), notes...)
	if err != nil {
		t.Fatal(err)
	}
	vectors := make(map[int64][]float32)
	for i, id := range ids {
		vectors[id] = []float32{1, 0, 0, 0, 0, 0, 0, float32(min(1, len(ids)-i-1)) / 8}
	}
	vectors[ids[0]] = []float32{1, 1, 0, 0, 0, 0, 0, 0}
	if err := s.SetVectors(t.Context(), "m", vectors); err != nil {
		t.Fatal(err)
	}
	question := []float32{1, 0, 0, 0, 0, 0, 0, 0}
	for _, q := range []Query{{Text: "garden"}, {Text: "unknown", Vector: question, Model: "m"}} {
		q.Person = "Anna"
		if got := found(t, s, q); len(got) != 1 || !strings.HasPrefix(got[0], "Anna keeps") {
			t.Errorf("%q: %q", q.Text, got)
		}
	}
}
