// Package secrets reads keys and passwords from where the configuration says that they are, makes
// those that are the box's own, and keeps the condition of those that cannot be read. It runs no
// goroutine; any goroutine may call it.
package secrets

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hearthd/config"
	"hearthd/config/files"
	"hearthd/config/input"
	"hearthd/daemon/health"
	"hearthd/daemon/mqtt/contract"
	"hearthd/systemd"
)

// maxSecret bounds a secret that is read from a file, in bytes.
const maxSecret = 16 << 10

// Secrets are the secrets of one box.
type Secrets struct {
	conditions *health.Conditions
	log        *slog.Logger

	mu     sync.Mutex
	unread map[config.Secret]error
}

// New makes them; secrets that cannot be read become a condition.
func New(conditions *health.Conditions, log *slog.Logger) *Secrets {
	return &Secrets{conditions: conditions, log: log, unread: make(map[config.Secret]error)}
}

// Get reads the secret that name refers to. One that cannot be read is in the condition until it
// can be, and its part does without: the alarms of a house must not depend on the key of a news
// service.
func (s *Secrets) Get(name config.Secret) string {
	text, err := Read(name)
	s.lack(name, err)
	return text
}

// lack notes that name cannot be read, or with a nil error that it can.
func (s *Secrets) lack(name config.Secret, err error) {
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

// Drop forgets the secrets that c no longer names.
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
	s.conditions.Set("secrets", health.Warning,
		"A secret cannot be read, and what needs it does not work: "+strings.Join(list, "; ")+".")
}

// Read reads the secret that s refers to. A credential that the unit was started without is no
// error: not every broker or server asks for one.
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

// Check names every secret that cannot be read. An absent credential is no mistake, as for the
// running daemon.
func Check(c *config.Config) []error {
	var list []error
	for key, s := range c.Secrets() {
		if _, err := Read(s); err != nil {
			list = append(list, fmt.Errorf("%s: %w", key, err))
		}
	}
	return list
}

// minMade is the shortest secret that is taken from a file of our own, in bytes.
const minMade = 16

// Made reads the secret that an earlier start has made at path, or makes one that only the owner can read: 26
// letters and digits, 130 bits.
func Made(path string) (string, error) {
	text, err := Read(config.Secret("file:" + path))
	if err == nil && len(text) < minMade {
		return "", fmt.Errorf("read secret %q: it has less than %d characters; remove the file for a new one", path,
			minMade)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	text = rand.Text()
	if err := files.Write(path, []byte(text+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("make secret: %w", err)
	}
	return text, nil
}

// passwordName is the file for the embedded broker's password where the configuration has none, and
// ownUser its user.
const (
	passwordName = "mqtt.password"
	ownUser      = "hearthd"
)

// Broker is the user and password with which the box connects to its broker. The embedded broker
// knows no other; a password that is made for it is kept in folder dir.
func (s *Secrets) Broker(c *config.MQTT, dir string) (user, password string, err error) {
	user, password = c.User, s.Get(c.Password)
	if c.Broker != contract.Embedded {
		return user, password, nil
	}
	if password == "" {
		password, err = Made(filepath.Join(dir, passwordName))
		s.lack(passwordName, err)
	}
	return cmp.Or(user, ownUser), password, err
}
