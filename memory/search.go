package memory

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	_ "modernc.org/sqlite/vec" // vec_distance_cosine
)

const (
	maxHits = 20
	// maxTerms bounds the words of a question that are looked up.
	maxTerms = 32
	// maxMatches bounds the notes that the full text ranks: 1.5 µs each (measured 2026-11 on the
	// development machine). The rarest words come first, because they say most about what is meant.
	maxMatches = 2000
	// candidates is how many notes each of the two ways proposes.
	candidates = 100
	// coarse is how many notes are compared exactly after the codes.
	coarse = 256
	// fusion is k of reciprocal rank fusion, 60 in Cormack, Clarke, Büttcher 2009.
	fusion = 60
	// A note of today counts up to recent times more than an old one, and one that was often useful
	// up to often times more. Both only reorder notes that match about equally well.
	recent, often = 1.15, 1.1
	halfLife      = 30 * 24 * time.Hour
)

// Query asks for notes. Without a vector full text alone answers.
type Query struct {
	Text   string
	Vector []float32 // of Text, by Model
	Model  string
	// Meaning gives Vector later, or nil: it is called once the full text was searched. It may be
	// nil.
	Meaning func(context.Context) []float32
	Person  string // notes of this person and of the household; empty: of the household
	All     bool   // notes of everybody
	Limit   int    // 1 to 20; 0 means 20
	Now     time.Time
}

// Hit is a note that was found.
type Hit struct {
	Note
	Score float64 // only good for comparing hits of one query
}

// Search gives the notes that answer q best, the best first: full text (BM25) and
// vectors (cosine) each rank, the ranks are fused, and recency and use weigh in.
func (s *Store) Search(ctx context.Context, q Query) ([]Hit, error) {
	if q.Limit <= 0 || q.Limit > maxHits {
		q.Limit = maxHits
	}
	if q.Now.IsZero() {
		q.Now = time.Now()
	}
	hits, cut, err := s.propose(ctx, s.noteCorpus(), &q)
	if err == nil && cut && !q.All && len(hits) < q.Limit { // notes of other people took the room
		mine := s.noteCorpus()
		mine.person = &q.Person
		hits, _, err = s.propose(ctx, mine, &q)
	}
	if err != nil {
		return nil, fmt.Errorf("search notes: %w", classify(err))
	}
	return hits[:min(len(hits), q.Limit)], nil
}

// propose gives the notes of c that answer q, the best first, and whether one of the
// ways had more of them than candidates.
func (s *Store) propose(ctx context.Context, c corpus, q *Query) (hits []Hit, cut bool, err error) {
	scores := make(map[int64]float64)
	byText, err := s.searchText(ctx, c, q.Text)
	if q.Meaning != nil && len(q.Vector) == 0 {
		q.Vector = q.Meaning(ctx)
	}
	var byVector []vectorMatch
	if err == nil && len(q.Vector) > 0 {
		byVector, err = s.searchVectors(ctx, c, q.Vector, q.Model)
	}
	if err != nil {
		return nil, false, err
	}
	for rank, m := range byVector {
		scores[m.id] += 1 / float64(fusion+rank+1)
	}
	for rank, m := range byText {
		scores[m.id] += m.share / float64(fusion+rank+1)
	}
	hits, err = s.weigh(ctx, *q, scores)
	return hits, max(len(byText), len(byVector)) == candidates, err
}

// terms are the words of a question that can tell notes apart, each quoted for
// FTS5.
func terms(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(cut(text, maxNote)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
	var out []string
	for _, w := range words {
		t := `"` + w + `"`
		if !common(w) && !slices.Contains(out, t) && len(out) < maxTerms {
			out = append(out, t)
		}
	}
	return out
}

// stopWords are so common in English questions that they match everything and mean nothing. Words
// of other languages are limited by maxMatches.
const stopWords = " a about am an and any are as at be been but by can could did do does for from had has have he " +
	"her him his how i if in is it its just know me my no not of on or our out please she should so some tell than " +
	"that the " +
	"their them then there they this to up us was we were what when where which who why will with would you your "

func common(word string) bool { return strings.Contains(stopWords, " "+word+" ") }

// textMatch is a note that has words of a question. share is how much of what the question says
// these words are: 1 for all of it. A note that shares one common word with a question about
// something else has little of it, and must not win over one that means the same.
type textMatch struct {
	id    int64
	share float64
}

// searchText ranks notes by full text, the best first. The rarest words are
// looked for first, as long as there is room for their matches.
func (s *Store) searchText(ctx context.Context, c corpus, text string) ([]textMatch, error) {
	type term struct {
		text string
		n    int
	}
	// Ids are nearly consecutive, and counting notes takes a millisecond for 10,000. SQLite looks
	// up one greatest or least value, but goes through the table for both at once.
	var notes float64
	span := fmt.Sprintf("SELECT coalesce((SELECT max(id) FROM %[1]s) - (SELECT min(id) FROM %[1]s) + 1, 0)", c.rows)
	if err := s.db.QueryRowContext(ctx, span).Scan(&notes); err != nil {
		return nil, err
	}
	var found []term
	said := 0.0 // the score of a note with all the words
	for _, t := range terms(text) {
		var n int
		err := s.db.QueryRowContext(ctx,
			"SELECT count(*) FROM (SELECT 1 FROM "+c.texts+" WHERE "+c.texts+" MATCH ? LIMIT ?)",
			t, maxMatches+1).Scan(&n)
		if err != nil {
			return nil, err
		}
		said += rarity(n, notes)
		if n > 0 {
			found = append(found, term{t, n})
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(found, func(a, b term) int { return cmp.Compare(a.n, b.n) })
	match, room := found[0].text, maxMatches-found[0].n
	for _, t := range found[1:] {
		if room -= t.n; room < 0 {
			break
		}
		match += " OR " + t.text
	}
	// A single word that occurs in too many notes finds only the newest of them.
	score, order := "-rank", "rank"
	if found[0].n > maxMatches {
		score, order = fmt.Sprint(rarity(found[0].n, notes)), "rowid DESC"
	}
	of, args := c.of(c.texts + ".rowid")
	query := fmt.Sprintf("SELECT rowid, %s FROM %s WHERE %[2]s MATCH ?%s ORDER BY %s LIMIT ?", score, c.texts,
		of, order)
	return rowsOf(ctx, s.db, func(r *sql.Rows, m *textMatch) error {
		err := r.Scan(&m.id, &m.share)
		m.share = min(1, m.share/said)
		return err
	}, query, slices.Concat([]any{match}, args, []any{candidates})...)
}

// rarity is what BM25 gives for a word that stands in n of all notes, as FTS5 computes
// it (https://www.sqlite.org/fts5.html#the_bm25_function).
func rarity(n int, all float64) float64 {
	return max(1e-6, math.Log((all-float64(n)+0.5)/(float64(n)+0.5)))
}

// vectorMatch is a row whose vector points where that of a question does; distance
// is 1 less the cosine between them.
type vectorMatch struct {
	id       int64
	distance float64
}

// searchVectors ranks rows by the angle to the question: the codes propose, the
// stored vectors decide.
func (s *Store) searchVectors(ctx context.Context, c corpus, vector []float32, model string) ([]vectorMatch, error) {
	if err := checkVector(vector); err != nil {
		return nil, err
	}
	if err := s.load(ctx, c, model, len(vector)); err != nil {
		return nil, err
	}
	n := coarse
	if c.person != nil {
		n = maxMatches
	}
	near := c.index.nearest(vector, n)
	if len(near) == 0 {
		return nil, nil
	}
	of, args := c.of(c.vectors + "." + c.key)
	return rowsOf(ctx, s.db, func(r *sql.Rows, m *vectorMatch) error { return r.Scan(&m.id, &m.distance) },
		`SELECT `+c.key+`, vec_distance_cosine(vec_int8(value), vec_int8(?)) AS distance FROM `+c.vectors+`
		WHERE model = ? AND `+c.key+` IN (`+list(near)+`)`+of+` ORDER BY distance LIMIT ?`,
		slices.Concat([]any{quantised(vector), model}, args, []any{candidates})...)
}

// weigh reads the notes with scores, and puts the best first.
func (s *Store) weigh(ctx context.Context, q Query, scores map[int64]float64) ([]Hit, error) {
	ids := make([]int64, 0, len(scores))
	for id := range scores {
		ids = append(ids, id)
	}
	notes, err := s.notes(ctx, "WHERE id IN ("+list(ids)+") AND (? OR person IN ('', ?) AND source != ?)",
		q.All, q.Person, setAside)
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, len(notes))
	for i, n := range notes {
		age := max(0, q.Now.Sub(n.Created))
		fresh := math.Exp2(-float64(age) / float64(halfLife))
		use := 1 - 1/(1+float64(n.Uses)/4)
		hits[i] = Hit{Note: n, Score: scores[n.ID] * math.Pow(recent, fresh) * math.Pow(often, use)}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID))
	})
	return hits, nil
}
