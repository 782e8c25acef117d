package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"hearthd/config/input"
	"hearthd/config/letters"
)

// errByHand is the error of an edit that cannot be made without changing more than
// its key.
var errByHand = errors.New("the file is written in a way that cannot be changed here; edit it by hand")

// Edit gives the text of a configuration file in which key has value, and everything else is as
// before, comments too. The value is written as in the file; a list of texts may also be separated
// by spaces. Whether the value is valid shows when the whole is read.
func Edit(file []byte, key, value string) ([]byte, error) {
	before, err := parsed(file)
	if err != nil {
		return nil, err
	}
	want, err := With(Default(), key, value)
	if err != nil {
		return nil, err
	}
	edited, err := put(file, key, want.Value(key), "")
	if err != nil {
		return nil, err
	}
	after, err := parsed(edited)
	before.Take(key, &want)
	if err != nil || len(Changed(&before, &after)) > 0 {
		return nil, errByHand
	}
	return edited, nil
}

// put writes a value into the text of a file, with a remark above it where the key is new.
func put(file []byte, key, value, remark string) ([]byte, error) {
	e := &editor{}
	err := e.read(file)
	if err == nil {
		err = e.set(strings.Split(key, "."), value, remark)
	}
	return []byte(strings.Join(e.lines, "")), err
}

// parsed lays the values of a file over the defaults.
func parsed(file []byte) (Config, error) {
	l := &loader{cfg: Default(), places: make(Origins)}
	l.parse("", file)
	if len(l.problems) > 0 {
		return Config{}, l.problems
	}
	return l.cfg, nil
}

// setTyped sets a key from what a person typed.
func setTyped(c *Config, key, value string) error {
	v := field(c, key)
	groups := v.Kind() == reflect.Slice && (v.Type().Elem().Kind() == reflect.Struct || strings.HasPrefix(value, "["))
	if groups || v.Kind() == reflect.String && strings.HasPrefix(value, `"`) {
		l := &loader{cfg: *c, places: make(Origins)}
		l.groups(field(&l.cfg, key), key, value)
		if len(l.problems) > 0 {
			return l.problems
		}
		*c = l.cfg
		return nil
	}
	if err := setText(v, value); err != nil {
		return Problems{{Key: key, Value: shown(v, value), Reason: err.Error()}}
	}
	return nil
}

// With is c with a key that has the value, as Edit takes it.
func With(c Config, key, value string) (Config, error) {
	if !slices.Contains(Keys(), key) {
		return c, fmt.Errorf("no key %q%s", key, alike(key))
	}
	err := setTyped(&c, key, value)
	return c, err
}

// alike names keys that end like key, or keys and groups that are spelt almost so, for a person who mistyped it.
func alike(key string) string {
	last := key[strings.LastIndexByte(key, '.')+1:]
	const slip = 2 // letters that a person mistypes
	depth := strings.Count(key, ".") + 1
	var near []string
	for _, k := range Keys() {
		if strings.HasSuffix(k, "."+last) || strings.HasPrefix(k, key+".") ||
			letters.Edits(k, key, slip) <= slip {
			near = append(near, k)
		}
		names := strings.Split(k, ".")
		group := strings.Join(names[:min(depth, len(names))], ".")
		if group != key && letters.Edits(group, key, 1) <= 1 && !slices.Contains(near, group) {
			near = append(near, group)
		}
	}
	if len(near) == 0 || len(near) > 8 {
		return ""
	}
	return "; there is " + strings.Join(near, ", ")
}

// editor changes lines of a file.
type editor struct {
	lines    []string // with their ends
	root     []*ast.MappingValueNode
	comments map[int]string // by line; comments that follow something on the line
}

func (e *editor) read(file []byte) error {
	y, err := input.ParseYAML(file)
	if err != nil {
		return fmt.Errorf("%w: %w", errByHand, err)
	}
	if len(file) > 0 && file[len(file)-1] != '\n' {
		file = append(slices.Clip(file), '\n')
	}
	e.lines = slices.Collect(strings.Lines(string(file)))
	e.comments = make(map[int]string)
	for _, t := range y.Tokens {
		if t.Type == token.CommentType {
			e.comments[t.Position.Line] = "#" + strings.TrimRight(t.Value, "\r\n")
		}
	}
	if y.Body != nil {
		var ok bool
		if e.root, ok = mapping(y.Body); !ok || isFlow(y.Body) {
			return errByHand
		}
	}
	return nil
}

func isFlow(n ast.Node) bool {
	m, ok := n.(*ast.MappingNode)
	return ok && m.IsFlowStyle
}

// set follows the path as far as it exists, and writes the rest.
func (e *editor) set(path []string, value, remark string) error {
	group, at := e.root, len(e.lines)
	indent := ""
	for depth, name := range path {
		i := slices.IndexFunc(group, func(p *ast.MappingValueNode) bool { return p.Key.GetToken().Value == name })
		if i < 0 {
			e.insert(at, indent, path[depth:], value, remark)
			return nil
		}
		pair := group[i]
		first, column := pair.Key.GetToken().Position.Line-1, pair.Key.GetToken().Position.Column
		if first >= len(e.lines) || strings.TrimLeft(e.lines[first][:min(column-1, len(e.lines[first]))], " ") != "" {
			return errByHand
		}
		indent = strings.Repeat(" ", column-1)
		if depth == len(path)-1 {
			e.replace(first, e.end(first, column), indent+name+": "+value)
			return nil
		}
		var ok bool
		if group, ok = mapping(pair.Value); !ok || isFlow(pair.Value) || len(group) == 0 {
			return errByHand
		}
		at = e.end(first, column)
		indent = strings.Repeat(" ", group[0].Key.GetToken().Position.Column-1)
	}
	return errByHand // a key that is a group; Keys has none
}

// end is the line after the last one of the entry that begins on line first.
func (e *editor) end(first, column int) int {
	end := first + 1
	for i := first + 1; i < len(e.lines); i++ {
		line := strings.TrimRight(e.lines[i], "\r\n")
		rest := strings.TrimLeft(line, " ")
		if rest == "" || rest[0] == '#' {
			continue
		}
		depth := len(line) - len(rest)
		if depth < column-1 || depth == column-1 && !strings.HasPrefix(rest, "- ") && rest != "-" {
			break
		}
		end = i + 1
	}
	return end
}

// replace puts one line in the place of others; the comment at the end of the first stays.
func (e *editor) replace(first, end int, line string) {
	if c := e.comments[first+1]; c != "" {
		line += "  " + c
	}
	e.lines = slices.Replace(e.lines, first, end, line+"\n")
}

// insert writes the rest of a path before line at.
func (e *editor) insert(at int, indent string, path []string, value, remark string) {
	var lines []string
	for _, name := range path[:len(path)-1] {
		lines = append(lines, indent+name+":\n")
		indent += "  "
	}
	lines = append(lines, comment(indent, remark), indent+path[len(path)-1]+": "+value+"\n")
	e.lines = slices.Insert(e.lines, at, lines...)
}

// Entry is a key of a Document.
type Entry struct {
	Key    string
	Value  string // as Edit takes it
	Remark string // stands above it; may have several lines
}

// Document writes a configuration file that has these keys, in the order of the example
// file, with their remarks; of a key that stands twice the last one counts.
func Document(head string, entries []Entry) ([]byte, error) {
	keys, list := Keys(), slices.Clone(entries)
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b Entry) int { return slices.Index(keys, a.Key) - slices.Index(keys, b.Key) })
	file, group := []byte(comment("", head)), ""
	for _, e := range slices.CompactFunc(list, func(a, b Entry) bool { return a.Key == b.Key }) {
		top, _, _ := strings.Cut(e.Key, ".")
		if top != group {
			file, group = append(file, '\n'), top
		}
		c, err := With(Default(), e.Key, e.Value)
		if err == nil {
			file, err = put(file, e.Key, c.Value(e.Key), e.Remark)
		}
		if err != nil {
			return nil, err
		}
	}
	return file, nil
}

func comment(indent, remark string) string {
	var b strings.Builder
	for line := range strings.Lines(remark) {
		b.WriteString(strings.TrimRight(indent+"# "+strings.TrimRight(line, "\n"), " ") + "\n")
	}
	return b.String()
}
