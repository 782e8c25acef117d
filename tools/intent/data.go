package intent

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
)

//go:embed intents.yaml
var embedded []byte

// file is the shape of intents.yaml.
type file struct {
	Wake         string            `yaml:"wake"`
	Before       []string          `yaml:"before"`
	After        []string          `yaml:"after"`
	BeforeTyped  []string          `yaml:"before_typed"`
	AfterTyped   []string          `yaml:"after_typed"`
	Contractions map[string]string `yaml:"contractions"`
	NotAName     []string          `yaml:"not_a_name"`
	GoesOn       []string          `yaml:"goes_on"`
	Intents      []entry           `yaml:"intents"`
	Lexicon      lexicon           `yaml:"lexicon"`
}

type entry struct {
	Name string         `yaml:"name"`
	Tool string         `yaml:"tool"` // the name, when empty
	Args map[string]any `yaml:"args"`
	Say  []string       `yaml:"say"`
	Type []string       `yaml:"type"` // understood, but not in the grammar
}

type lexicon struct {
	Unit       map[string][]string `yaml:"unit"`
	UnitTyped  map[string][]string `yaml:"unit_typed"`
	List       []string            `yaml:"list"`
	ListSame   map[string]string   `yaml:"list_same"`
	Label      []string            `yaml:"label"`
	Ingredient []string            `yaml:"ingredient"`
	Item       []string            `yaml:"item"`
}

// intent is an entry with its patterns parsed.
type intent struct {
	name, tool string
	args       map[string]any
	say, typed []*node
}

// load parses the data. Its errors name line and column.
func load(data []byte) (*file, []intent, error) {
	var f file
	if err := yaml.UnmarshalWithOptions(data, &f, yaml.Strict()); err != nil {
		return nil, nil, fmt.Errorf("parse intents: %s", yaml.FormatError(err, false, true))
	}
	if len(f.Intents) == 0 {
		return nil, nil, errors.New("parse intents: no intents")
	}
	var intents []intent
	var errs []error
	seen := map[string]bool{}
	for i, e := range f.Intents {
		in := intent{name: e.Name, tool: e.Tool, args: e.Args}
		if in.tool == "" {
			in.tool = in.name
		}
		if !isName(e.Name) || seen[e.Name] || len(e.Say)+len(e.Type) == 0 {
			errs = append(errs, fmt.Errorf("%s: intent %q needs a name of its own, of a-z and _, and something to say or type", position(data, "$.intents[%d]", i), e.Name))
		}
		seen[e.Name] = true
		for _, list := range []struct {
			key      string
			patterns []string
			parsed   *[]*node
		}{{"say", e.Say, &in.say}, {"type", e.Type, &in.typed}} {
			for j, s := range list.patterns {
				n, err := parsePattern(s)
				if err != nil {
					errs = append(errs, fmt.Errorf("%s: parse pattern %q: %w", position(data, "$.intents[%d].%s[%d]", i, list.key, j), s, err))
					continue
				}
				if list.key == "say" && n.holds(freeText) {
					errs = append(errs, fmt.Errorf("%s: pattern %q: any words can only be typed", position(data, "$.intents[%d].say[%d]", i, j), s))
				}
				*list.parsed = append(*list.parsed, n)
			}
		}
		intents = append(intents, in)
	}
	if len(errs) > 0 {
		return nil, nil, fmt.Errorf("parse intents: %w", errors.Join(errs...))
	}
	return &f, intents, nil
}

// isName reports whether s can name a rule of the grammar.
func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// position is "line 3 column 7" of a value in data.
func position(data []byte, format string, args ...any) string {
	f, err := parser.ParseBytes(data, 0)
	if err != nil {
		return err.Error()
	}
	path, err := yaml.PathString(fmt.Sprintf(format, args...))
	if err != nil {
		return err.Error()
	}
	n, err := path.FilterFile(f)
	if err != nil || n.GetToken() == nil {
		return fmt.Sprintf(format, args...)
	}
	p := n.GetToken().Position
	return fmt.Sprintf("line %d column %d", p.Line, p.Column)
}
