package vitals

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"
)

// versionLimit bounds how long the program on the disk may take to print its version.
const versionLimit = 5 * time.Second

// Installed returns a function that returns the version of hearthd on the disk. It differs from
// running after a package was installed and before the service is restarted. The function belongs
// to one goroutine.
func Installed(running string) func(ctx context.Context) string {
	path, err := os.Executable()
	if err != nil {
		return func(context.Context) string { return running }
	}
	return installedAt(path, running)
}

// installedAt asks the program at path for its version whenever the file has changed;
// version is that of the present file.
func installedAt(path, version string) func(ctx context.Context) string {
	last, _ := os.Stat(path) // nil: then any file counts as changed
	return func(ctx context.Context) string {
		now, err := os.Stat(path)
		if err != nil || last != nil && os.SameFile(now, last) && now.ModTime().Equal(last.ModTime()) {
			return version
		}
		last = now
		ctx, cancel := context.WithTimeout(ctx, versionLimit)
		defer cancel()
		out, err := exec.CommandContext(ctx, path, "version").Output()
		if name, ok := strings.CutPrefix(strings.TrimSpace(string(out)), "hearthd "); err == nil && ok &&
			len(name) <= 64 {
			version = name
		}
		return version
	}
}
