package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxFileBytes bounds one configuration file.
const maxFileBytes = 1 << 20

// envPrefix begins the variables that override files: HEARTHD_AUDIO_VOLUME is
// audio.volume.
const envPrefix = "HEARTHD_"

// Source says where the configuration comes from. Later ones override earlier
// ones: defaults, File, the *.yaml files of the folder conf.d beside it by
// name, Environ.
type Source struct {
	File    string   // empty: defaults only
	Environ []string // as os.Environ gives it
}

// Load reads and validates the configuration. The error is Problems, with all
// mistakes at once, or says which file could not be read.
func Load(src Source) (Config, error) {
	l := &loader{cfg: Default(), places: make(map[string]place)}
	if src.File != "" {
		files, err := filepath.Glob(filepath.Join(filepath.Dir(src.File), "conf.d", "*.yaml"))
		if err != nil {
			return Config{}, fmt.Errorf("list conf.d beside %q: %w", src.File, err)
		}
		slices.Sort(files)
		for _, f := range append([]string{src.File}, files...) {
			if err := l.file(f); err != nil {
				return Config{}, err
			}
		}
	}
	l.environ(src.Environ)
	for _, p := range l.cfg.Validate() {
		if l.bad[p.Key] {
			continue // its value was refused already; the default is not to blame
		}
		at := l.places[p.Key]
		p.File, p.Line = at.file, at.line
		l.problems = append(l.problems, p)
	}
	if len(l.problems) > 0 {
		return Config{}, l.problems
	}
	return l.cfg, nil
}

type place struct {
	file string
	line int
}

// loader collects values, their places and the mistakes.
type loader struct {
	cfg      Config
	places   map[string]place
	bad      map[string]bool
	problems Problems
}

func (l *loader) refuse(p Problem) {
	if l.bad == nil {
		l.bad = make(map[string]bool)
	}
	l.bad[p.Key] = true
	l.problems = append(l.problems, p)
}

func (l *loader) file(path string) error {
	f, err := os.Open(path)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return fmt.Errorf("open configuration %q: %w", path, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return fmt.Errorf("read configuration %q: %w", path, err)
	}
	if len(text) > maxFileBytes {
		return fmt.Errorf("read configuration %q: longer than %d bytes", path, maxFileBytes)
	}
	l.parse(path, text)
	return nil
}

// environ applies the variables that name a key. Others with the prefix are
// mistakes, but for those that mean something else to hearthd's programs.
func (l *loader) environ(environ []string) {
	keys := make(map[string]string)
	for _, k := range Keys() {
		keys[envPrefix+strings.ToUpper(strings.ReplaceAll(k, ".", "_"))] = k
	}
	slices.Sort(environ)
	for _, kv := range environ {
		name, text, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, envPrefix) || strings.HasPrefix(name, envPrefix+"TEST_") {
			continue
		}
		key, ok := keys[name]
		if !ok {
			l.refuse(Problem{File: "environment", Key: name, Reason: "no key has this name"})
			continue
		}
		l.places[key] = place{file: "environment"}
		v := field(&l.cfg, key)
		if err := setText(v, text); err != nil {
			l.refuse(Problem{File: "environment", Key: key, Value: shown(v, text), Reason: err.Error()})
		}
	}
}
