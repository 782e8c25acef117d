package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hearthd/config/input"
)

// Bounds of the folder of manifests.
const (
	maxManifest  = 64 << 10 // bytes
	maxManifests = 200
	maxTriggers  = 50
	maxTrigger   = 100 // bytes
	maxArgs      = 64
	maxArg       = 4096 // bytes, of an argument or an environment variable
	maxEnv       = 32
	maxRequires  = 32
	minTimeout   = 100 * time.Millisecond
)

// ManifestError names one mistake in a manifest. Line and Column count from 1,
// columns in bytes; they are 0 when the file as a whole is meant.
type ManifestError struct {
	File         string
	Line, Column int
	Reason       string
}

func (e *ManifestError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Reason)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Reason)
}

// LoadDir registers the tools that dir/*.json, *.yaml and *.yml declare, in the
// order of the file names, and gives those tools and every mistake. A manifest
// with a mistake is left out and the rest loads. A folder that does not exist is
// empty. A tool that lacks what it requires is given with Missing set, and is not
// registered.
//
// A manifest is one object with the keys name, description, command (a list: program and
// arguments), and, if wanted:
//
//	parameters a JSON schema of the arguments; else there are none to know of
//	env        an object of strings
//	timeout    such as "5s"; cooldown likewise
//	triggers   sentences that start the tool without a model
//	confirm    true, or a question: a person has to say yes first
//	person     true: refused unless it is known who asks
//	requires   programs by name, and files by absolute path, without which the
//	           tool is not offered
//	read_only  true: it changes nothing, in the house or outside
//	trusted    true: what it writes are the household's own words; else a model is
//	           shown them as data
func LoadDir(r *Registry, dir string) ([]*Command, []*ManifestError) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []*ManifestError{{File: dir, Reason: err.Error()}}
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return !isManifest(e.Name()) })
	if len(entries) > maxManifests {
		return nil, []*ManifestError{{File: dir, Reason: fmt.Sprintf("more than %d manifests", maxManifests)}}
	}
	var loaded []*Command
	var mistakes []*ManifestError
	for _, e := range entries {
		c, wrong := loadFile(r, filepath.Join(dir, e.Name()))
		if len(wrong) > 0 {
			mistakes = append(mistakes, wrong...)
			continue
		}
		loaded = append(loaded, c)
	}
	return loaded, mistakes
}

func isManifest(name string) bool {
	return slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(name))
}

// CheckFile reads one manifest, and gives its tool or every mistake in it.
func CheckFile(path string) (*Command, []*ManifestError) {
	return loadFile(NewRegistry(nil), path)
}

func loadFile(r *Registry, path string) (*Command, []*ManifestError) {
	data, err := input.ReadFile(path, maxManifest)
	if err != nil {
		return nil, []*ManifestError{{File: path, Reason: err.Error()}}
	}
	c, mistakes := parseManifest(path, data)
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	c.book = r.book
	if len(c.missing) > 0 {
		return c, nil
	}
	if err := r.Register(c); err != nil {
		return nil, []*ManifestError{{path, c.line, c.column, err.Error()}}
	}
	return c, nil
}

// parseManifest gives a tool, or every mistake in data.
func parseManifest(file string, data []byte) (*Command, []*ManifestError) {
	doc, mistakes := parseObject(file, data)
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	c := &Command{file: file}
	c.line, c.column = doc.position(doc.fields["name"].value)
	doc.take("name", true, func(raw []byte) error {
		if err := strict(raw, &c.spec.Name); err != nil {
			return err
		}
		return ifNot(isName(c.spec.Name), "must match %s", nameForm)
	})
	doc.take("description", true, func(raw []byte) error {
		if err := strict(raw, &c.spec.Description); err != nil {
			return err
		}
		n := len(c.spec.Description)
		return ifNot(n > 0 && n <= maxDescription, "must have 1 to %d bytes", maxDescription)
	})
	c.spec.Parameters = json.RawMessage(`{"type":"object"}`)
	doc.take("parameters", false, func(raw []byte) error {
		c.spec.Parameters = raw
		_, err := compileSchema(raw)
		return err
	})
	doc.take("command", true, c.parseArgv)
	doc.take("env", false, c.parseEnv)
	doc.take("timeout", false, func(raw []byte) error {
		return parseDuration(raw, minTimeout, maxTimeout, &c.limits.Timeout)
	})
	doc.take("cooldown", false, func(raw []byte) error {
		return parseDuration(raw, 0, maxCooldown, &c.limits.Cooldown)
	})
	doc.take("triggers", false, c.parseTriggers)
	doc.take("confirm", false, c.parseConfirm)
	doc.take("person", false, func(raw []byte) error { return strict(raw, &c.limits.Person) })
	doc.take("requires", false, c.parseRequires)
	doc.take("read_only", false, func(raw []byte) error { return strict(raw, &c.spec.ReadOnly) })
	doc.take("trusted", false, func(raw []byte) error { return strict(raw, &c.trusted) })
	return c, doc.rest()
}

func (c *Command) parseArgv(raw []byte) error {
	if err := strict(raw, &c.argv); err != nil {
		return err
	}
	if len(c.argv) == 0 || len(c.argv) > maxArgs {
		return fmt.Errorf("must be a list of 1 to %d strings", maxArgs)
	}
	for _, arg := range c.argv {
		if len(arg) > maxArg || strings.ContainsRune(arg, 0) {
			return fmt.Errorf("an argument has over %d bytes or a zero byte", maxArg)
		}
	}
	if program := c.argv[0]; strings.Contains(program, "/") && !filepath.IsAbs(program) {
		return fmt.Errorf("the program %q must be an absolute path or a name on PATH", program)
	}
	_, err := exec.LookPath(c.argv[0])
	return err
}

func (c *Command) parseEnv(raw []byte) error {
	var env map[string]string
	if err := strict(raw, &env); err != nil {
		return err
	}
	if len(env) > maxEnv {
		return fmt.Errorf("more than %d variables", maxEnv)
	}
	for name, value := range env {
		if !isEnv(name) || strings.HasPrefix(name, "HEARTHD_ARG_") {
			return fmt.Errorf("%q cannot be set", shorten(name, 64))
		}
		if len(value) > maxArg || strings.ContainsRune(value, 0) {
			return fmt.Errorf("%q has over %d bytes or a zero byte", name, maxArg)
		}
		c.env = append(c.env, name+"="+value)
	}
	slices.Sort(c.env)
	return nil
}

func (c *Command) parseTriggers(raw []byte) error {
	if err := strict(raw, &c.triggers); err != nil {
		return err
	}
	if len(c.triggers) > maxTriggers {
		return fmt.Errorf("more than %d sentences", maxTriggers)
	}
	for _, sentence := range c.triggers {
		if key := sentenceKey(sentence); key == "" || len(key) > maxTrigger {
			return fmt.Errorf("a sentence must have 1 to %d bytes", maxTrigger)
		}
	}
	return nil
}

func (c *Command) parseConfirm(raw []byte) error {
	if raw[0] != '"' {
		return strict(raw, &c.limits.Confirm)
	}
	var question string
	if err := strict(raw, &question); err != nil {
		return err
	}
	if n := len(strings.TrimSpace(question)); n == 0 || n > maxQuestion {
		return fmt.Errorf("must be true, or a question of 1 to %d bytes", maxQuestion)
	}
	c.limits.ConfirmFunc = func(json.RawMessage) string { return question }
	return nil
}

// parseRequires notes what of the list is not there.
func (c *Command) parseRequires(raw []byte) error {
	var list []string
	if err := strict(raw, &list); err != nil {
		return err
	}
	if len(list) > maxRequires {
		return fmt.Errorf("more than %d", maxRequires)
	}
	for _, what := range list {
		var err error
		switch {
		case what == "" || len(what) > maxArg || strings.ContainsRune(what, 0):
			return errors.New("want names of programs and absolute paths of files")
		case filepath.IsAbs(what):
			_, err = os.Stat(what)
		case strings.Contains(what, "/"):
			return fmt.Errorf("%q must be an absolute path or a name on PATH", shorten(what, 64))
		default:
			_, err = exec.LookPath(what)
		}
		if err != nil {
			c.missing = append(c.missing, what)
		}
	}
	return nil
}

func parseDuration(raw []byte, least, most time.Duration, to *time.Duration) error {
	var text string
	if err := strict(raw, &text); err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < least || d > most {
		return fmt.Errorf("%q is no duration within %v to %v, such as \"5s\"", shorten(text, 40), least, most)
	}
	*to = d
	return nil
}

// strict decodes one value of the few types that a manifest has; null is not
// taken for an empty one.
func strict[T string | bool | []string | map[string]string](raw []byte, to *T) error {
	if string(raw) != "null" && json.Unmarshal(raw, to) == nil {
		return nil
	}
	switch any(to).(type) {
	case *bool:
		return errors.New("must be true or false")
	case *string:
		return errors.New("must be a string")
	case *[]string:
		return errors.New("must be a list of strings")
	}
	return errors.New("must be an object of strings")
}

func ifNot(fine bool, format string, args ...any) error {
	if fine {
		return nil
	}
	return fmt.Errorf(format, args...)
}
