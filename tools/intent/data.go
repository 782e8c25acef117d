package intent

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"hearthd/config/input"
	"hearthd/tools/intent/lang"
)

// Bounds of a folder of intents.
const (
	maxFile  = 512 << 10 // bytes of a file
	maxFiles = 200
)

// file is the form of a file of a language. Only core.yaml has more than lexicon and intents, but
// any file may.
type file struct {
	Speech      lang.Speech         `yaml:",inline"`
	Request     requestWords        `yaml:",inline"`
	Wake        string              `yaml:"wake"`
	Order       []string            `yaml:"order"` // files in the order in which their intents are tried
	Parts       map[string]string   `yaml:"parts"` // parts of patterns, to which patterns refer as <name>
	Lexicon     map[string]any      `yaml:"lexicon"`
	SampleNames map[string][]string `yaml:"sample_names"` // vocabularies of the examples
	Intents     []entry             `yaml:"intents"`
}

type entry struct {
	Name     string                    `yaml:"name"`
	Tool     string                    `yaml:"tool"`  // the name, when empty
	While    string                    `yaml:"while"` // always, while something rings, or only as an answer
	Args     map[string]any            `yaml:"args"`
	Say      []string                  `yaml:"say"`
	Type     []string                  `yaml:"type"` // understood, but not in the grammar
	Examples map[string]map[string]any `yaml:"examples"`

	File     string `yaml:"-"`
	own      bool   // the household's, and without a built-in namesake: tried first
	extra    bool   // the household's
	replaces *entry // the built-in one that it replaces; nil when there is none
	at       int    // place in its file
	from     *origin
}

// origin is a file that was read.
type origin struct {
	dir  fs.FS
	name string
	tree *input.YAML // nil until the place of something is asked for
}

// position is "line 3 column 7" of a path, or the path.
func (o *origin) position(path string) string {
	if o.tree == nil {
		text, err := input.ReadFS(o.dir, o.name, maxFile)
		if err == nil {
			o.tree, err = input.ParseYAML(text)
		}
		if err != nil {
			return path // the file has changed since
		}
	}
	return o.tree.Position(path)
}

// position is "line 3 column 7" of something of the entry.
func (e *entry) position(format string, args ...any) string {
	return e.from.position(fmt.Sprintf("$.intents[%d]", e.at) + fmt.Sprintf(format, args...))
}

// data is the files of a language, put together.
type data struct {
	file    // the keys of core.yaml
	Entries []entry
	Words   map[string]*lang.Lexicon // the lexicon

	ownParts map[string]string // those of the household, with their places
	mistakes []error           // in what the household adds
	written  int               // words of the patterns so far
}

// source is where the data of a Matcher come from.
type source struct {
	base, extra fs.FS            // extra may be nil
	left        map[string]error // files of extra that are not read, and why
}

// load reads the data. In extra an intent replaces the one with its name or is tried before all
// others, a lexicon adds to the one with its name, and any other key replaces. Its errors name
// file, line and column.
func (s source) load() (*data, error) {
	d := &data{Words: map[string]*lang.Lexicon{}}
	var errs []error
	for i, dir := range []fs.FS{s.base, s.extra} {
		if dir == nil {
			continue
		}
		names, err := fs.Glob(dir, "*.yaml")
		words, err2 := fs.Glob(dir, "words/*.yaml")
		if err := errors.Join(err, err2); err != nil {
			return nil, fmt.Errorf("list intents: %w", err)
		}
		names = append(names, words...)
		if len(names) > maxFiles {
			d.mistakes = append(d.mistakes, fmt.Errorf("%s: there are %d files, and only the first %d are read",
				names[maxFiles], len(names), maxFiles))
			names = names[:maxFiles]
		}
		for _, name := range names {
			if why := s.left[name]; why != nil && i == 1 {
				d.mistakes = append(d.mistakes, why)
				continue
			}
			if err := d.read(dir, name, i == 0); i == 0 && err != nil {
				errs = append(errs, err)
			} else if err != nil {
				d.mistakes = append(d.mistakes, err)
			}
		}
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("parse intents: %w", errors.Join(errs...))
	}
	if len(d.Entries) == 0 {
		return nil, errors.New("parse intents: no intents")
	}
	rank := func(e entry) int {
		if e.own {
			return -1
		}
		if i := slices.Index(d.Order, strings.TrimSuffix(e.File, ".yaml")); i >= 0 {
			return i
		}
		return len(d.Order)
	}
	slices.SortStableFunc(d.Entries, func(a, b entry) int { return rank(a) - rank(b) })
	return d, nil
}

func (d *data) read(dir fs.FS, name string, base bool) error {
	text, err := input.ReadFS(dir, name, maxFile)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	tree, err := input.ParseYAML(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if d.Speech.Known == nil {
		d.Speech.Known = lang.Set{}
	}
	lang.AddWords(d.Speech.Known, string(text))
	if !base && tree.Body != nil {
		// The file counts as a whole or not at all.
		if err := input.Value(tree.Body, &file{}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	samples, parts, compounds := d.SampleNames, d.Parts, d.Speech.Compounds
	d.Lexicon, d.SampleNames, d.Parts, d.Speech.Compounds, d.Intents = nil, nil, nil, nil, nil
	if tree.Body != nil {
		if err := input.Value(tree.Body, &d.file); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for part := range d.Parts {
		if !base {
			addMissing(&d.ownParts, map[string]string{part: path.Base(name) + ": " + tree.Position("$.parts."+part)})
		}
	}
	addMissing(&d.Parts, parts)
	addMissing(&d.Speech.Compounds, compounds)
	for vocab, names := range samples {
		if d.SampleNames == nil {
			d.SampleNames = map[string][]string{}
		}
		d.SampleNames[vocab] = append(d.SampleNames[vocab], names...)
	}
	var errs []error
	for key, words := range d.Lexicon {
		if err := lang.AddLexicon(d.Words, key, words); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: lexicon %s: %w", name, tree.Position("$.lexicon."+key), key, err))
		}
		if lex := d.Words[strings.TrimSuffix(key, "_typed")]; lex != nil && !base {
			lex.Where = path.Base(name) + ", " + tree.Position("$.lexicon."+key)
		}
	}
	errs = append(errs, d.enter(&origin{dir: dir, name: name}, base))
	d.Intents = nil
	return errors.Join(errs...)
}

// enter adds the intents of a file to the entries.
func (d *data) enter(from *origin, base bool) error {
	var errs []error
	for i, e := range d.Intents {
		e.File, e.at, e.from, e.extra = path.Base(from.name), i, from, !base
		same := slices.IndexFunc(d.Entries, func(o entry) bool { return o.Name == e.Name })
		switch {
		case same < 0:
			e.own = !base
			d.Entries = append(d.Entries, e)
		case base:
			errs = append(errs, fmt.Errorf("%s: %s: intent %q is there twice", from.name, e.position(""), e.Name))
		default:
			was := d.Entries[same]
			e.replaces = &was
			d.Entries[same] = e
		}
	}
	return errors.Join(errs...)
}

// addMissing adds to to what it lacks.
func addMissing[T any](to *map[string]T, from map[string]T) {
	all := maps.Clone(from)
	if all == nil {
		all = map[string]T{}
	}
	maps.Copy(all, *to)
	*to = all
}
