package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"hearthd/config/input"
)

// parse lays the values of one file over what is there.
func (l *loader) parse(file string, text []byte) {
	y, err := input.ParseYAML(text)
	if err != nil {
		p := Problem{File: file, Reason: "not YAML: " + err.Error()}
		if m := new(input.Mistake); errors.As(err, &m) {
			p.Line, p.Reason = m.Line, "not YAML: "+m.Reason
		}
		l.refuse(p)
		return
	}
	if y.Body != nil {
		l.node(file, y.Body, reflect.ValueOf(&l.cfg).Elem(), "")
	}
}

// node decodes n into v, the value of key path.
func (l *loader) node(file string, n ast.Node, v reflect.Value, path string) {
	at := place{file: file, line: n.GetToken().Position.Line}
	refuse := func(value, reason string) {
		l.refuse(Problem{File: at.file, Line: at.line, Key: path, Value: value, Reason: reason})
	}
	switch {
	case v.Kind() == reflect.Struct:
		pairs, ok := mapping(n)
		if !ok {
			refuse("", "must be a group of keys")
			return
		}
		l.group(file, pairs, v, path)
	case v.Kind() == reflect.Slice:
		// The entries of an earlier file are replaced, so their places are forgotten.
		maps.DeleteFunc(l.places, func(key string, _ place) bool { return strings.HasPrefix(key, path+"[") })
		l.places[path] = at
		seq, ok := n.(*ast.SequenceNode)
		if !ok {
			refuse("", "must be a list") // the value may hold a secret, as the arguments of a program do
			return
		}
		list := reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values))
		for i, item := range seq.Values {
			entry := fmt.Sprintf("%s[%d]", path, i)
			l.places[entry] = place{file: file, line: item.GetToken().Position.Line}
			l.node(file, item, list.Index(i), entry)
		}
		v.Set(list)
	default:
		l.places[path] = at
		s, ok := scalar(n)
		if !ok {
			refuse("", "must be one value")
			return
		}
		if err := setText(v, s); err != nil {
			refuse(shown(v, s), err.Error())
		}
	}
}

func (l *loader) group(file string, pairs []*ast.MappingValueNode, v reflect.Value, path string) {
	for _, pair := range pairs {
		name := pair.Key.GetToken().Value
		key := join(path, name)
		at := pair.Key.GetToken().Position
		f, ok := fieldNamed(v, name)
		switch {
		case !ok:
			l.refuse(Problem{File: file, Line: at.Line, Key: key, Reason: "unknown key" + alike(key)})
		case pair.Value.Type() == ast.NullType:
			l.refuse(Problem{File: file, Line: at.Line, Key: key, Reason: "has no value"})
		default:
			l.node(file, pair.Value, f, key)
		}
	}
}

func mapping(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}

// scalar gives the text of a plain value.
func scalar(n ast.Node) (string, bool) {
	switch s := n.(type) {
	case *ast.StringNode:
		return s.Value, true
	case *ast.LiteralNode:
		return s.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return s.GetToken().Value, true
	}
	return "", false
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// fieldNamed finds the field of struct v whose yaml tag is name.
func fieldNamed(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("yaml") == name {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

// field finds the value of a key of Keys.
func field(c *Config, key string) reflect.Value {
	v := reflect.ValueOf(c).Elem()
	for _, name := range strings.Split(key, ".") {
		v, _ = fieldNamed(v, name)
	}
	return v
}

// Keys lists every key, as a path such as "audio.volume", in the order of the
// example file.
func Keys() []string {
	var list []string
	var walk func(t reflect.Type, path string)
	walk = func(t reflect.Type, path string) {
		for i := range t.NumField() {
			f := t.Field(i)
			key := join(path, f.Tag.Get("yaml"))
			if f.Type.Kind() == reflect.Struct {
				walk(f.Type, key)
				continue
			}
			list = append(list, key)
		}
	}
	walk(reflect.TypeFor[Config](), "")
	return list
}

// setText sets v from its text form. A list of texts from the environment is split
// at white space.
func setText(v reflect.Value, s string) error {
	if v.Type() == reflect.TypeFor[time.Duration]() {
		d, err := time.ParseDuration(s)
		if err != nil {
			return errors.New("must be a duration with its unit, such as 700ms or 6s")
		}
		v.SetInt(int64(d))
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Bool:
		b, err := strconv.ParseBool(s)
		if err != nil {
			return errors.New("must be true or false")
		}
		v.SetBool(b)
	case reflect.Int:
		i, err := strconv.Atoi(s)
		if err != nil {
			return numberError("must be a whole number", err)
		}
		v.SetInt(int64(i))
	case reflect.Float64:
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return numberError("must be a number", err)
		}
		v.SetFloat(x)
	case reflect.Slice:
		v.Set(reflect.ValueOf(strings.Fields(s)))
	default:
		return fmt.Errorf("cannot hold a %s", v.Kind())
	}
	return nil
}

// numberError is the error of a text that is no number, which expected says, or none that fits.
func numberError(expected string, err error) error {
	if errors.Is(err, strconv.ErrRange) {
		return errors.New("is too large")
	}
	return errors.New(expected)
}

// shown is text as a problem may print it: somebody may have written the secret itself where its
// place belongs.
func shown(v reflect.Value, text string) string {
	if v.Type() == reflect.TypeFor[Secret]() {
		return ""
	}
	return text
}
