package daemon

import (
	"fmt"

	"hearthd/config"
	"hearthd/daemon/ears"
	"hearthd/tools"
)

// CheckSecrets names every secret that cannot be read. One that is a credential
// and absent is no mistake, as when the daemon runs.
func CheckSecrets(c *config.Config) []error {
	var list []error
	for key, s := range c.Secrets() {
		if _, err := secret(s); err != nil {
			list = append(list, fmt.Errorf("%s: %w", key, err))
		}
	}
	return list
}

// CheckEars names every wake word that cannot be heard, and the detector if it cannot be
// had. Words without a path are looked for below folder state.
func CheckEars(c *config.Config, state string) []error {
	setup := Ears(c, state)
	return ears.Check(&setup)
}

// CheckTools names every mistake in the tools that the files of folder dir
// declare. That hearthd's own tools have taken a name shows when it runs.
func CheckTools(dir string) []error {
	_, mistakes := tools.LoadDir(tools.NewRegistry(), dir)
	var list []error
	for _, m := range mistakes {
		list = append(list, m)
	}
	return list
}
