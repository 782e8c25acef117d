package daemon

import (
	"errors"
	"fmt"
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

// unread holds the secrets that could not be read, and why.
type unread struct {
	mu   sync.Mutex
	errs map[config.Secret]error
}

// secret reads what s names. One that cannot be read is told of, until it can be, and
// what needs it goes without: the alarms of a house do not hang on the key of a news
// service.
func (d *base) secret(s config.Secret) string {
	text, err := secret(s)
	d.lack(s, err)
	return text
}

// lack tells that s cannot be read, or with a nil error that it can.
func (d *base) lack(s config.Secret, err error) {
	d.unread.mu.Lock()
	defer d.unread.mu.Unlock()
	if err != nil {
		d.log.Error("secret not read", "component", "config", "error", err)
		if d.unread.errs == nil {
			d.unread.errs = make(map[config.Secret]error)
		}
		d.unread.errs[s] = err
	} else {
		delete(d.unread.errs, s)
	}
	d.tellUnread()
}

// dropSecrets forgets the secrets that c does not name any more.
func (d *base) dropSecrets(c *config.Config) {
	d.unread.mu.Lock()
	defer d.unread.mu.Unlock()
	named := make(map[config.Secret]bool)
	for _, s := range c.Secrets() {
		named[s] = true
	}
	for s := range d.unread.errs {
		if !named[s] {
			delete(d.unread.errs, s)
		}
	}
	d.tellUnread()
}

// tellUnread keeps the condition. The caller holds the lock.
func (d *base) tellUnread() {
	if len(d.unread.errs) == 0 {
		d.conditions.Clear("secrets")
		return
	}
	var list []string
	for _, err := range d.unread.errs {
		list = append(list, err.Error())
	}
	slices.Sort(list)
	d.conditions.Set("secrets", health.Warning,
		"A secret cannot be read, and what needs it does not work: "+strings.Join(list, "; ")+".")
}

// secret reads what s names. A credential that the unit was started without is
// no error: not every broker or server asks for one.
func secret(s config.Secret) (string, error) {
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
