// Package secrets reads keys and passwords from where the configuration says that they
// are, makes those that are the box's own, and keeps the condition of those that cannot
// be read. It runs no goroutine; any may call it.
package secrets

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"hearthd/config"
	"hearthd/config/input"
	"hearthd/daemon/health"
	"hearthd/systemd"
)

// maxSecret bounds a secret that is read from a file, in bytes.
const maxSecret = 16 << 10

// Secrets are those of one box.
type Secrets struct {
	conditions *health.Conditions
	log        *slog.Logger

	mu     sync.Mutex
	unread map[config.Secret]error
}

// New makes them; what cannot be read becomes a condition.
func New(conditions *health.Conditions, log *slog.Logger) *Secrets {
	return &Secrets{conditions: conditions, log: log, unread: make(map[config.Secret]error)}
}

// Get reads what name names. One that cannot be read is told of, until it can be, and
// what needs it goes without: the alarms of a house do not hang on the key of a news
// service.
func (s *Secrets) Get(name config.Secret) string {
	text, err := Read(name)
	s.Lack(name, err)
	return text
}

// Lack tells that name cannot be read, or with a nil error that it can.
func (s *Secrets) Lack(name config.Secret, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.log.Error("secret not read", "component", "config", "error", err)
		s.unread[name] = err
	} else {
		delete(s.unread, name)
	}
	s.tell()
}

// Drop forgets the secrets that c does not name any more.
func (s *Secrets) Drop(c *config.Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	named := make(map[config.Secret]bool)
	for _, name := range c.Secrets() {
		named[name] = true
	}
	for name := range s.unread {
		if !named[name] {
			delete(s.unread, name)
		}
	}
	s.tell()
}

// tell keeps the condition. The caller holds the lock.
func (s *Secrets) tell() {
	if len(s.unread) == 0 {
		s.conditions.Clear("secrets")
		return
	}
	var list []string
	for _, err := range s.unread {
		list = append(list, err.Error())
	}
	slices.Sort(list)
	s.conditions.Set("secrets", health.Warning, "A secret cannot be read, and what needs it does not work: "+strings.Join(list, "; ")+".")
}

// Read reads what s names. A credential that the unit was started without is
// no error: not every broker or server asks for one.
func Read(s config.Secret) (string, error) {
	kind, name := s.Place()
	switch kind {
	case "credential":
		text, err := systemd.Credential(name)
		if errors.Is(err, systemd.ErrNoCredential) {
			return "", nil
		}
		return text, err
	case "file":
		text, err := input.ReadFile(name, maxSecret)
		if err != nil {
			return "", fmt.Errorf("read secret %q: %w", name, err)
		}
		return strings.TrimRight(string(text), "\r\n"), nil
	}
	return "", nil
}

// Check names every secret that cannot be read. One that is a credential
// and absent is no mistake, as when the daemon runs.
func Check(c *config.Config) []error {
	var list []error
	for key, s := range c.Secrets() {
		if _, err := Read(s); err != nil {
			list = append(list, fmt.Errorf("%s: %w", key, err))
		}
	}
	return list
}
