// Package bundle is the file of a backup: a compressed tar of the files that a household would
// miss, ended by a manifest with their checksums. Writer makes one, Extract checks one while it
// unpacks it into an empty folder, and Swap exchanges folders in one step. Names are those of a
// fixed list, so that none leads out of the folder; sizes and numbers are bounded. It runs no
// goroutine.
package bundle

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// format is the version of what Writer writes; Extract reads it and older ones.
const format = 1

// Bounds of a bundle.
const (
	maxFiles  = 5000
	maxMemory = 8 << 30 // bytes of the database
	maxFile   = 64 << 20
	maxAll    = maxMemory + 1<<30
	maxList   = 4 << 20 // bytes of the manifest
	maxRatio  = 1 << 20 // for the header of a tar, and for what is between entries
)

// Names in a bundle.
const (
	manifestName = "manifest.json"
	Config       = "config"
	State        = "state"
	Secrets      = "secrets"
	MainFile     = Config + "/hearthd.yaml"
	stations     = Config + "/stations.yaml"
	Memory       = State + "/hearthd.db"
	Calendar     = State + "/calendar.ics"
	Words        = State + "/wake"
)

// Manifest says what a bundle is and holds.
type Manifest struct {
	Format  int       `json:"format"`
	Version string    `json:"version"` // of the hearthctl that wrote it
	Node    string    `json:"node"`    // host name
	Made    time.Time `json:"made"`
	Secrets bool      `json:"secrets"`
	Files   []File    `json:"files"`
}

// File is one of a bundle's.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// answers is the folder of what is said, in that of a language.
const answers = "answers"

// Folders are the folders of the configuration that are kept; intents also has one for each language, with one of
// answers.
func Folders() []string { return []string{"conf.d", "tools.d", "thinkers.d", "prompts"} }

// errName is the error for a name that is in no bundle.
var errName = errors.New("the name is none of those that a backup holds")

// Limit is how long a file of that name may be, in bytes. Names are relative, with slashes; a name
// that is not in a backup's list is an error.
func Limit(name string) (int64, error) {
	dir, base := "", name
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		dir, base = name[:i], name[i+1:]
	}
	plain := regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._+ -]{0,120}$`)
	if !plain.MatchString(base) {
		return 0, fmt.Errorf("file %q: %w", name, errName)
	}
	switch {
	case name == Memory:
		return maxMemory, nil
	case name == MainFile, name == stations, name == Calendar, dir == Words, dir == Secrets:
		return maxFile, nil
	}
	rest, ok := strings.CutPrefix(dir, Config+"/")
	for _, f := range Folders() {
		if ok && rest == f {
			return maxFile, nil
		}
	}
	if language, is := strings.CutPrefix(rest, "intents/"); ok && is &&
		regexp.MustCompile(`^[a-z]{2,8}(/`+answers+`)?$`).MatchString(language) {
		return maxFile, nil
	}
	return 0, fmt.Errorf("file %q: %w", name, errName)
}
