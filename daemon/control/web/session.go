package web

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	// sessionLength is how long a browser stays in.
	sessionLength = 30 * 24 * time.Hour
	// maxSessions bounds the browsers that are in; the one that came first goes.
	maxSessions = 64
	// maxSessionsFile bounds what is read of the file, in bytes; a session takes about 120.
	maxSessionsFile = 64 << 10
)

// sessions are the browsers that have shown the token. Of each only a mark is kept, in a file so that they stay in
// over a restart; the session itself has the browser alone.
type sessions struct {
	path string // empty: they end with the process
	key  []byte // of the marks: with another token none of them fits

	mu   sync.Mutex
	list map[string]*session // by mark
}

type session struct {
	mark string
	ends time.Time
	last uint64
	uses map[uint64]context.CancelFunc // of the requests that go on
	over chan struct{}                 // closed at its end
}

func newSession(mark string, ends time.Time) *session {
	return &session{mark: mark, ends: ends, uses: make(map[uint64]context.CancelFunc), over: make(chan struct{})}
}

// saved is a session in the file.
type saved struct {
	Mark string    `json:"mark"`
	Ends time.Time `json:"ends"`
}

// openSessions reads those of an earlier start. A file that cannot be read costs the browsers their sessions.
func openSessions(path, token string, now time.Time) (*sessions, error) {
	key := sha256.Sum256([]byte("hearthd console session\x00" + token))
	s := &sessions{path: path, key: key[:], list: make(map[string]*session)}
	if path == "" {
		return s, nil
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	} else if err != nil {
		return s, fmt.Errorf("read sessions: %w", err)
	}
	defer f.Close()
	var list []saved
	if err := json.NewDecoder(io.LimitReader(f, maxSessionsFile)).Decode(&list); err != nil {
		return s, fmt.Errorf("read sessions: %w", err)
	}
	for _, one := range list[:min(len(list), maxSessions)] {
		if now.Before(one.Ends) {
			s.list[one.Mark] = newSession(one.Mark, one.Ends)
		}
	}
	return s, nil
}

func (s *sessions) mark(secret string) string {
	m := hmac.New(sha256.New, s.key)
	m.Write([]byte(secret))
	return hex.EncodeToString(m.Sum(nil))
}

// begin lets a browser in, and gives what it has to show from then on. The error says that the session ends with
// the process.
func (s *sessions) begin(now time.Time) (secret string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.list {
		if !now.Before(one.ends) {
			s.drop(one)
		}
	}
	for len(s.list) >= maxSessions {
		var first *session
		for _, one := range s.list {
			if first == nil || one.ends.Before(first.ends) {
				first = one
			}
		}
		s.drop(first)
	}
	secret = rand.Text()
	one := newSession(s.mark(secret), now.Add(sessionLength))
	s.list[one.mark] = one
	return secret, s.save()
}

// find gives the session of secret; nil: there is none. It is found by its mark, so that the time that this takes
// says nothing of the others.
func (s *sessions) find(secret string, now time.Time) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.list[s.mark(secret)]
	if one == nil || !now.Before(one.ends) {
		return nil
	}
	return one
}

// end ends a session with all that goes on in it. The error says that it may come back with a restart.
func (s *sessions) end(one *session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(one)
	return s.save()
}

func (s *sessions) drop(one *session) {
	if s.list[one.mark] != one {
		return // two logged out at once
	}
	delete(s.list, one.mark)
	close(one.over)
	for _, cancel := range one.uses {
		cancel()
	}
}

// within gives a context that ends with the session too. The caller calls done.
func (s *sessions) within(ctx context.Context, one *session) (_ context.Context, done func()) {
	ctx, cancel := context.WithDeadline(ctx, one.ends)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list[one.mark] != one { // it ended meanwhile
		cancel()
		return ctx, cancel
	}
	one.last++
	id := one.last
	one.uses[id] = cancel
	return ctx, func() {
		s.mu.Lock()
		delete(one.uses, id)
		s.mu.Unlock()
		cancel()
	}
}

// save replaces the file in one step.
func (s *sessions) save() error {
	if s.path == "" {
		return nil
	}
	list := []saved{}
	for _, one := range s.list {
		list = append(list, saved{one.mark, one.ends})
	}
	data, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("keep sessions: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(s.path), ".sessions-") // for the owner alone
	if err != nil {
		return fmt.Errorf("keep sessions: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), s.path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("keep sessions: %w", err), os.Remove(f.Name()))
	}
	return nil
}
