package memory

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hearthd/llm"
	"maps"
	"slices"
	"time"
)

const (
	maxPath      = 1000     // bytes
	maxPassage   = 4 << 10  // bytes of a text, and of a section
	maxDocuments = 16 << 20 // bytes of all passages: 10,000 pages
	// the passages may have one part in so many of Options.MaxBytes, without index and vectors
	documentsShare = 8
)

// ErrNoRoom is the error for a document that does not fit beside the others.
var ErrNoRoom = errors.New("the documents have no more room")

// Documents gives all documents by their paths.
func (s *Store) Documents(ctx context.Context) ([]llm.Document, error) {
	return read(ctx, s, "documents", func(r *sql.Rows, d *llm.Document) error {
		var modified int64
		err := r.Scan(&d.Path, &d.Size, &modified, &d.Problem)
		d.Modified = time.UnixMilli(modified)
		return err
	}, "SELECT path, size, modified_ms, problem FROM documents ORDER BY path")
}

// PutDocument stores a document and its passages, in place of a document with the same path. Errors
// match ErrTooLong for a path or a passage, and ErrNoRoom; then nothing has changed.
func (s *Store) PutDocument(ctx context.Context, d llm.Document, passages []llm.Passage) error {
	size := 0
	for _, p := range passages {
		if len(p.Text) > maxPassage || len(p.Section) > maxPassage || len(p.Name) > maxPath {
			return fmt.Errorf("put document: passage of %d bytes: %w", len(p.Text), ErrTooLong)
		}
		size += len(p.Text)
	}
	if d.Path == "" || len(d.Path) > maxPath {
		return fmt.Errorf("put document: path of %d bytes: %w", len(d.Path), ErrTooLong)
	}
	var gone, unfit []int64
	err := s.write(ctx, "put document", func(tx *sql.Tx) error {
		var err error
		if gone, err = dropDocument(ctx, tx, d.Path); err != nil {
			return err
		}
		var used int64
		if err := tx.QueryRowContext(ctx, "SELECT coalesce(sum(length(CAST(text AS BLOB))), 0) FROM passages").
			Scan(&used); err != nil {
			return err
		}
		if size > 0 && used+int64(size) > min(maxDocuments, s.maxBytes/documentsShare) {
			return ErrNoRoom
		}
		done, err := tx.ExecContext(ctx, "INSERT INTO documents (path, size, modified_ms, problem) VALUES (?, ?, ?, ?)",
			d.Path, d.Size, d.Modified.UnixMilli(), cut(d.Problem, maxPath))
		if err != nil {
			return err
		}
		id, err := done.LastInsertId()
		if err != nil {
			return err
		}
		insert, err := tx.PrepareContext(ctx,
			"INSERT INTO passages (document, name, section, text) VALUES (?, ?, ?, ?)")
		if err != nil {
			return err
		}
		defer insert.Close()
		for _, p := range passages {
			if _, err := insert.ExecContext(ctx, id, p.Name, p.Section, p.Text); err != nil {
				return err
			}
		}
		unfit, err = s.fit(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	s.passages.remove(gone)
	s.index.remove(unfit)
	return nil
}

// RemoveDocuments forgets documents by their paths, with their passages and vectors.
func (s *Store) RemoveDocuments(ctx context.Context, paths ...string) error {
	var gone []int64
	err := s.write(ctx, "remove documents", func(tx *sql.Tx) error {
		gone = nil
		for _, p := range paths {
			ids, err := dropDocument(ctx, tx, p)
			if err != nil {
				return err
			}
			gone = append(gone, ids...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.passages.remove(gone)
	return nil
}

// dropDocument gives the ids of the passages that go.
func dropDocument(ctx context.Context, tx *sql.Tx, path string) ([]int64, error) {
	gone, err := removed(ctx, tx,
		"DELETE FROM passages WHERE document IN (SELECT id FROM documents WHERE path = ?) RETURNING id", path)
	if err != nil {
		return nil, err
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM documents WHERE path = ?", path)
	return gone, err
}

// UnvectoredPassages gives passages that have no vector of model yet, at most limit
// of them.
func (s *Store) UnvectoredPassages(ctx context.Context, model string, limit int) ([]llm.Passage, error) {
	return read(ctx, s, "passages", func(r *sql.Rows, p *llm.Passage) error {
		return r.Scan(&p.ID, &p.Name, &p.Section, &p.Text)
	}, `SELECT id, name, section, text FROM passages WHERE NOT EXISTS
		(SELECT 1 FROM passage_vectors WHERE passage = passages.id AND model = ?) ORDER BY id LIMIT ?`,
		model, max(limit, 0))
}

// SetPassageVectors stores what an embedding model made of passages, as SetVectors
// does for notes.
func (s *Store) SetPassageVectors(ctx context.Context, model string, vectors map[int64][]float32) error {
	return s.setVectors(ctx, s.passageCorpus(), model, vectors)
}

func (s *Store) passageCorpus() corpus {
	return corpus{rows: "passages", texts: "passages_text", vectors: "passage_vectors", key: "passage",
		index: &s.passages}
}

// SearchDocuments gives the passages that answer a question best, the best first,
// at most limit of them: full text and vectors each rank, and the ranks are fused.
// Without a vector full text alone answers.
func (s *Store) SearchDocuments(ctx context.Context, text string, vector []float32, model string, limit int,
) ([]llm.Found, error) {
	c := s.passageCorpus()
	scores, distances := make(map[int64]float64), make(map[int64]float64)
	byText, err := s.searchText(ctx, c, text)
	for rank, m := range byText {
		scores[m.id], distances[m.id] = 1/float64(fusion+rank+1), 2
	}
	if err == nil && len(vector) > 0 {
		var byVector []vectorMatch
		byVector, err = s.searchVectors(ctx, c, vector, model)
		for rank, m := range byVector {
			scores[m.id], distances[m.id] = scores[m.id]+1/float64(fusion+rank+1), m.distance
		}
	}
	if err != nil {
		return nil, fmt.Errorf("search documents: %w", classify(err))
	}
	ids := slices.SortedFunc(maps.Keys(scores), func(a, b int64) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	})
	ids = ids[:min(len(ids), max(limit, 0))]
	found, err := read(ctx, s, "passages", func(r *sql.Rows, f *llm.Found) error {
		err := r.Scan(&f.ID, &f.Name, &f.Section, &f.Text, &f.Path)
		f.Distance = distances[f.ID]
		return err
	}, `SELECT p.id, p.name, p.section, p.text, d.path FROM passages p JOIN documents d ON d.id = p.document
		WHERE p.id IN (`+list(ids)+")")
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b llm.Found) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	return found, nil
}
