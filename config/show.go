package config

import (
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"hearthd/config/input"
)

// Setting is one key as people are shown it.
type Setting struct {
	Key     string `json:"key"`
	Value   string `json:"value"` // YAML on one line; see Settings
	Default string `json:"default"`
	Origin  string `json:"origin"` // FILE:LINE, a variable, or "default"
}

// Settings lists every key of c in the order of the example file. Parts of addresses and arguments
// that may be secret are replaced by ***.
func Settings(c *Config, from Origins) []Setting {
	std := Default()
	var list []Setting
	for _, key := range Keys() {
		list = append(list, Setting{
			Key: key, Value: written(field(c, key), true), Default: text(field(&std, key)), Origin: from.Of(key),
		})
	}
	return list
}

// Changed lists the keys whose values differ between two configurations.
func Changed(a, b *Config) []string {
	return slices.DeleteFunc(Keys(), func(key string) bool {
		return reflect.DeepEqual(field(a, key).Interface(), field(b, key).Interface())
	})
}

// Take copies the value of a key.
func (c *Config) Take(key string, from *Config) { field(c, key).Set(field(from, key)) }

// Value is that of a key as Edit takes it, with nothing hidden.
func (c *Config) Value(key string) string { return text(field(c, key)) }

// text is v as YAML on one line.
func text(v reflect.Value) string { return written(v, false) }

// written is text, on request without what may be a secret: passwords and queries in
// addresses, and what follows an argument that is named like one.
func written(v reflect.Value, hide bool) string {
	if v.Type() == reflect.TypeFor[time.Duration]() {
		return time.Duration(v.Int()).String()
	}
	switch v.Kind() {
	case reflect.String:
		if hide {
			return quoted(hiddenURL(v.String()))
		}
		return quoted(v.String())
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Slice:
		var items []string
		secret := false // the next item is
		for i := range v.Len() {
			item := v.Index(i)
			if hide && item.Kind() == reflect.String {
				var shown string
				shown, secret = hiddenArgument(hiddenURL(item.String()), secret)
				item = reflect.ValueOf(shown)
			}
			items = append(items, written(item, hide))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	var pairs []string
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			pairs = append(pairs, v.Type().Field(i).Tag.Get("yaml")+": "+written(v.Field(i), hide))
		}
	}
	return "{" + strings.Join(pairs, ", ") + "}"
}

// quoted is s as YAML: in quotes, unless the plain text means the same.
func quoted(s string) string {
	plain := s != "" && !strings.ContainsAny(s, " \t\n\"'\\#,[]{}&*!|>%@`") && !strings.HasSuffix(s, ":") &&
		s[0] != '-' && s[0] != '?'
	if plain {
		if y, err := input.ParseYAML([]byte("a: " + s + "\n")); err == nil && y.Body != nil {
			if pairs, ok := mapping(y.Body); ok && len(pairs) == 1 {
				if n, ok := pairs[0].Value.(*ast.StringNode); ok && n.Value == s {
					return s
				}
			}
		}
	}
	return strconv.Quote(s)
}

const stars = "***"

func hiddenURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User == nil && u.RawQuery == "" {
		return s
	}
	if u.User != nil {
		u.User = url.User(stars)
	}
	if u.RawQuery != "" {
		u.RawQuery = stars
	}
	return strings.ReplaceAll(u.String(), url.PathEscape(stars), stars)
}

// secretWords are parts of names of arguments whose values are secrets.
var secretWords = []string{"password", "passwd", "token", "secret", "key", "auth"}

// hiddenArgument is an argument of a program. next says that the one after it is the
// value of this one.
func hiddenArgument(arg string, secret bool) (shown string, next bool) {
	if secret {
		return stars, false
	}
	lower, from := strings.ToLower(arg), len(arg)
	for _, w := range secretWords {
		if i := strings.Index(lower, w); i >= 0 {
			from = min(from, i)
		}
	}
	// "--token=…", and of a header "Authorization: …".
	if i := strings.IndexAny(arg[from:], "=:"); i >= 0 {
		return arg[:from+i+1] + stars, false
	}
	if from == len(arg) || !strings.HasPrefix(arg, "-") {
		return arg, false
	}
	return arg, true
}
