package thinker

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"hearthd/config/input"
	"hearthd/llm"
	"hearthd/llm/guard"
)

// Fallback is the domain for requests that no other one claims.
const Fallback = "knowledge"

// Tier is how capable a model a domain needs.
type Tier string

// The tiers.
const (
	Fast  Tier = "fast"
	Smart Tier = "smart"
)

// Bounds of a domain file; a small model reads the prompt with every request.
const (
	maxDomainFile = 64 << 10
	maxDomains    = 64
	maxPrompt     = 8 << 10 // bytes
	maxWords      = 200
	maxExamples   = 50
	maxPhrase     = 200 // bytes of a word or an example
	maxCache      = 24 * time.Hour
	maxTime       = 30 * time.Minute
	maxThinking   = 2 * time.Minute
	maxSteps      = 10

	defaultCache = 2 * time.Minute
	defaultTime  = time.Minute
)

// Domain is one thinker: what it answers, and with what.
type Domain struct {
	Name        string   `yaml:"domain"`
	Description string   `yaml:"description"`
	Words       []string `yaml:"words"`    // words and phrases that claim a request
	Examples    []string `yaml:"examples"` // requests, for an embedding model
	// Actions are words of another language than English for actions, and little words, each with
	// the English one that it stands for: turn, on, off, open, the, not. After text from outside
	// the house a model does by itself only what the request says in known words.
	Actions map[string][]string `yaml:"actions"`
	Prompt  string              `yaml:"prompt"`
	// Tools are names of tools, where a * at the end stands for any ending. If no tool of a domain
	// is installed, Fallback gets its requests.
	Tools    []string `yaml:"tools"`
	Tier     Tier     `yaml:"tier"`
	Provider string   `yaml:"provider"` // as the configuration names it; empty: the default one
	// Cache is how long an answer may be given again; 0 not at all.
	Cache time.Duration `yaml:"cache"`
	Steps int           `yaml:"steps"` // questions to the model per request
	Time  time.Duration `yaml:"time"`  // for all of them
	// Background: the turn ends at once, and the answer is announced when it is
	// found.
	Background bool `yaml:"background"`

	Origin string `yaml:"-"` // the file, or "built in"
}

//go:embed domains/*.yaml
var builtIn embed.FS

var domainName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

// LoadDomains returns the built-in domains and those of the *.yaml files of dir, which override
// them by name. Each mistake names its file, and the position where there is one; what it concerns
// is left out, or stays as it is built in. An empty dir, or one that does not exist, adds nothing.
func LoadDomains(dir string) (domains []Domain, mistakes []error) {
	byName := make(map[string]Domain)
	add := func(files fs.FS, names []string, origin func(string) string) {
		for _, name := range names {
			var d Domain
			text, err := input.ReadFS(files, name, maxDomainFile)
			if err == nil {
				d, err = parseDomain(text)
			}
			switch {
			case err != nil:
				mistakes = append(mistakes, fmt.Errorf("load thinker %q: %w", origin(name), err))
			case len(byName) >= maxDomains:
				mistakes = append(mistakes, fmt.Errorf("load thinker %q: more than %d thinkers", origin(name),
					maxDomains))
			default:
				d.Origin = origin(name)
				byName[d.Name] = d
			}
		}
	}
	names, _ := fs.Glob(builtIn, "domains/*.yaml") // its only error is that of a pattern
	add(builtIn, names, func(string) string { return "built in" })
	if dir != "" {
		files := os.DirFS(dir)
		names, _ := fs.Glob(files, "*.yaml")
		add(files, names, func(name string) string { return filepath.Join(dir, name) })
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b Domain) int { return strings.Compare(a.Name, b.Name) }),
		mistakes
}

// parseDomain reads one domain file and fills in defaults.
func parseDomain(text []byte) (d Domain, err error) {
	d = Domain{Tier: Fast, Cache: defaultCache, Steps: maxSteps, Time: defaultTime}
	if err := input.DecodeYAML(text, &d); err != nil {
		return Domain{}, fmt.Errorf("parse yaml: %w", err)
	}
	return d, d.check()
}

// check returns everything that is wrong with d.
func (d *Domain) check() error {
	var errs []error
	refuse := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	refuse(!domainName.MatchString(d.Name), "domain %.40q: want small letters, digits, - and _", d.Name)
	refuse(d.Description == "" || len(d.Description) > maxPhrase, "description: want 1 to %d bytes", maxPhrase)
	refuse(strings.TrimSpace(d.Prompt) == "" || len(d.Prompt) > maxPrompt, "prompt: want 1 to %d bytes", maxPrompt)
	refuse(d.Tier != Fast && d.Tier != Smart, "tier %.40q: want fast or smart", d.Tier)
	refuse(d.Cache < 0 || d.Cache > maxCache, "cache %v: want 0 to %v", d.Cache, maxCache)
	refuse(d.Steps < 1 || d.Steps > maxSteps, "steps %d: want 1 to %d", d.Steps, maxSteps)
	refuse(d.Time < time.Second || d.Time > maxTime, "time %v: want 1s to %v", d.Time, maxTime)
	refuse(!d.Background && d.Time > maxThinking, "time %v: more than %v needs background", d.Time, maxThinking)
	refuse(len(d.Words) > maxWords, "words: %d, at most %d", len(d.Words), maxWords)
	refuse(len(d.Examples) > maxExamples, "examples: %d, at most %d", len(d.Examples), maxExamples)
	for _, s := range slices.Concat(d.Words, d.Examples) {
		refuse(len(s) > maxPhrase || len(fold(s)) == 0, "words and examples: %.40q is empty or longer than %d bytes", s,
			maxPhrase)
	}
	for english, list := range d.Actions {
		refuse(!guard.Knows(english), "actions: %.40q: want an English word for what is done, such as turn, on, "+
			"open, add or buy", english)
		refuse(len(list) > maxWords, "actions: %d of %.40q, at most %d", len(list), english, maxWords)
		for _, s := range list {
			refuse(!slices.Equal(fold(s), []string{s}) ||
				len(s) > maxPhrase, "actions: %.40q: want one word in small letters", s)
		}
	}
	for _, t := range d.Tools {
		_, err := path.Match(t, "")
		refuse(err != nil || strings.ContainsAny(strings.TrimSuffix(t, "*"), `*?[\`),
			"tools: %.40q: want a name, or the beginning of one and *", t)
	}
	return errors.Join(errs...)
}

// offers reports whether the domain may use the tool.
func (d *Domain) offers(tool string) bool {
	return slices.ContainsFunc(d.Tools, func(pattern string) bool { return fits(tool, pattern) })
}

func fits(tool, pattern string) bool {
	prefix, any := strings.CutSuffix(pattern, "*")
	return tool == pattern || any && strings.HasPrefix(tool, prefix)
}

// words are the foreign words that the files of domains define, with the English ones that they
// stand for.
func words(domains []Domain) map[string]string {
	taught := make(map[string]string)
	for _, d := range domains {
		for english, list := range d.Actions {
			for _, w := range list {
				taught[w] = english
			}
		}
	}
	return taught
}

// named are those of specs that the domain lists by more than "*", in its order.
func (d *Domain) named(specs []llm.ToolSpec) (list []llm.ToolSpec) {
	for _, pattern := range d.Tools {
		for _, s := range specs {
			if pattern != "*" && fits(s.Name, pattern) {
				list = append(list, s)
			}
		}
	}
	return list
}

// fold cuts text into words in lower case, without punctuation.
func fold(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '\''
	})
}
