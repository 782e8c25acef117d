package daemon

import (
	"hearthd/config"
	"hearthd/daemon/ears"
	"hearthd/tools"
)

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
