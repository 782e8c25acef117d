package secrets

import (
	"cmp"
	"path/filepath"

	"hearthd/config"
	"hearthd/daemon/mqtt"
)

// passwordName is the file of the password of the embedded broker that is made where the
// configuration has none, and ownUser who it is for.
const (
	passwordName = "mqtt.password"
	ownUser      = "hearthd"
)

// Broker is who the box is at its broker. The embedded one knows nobody else; a password
// that is made for it is kept in folder dir.
func (s *Secrets) Broker(c *config.MQTT, dir string) (user, password string, err error) {
	user, password = c.User, s.Get(c.Password)
	if c.Broker != mqtt.Embedded {
		return user, password, nil
	}
	if password == "" {
		password, err = Made(filepath.Join(dir, passwordName))
		s.Lack(passwordName, err)
	}
	return cmp.Or(user, ownUser), password, err
}
