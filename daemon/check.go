package daemon

import "hearthd/tools"

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
