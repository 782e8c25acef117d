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
	"sync"
	"time"

	"hearthd/config/files"
)

const (
	// sessionLength is how long a browser stays logged in.
	sessionLength = 30 * 24 * time.Hour
	// maxSessions bounds the logged-in browsers; the oldest session ends for a new one.
	maxSessions = 64
	// maxSessionsFile bounds what is read of the file, in bytes; a session takes about 120.
	maxSessionsFile = 64 << 10
)

// sessions are those of the logged-in browsers. Only the browser has the secret of its session. Here a mark of it is
// kept, in a file, so that browsers stay logged in over a restart.
type sessions struct {
	path string // empty: they end with the process
	key  []byte // of the marks; it depends on the token, so a new token ends all sessions

	mu   sync.Mutex
	list map[string]*session // by mark
}

type session struct {
	mark string
	ends time.Time
	last uint64                        // number of the newest request
	uses map[uint64]context.CancelFunc // of its open requests, by number
	over chan struct{}                 // closed when it ends
}

func newSession(mark string, ends time.Time) *session {
	return &session{mark: mark, ends: ends, uses: make(map[uint64]context.CancelFunc), over: make(chan struct{})}
}

// saved is a session as it is in the file.
type saved struct {
	Mark string    `json:"mark"`
	Ends time.Time `json:"ends"`
}

// openSessions reads the file. If it cannot be read there are no sessions, and everybody must log in again.
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

// begin starts a session, and returns the secret that the browser shows from then on. The error says that the session
// could not be saved and will end with the process.
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

// find returns the session of secret; nil: there is none. It is looked up by its mark, so that the time it takes tells
// nothing about other secrets.
func (s *sessions) find(secret string, now time.Time) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.list[s.mark(secret)]
	if one == nil || !now.Before(one.ends) {
		return nil
	}
	return one
}

// end ends a session and its open requests. The error says that it may be back after a restart.
func (s *sessions) end(one *session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(one)
	return s.save()
}

func (s *sessions) drop(one *session) {
	if s.list[one.mark] != one {
		return // it has ended already
	}
	delete(s.list, one.mark)
	close(one.over)
	for _, cancel := range one.uses {
		cancel()
	}
}

// within returns a context that also ends with the session. The caller must call done.
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

// save replaces the file atomically.
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
	if err := files.Write(s.path, data, 0o600); err != nil {
		return fmt.Errorf("keep sessions: %w", err)
	}
	return nil
}
