package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hearthd/llm"
	"slices"
	"time"
)

const (
	maxAnswers   = 500
	maxAnswerKey = 1 << 10 // bytes
	maxSources   = 8 << 10 // bytes of JSON
)

// Answer is a thinker's answer that may be given again until it expires.
type Answer struct {
	// Key is the question with everything that the answer depends on.
	Key, Thinker, Text string
	Sources            []llm.Source // what Text rests on
	Made, Expires      time.Time
}

// Answer gives the answer that is kept under key and has not expired at now.
func (s *Store) Answer(ctx context.Context, key string, now time.Time) (Answer, bool, error) {
	a := Answer{Key: key}
	var sources string
	err := s.db.QueryRowContext(ctx,
		"SELECT thinker, answer, sources, made_ms, expires_ms FROM answers WHERE key = ? AND made_ms <= ? AND "+
			"expires_ms > ?",
		key, now.UnixMilli(), now.UnixMilli()).Scan(&a.Thinker, &a.Text, &sources, (*millis)(&a.Made),
		(*millis)(&a.Expires))
	if errors.Is(err, sql.ErrNoRows) {
		return Answer{}, false, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(sources), &a.Sources)
	}
	if err != nil {
		return Answer{}, false, fmt.Errorf("read answer: %w", classify(err))
	}
	return a, true, nil
}

// KeepAnswer stores a, forgets what has expired at a.Made and, beyond 500, what expires next. The
// error matches ErrTooLong for a key over 1 KiB, a text over 16 KiB or sources over 8 KiB: an
// answer must not be shortened.
func (s *Store) KeepAnswer(ctx context.Context, a Answer) error {
	if a.Key == "" || len(a.Key) > maxAnswerKey || a.Text == "" || len(a.Text) > maxAnswer {
		return fmt.Errorf("keep answer of %d bytes: %w", len(a.Text), ErrTooLong)
	}
	sources, err := json.Marshal(slices.Concat([]llm.Source{}, a.Sources))
	if err != nil || len(sources) > maxSources {
		return fmt.Errorf("keep answer with %d bytes of sources: %w", len(sources), ErrTooLong)
	}
	return s.write(ctx, "keep answer", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO answers (key, thinker, answer, sources, made_ms, expires_ms)
			VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET thinker = excluded.thinker, answer = excluded.answer,
			sources = excluded.sources, made_ms = excluded.made_ms, expires_ms = excluded.expires_ms`,
			a.Key, a.Thinker, a.Text, string(sources), a.Made.UnixMilli(), a.Expires.UnixMilli())
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM answers WHERE expires_ms <= ? OR key IN
			(SELECT key FROM answers ORDER BY expires_ms DESC LIMIT -1 OFFSET ?)`, a.Made.UnixMilli(), maxAnswers)
		return err
	})
}
