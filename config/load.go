package config

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"hearthd/config/input"
)

// Bounds of the files of the configuration.
const (
	maxFileBytes = 256 << 10 // of one
	maxFiles     = 200       // in conf.d
)

// envPrefix begins the variables that override files: HEARTHD_AUDIO_VOLUME is
// audio.volume.
const envPrefix = "HEARTHD_"

// Source says where the configuration comes from. Later ones override earlier
// ones: defaults, File, the *.yaml files of the folder conf.d beside it by
// name, Environ.
type Source struct {
	File    string   // empty: defaults only
	Environ []string // as os.Environ gives it
	// Instead holds texts that take the place of files, by path, so that an edit can be
	// tried before it is written.
	Instead map[string][]byte
}

// Folder is conf.d beside the file.
func (s *Source) Folder() string { return filepath.Join(filepath.Dir(s.File), "conf.d") }

// files are those that are read, in their order.
func (s *Source) files() ([]string, error) {
	if s.File == "" {
		return nil, nil
	}
	files, err := filepath.Glob(filepath.Join(s.Folder(), "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("list conf.d beside %q: %w", s.File, err)
	}
	if len(files) > maxFiles {
		return nil, fmt.Errorf("list conf.d beside %q: it has %d files, at most %d are read", s.File, len(files),
			maxFiles)
	}
	for f := range s.Instead {
		if f != s.File && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	slices.Sort(files)
	return append([]string{s.File}, files...), nil
}

// Load reads and validates the configuration. The error is Problems, with all
// mistakes at once, or says which file could not be read.
func Load(src Source) (Config, error) {
	c, _, err := Read(src)
	return c, err
}

// Read is Load, and says where each value is from.
func Read(src Source) (Config, Origins, error) {
	l := &loader{cfg: Default(), places: make(Origins)}
	files, err := src.files()
	if err != nil {
		return Config{}, nil, err
	}
	for _, f := range files {
		if text, ok := src.Instead[f]; ok {
			l.parse(f, text)
		} else if err := l.file(f); err != nil {
			return Config{}, nil, err
		}
	}
	l.environ(src.Environ)
	for _, p := range l.cfg.Validate() {
		entry := entryOf(p.Key)
		if l.bad[p.Key] || l.bad[entry] {
			continue // its value was refused already; the default is not to blame
		}
		at, ok := l.places[p.Key]
		if !ok {
			at = l.places[entry]
		}
		p.File, p.Line = at.file, at.line
		l.problems = append(l.problems, p)
	}
	if len(l.problems) > 0 {
		read := append(files, environment, "")
		slices.SortStableFunc(l.problems, func(a, b Problem) int {
			return cmp.Or(slices.Index(read, a.File)-slices.Index(read, b.File), a.Line-b.Line)
		})
		return Config{}, nil, l.problems
	}
	return l.cfg, l.places, nil
}

// entryOf is the entry of a list that key stands in, or "".
func entryOf(key string) string { return key[:strings.LastIndexByte(key, ']')+1] }

// Origins says where the values of keys are from; a key that is not in it has its
// default.
type Origins map[string]place

type place struct {
	file string
	line int
}

// environment stands for the file of a value that a variable gave.
const environment = "environment"

// Of is where the value of a key is from: FILE:LINE, the variable, or "default".
func (o Origins) Of(key string) string {
	at, ok := o[key]
	switch {
	case !ok:
		return "default"
	case at.file == environment:
		return variable(key)
	case at.line == 0:
		return at.file
	}
	return fmt.Sprintf("%s:%d", at.file, at.line)
}

// From is o, but for a key that somebody has set, at a place that has no line.
func (o Origins) From(key, where string) Origins {
	c := maps.Clone(o)
	if c == nil {
		c = make(Origins)
	}
	c[key] = place{file: where}
	return c
}

// Keep is o, but for the place of key, which it takes from was.
func (o Origins) Keep(key string, was Origins) Origins {
	c := maps.Clone(o)
	delete(c, key)
	if at, ok := was[key]; ok {
		c[key] = at
	}
	return c
}

// variable is the one that overrides a key.
func variable(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// loader collects values, their places and the mistakes.
type loader struct {
	cfg      Config
	places   Origins
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
	text, err := input.ReadFile(path, maxFileBytes)
	if err != nil {
		return fmt.Errorf("open configuration %q: %w", path, err)
	}
	l.parse(path, text)
	return nil
}

// groups sets v, a list of groups, from a variable that holds it as YAML.
func (l *loader) groups(v reflect.Value, key, text string) {
	y, err := input.ParseYAML([]byte(text))
	if err != nil || y.Body == nil {
		l.refuse(Problem{File: environment, Key: key, Reason: "must be a list in YAML, such as [{model: hey_jarvis}]"})
		return
	}
	l.node(environment, y.Body, v, key)
}

// environ applies the variables that name a key. Others with the prefix are
// mistakes, but for those that mean something else to hearthd's programs.
func (l *loader) environ(environ []string) {
	keys := make(map[string]string)
	for _, k := range Keys() {
		keys[variable(k)] = k
	}
	slices.Sort(environ)
	for _, kv := range environ {
		name, text, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, envPrefix) || strings.HasPrefix(name, envPrefix+"TEST_") {
			continue
		}
		key, ok := keys[name]
		if !ok {
			l.refuse(Problem{File: environment, Key: name, Reason: "no key has this name"})
			continue
		}
		l.places[key] = place{file: environment}
		v := field(&l.cfg, key)
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct {
			l.groups(v, key, text)
			continue
		}
		if err := setText(v, text); err != nil {
			l.refuse(Problem{File: environment, Key: key, Value: shown(v, text), Reason: err.Error()})
		}
	}
}
