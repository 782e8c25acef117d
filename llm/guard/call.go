package guard

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"hearthd/llm"
)

// Bounds of a call that may run by itself; about a larger one the person is asked.
const (
	maxValues = 20
	maxDepth  = 4
	maxBytes  = 2 << 10
)

// Keys of arguments that only name what the value is. The person must have said any other key,
// since nobody knows what it does with its value: "except" reverses the meaning.
var (
	keys = set(`name names device devices target targets entity item items list label title kind type
		domain area room floor zone thing action command state operation value brightness position
		temperature volume percent level speed duration seconds minutes hours time day which color colour
		mode position tilt humidity text message query property unit`)
	// Names of properties and units are such keys too, and need not be said: a light is set to 40,
	// which is its brightness in percent.
	measures = map[string]map[string]bool{
		"property": set("brightness color colour temperature position tilt humidity speed mode volume"),
		"unit":     set("percent degrees"),
	}
	// Keys for what is done. The first list can mean nothing else.
	verbKeys  = set("action command operation")
	stateKeys = set("action command operation state value")
	// Keys whose value may repeat what another value has said.
	again = set("kind type domain area room floor zone")
)

// spec is a call in the form in which it is compared with the request.
type spec struct {
	name   []string // the parts of the tool's name
	values []value
}

// value is one of the arguments.
type value struct {
	key    []string
	words  []string // of a text
	number float64
	is     byte // t: a text, n: a number, y: true
}

// read takes a call apart. It is not ok for a call that is less simple than that.
func read(call llm.ToolCall) (s spec, ok bool) {
	s.name = parts(call.Name)
	args := bytes.TrimSpace(call.Arguments)
	if len(args) == 0 || string(args) == "null" {
		args = []byte("{}")
	}
	var object map[string]any
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	if len(args) > maxBytes || dec.Decode(&object) != nil || dec.More() {
		return s, false
	}
	return s, s.object(object, 0)
}

func (s *spec) object(object map[string]any, depth int) bool {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if !s.add(parts(key), object[key], depth+1) {
			return false
		}
	}
	return true
}

func (s *spec) add(key []string, v any, depth int) bool {
	if depth > maxDepth || len(s.values) > maxValues {
		return false
	}
	switch v := v.(type) {
	case nil:
		return true
	case string:
		words, ok := plain(v)
		if len(words) > 0 {
			s.values = append(s.values, value{key: key, words: words, is: 't'})
		}
		return ok
	case json.Number:
		n, err := v.Float64()
		s.values = append(s.values, value{key: key, number: n, is: 'n'})
		return err == nil && n >= 0
	case bool:
		s.values = append(s.values, value{key: key, is: 'y'})
		return v
	case []any:
		for _, item := range v {
			if !s.add(key, item, depth+1) {
				return false
			}
		}
		return true
	case map[string]any:
		s.values = append(s.values, value{key: key}) // the key has to be known or said too
		return s.object(v, depth)
	}
	return false
}

// plain are the words of a text. It is not ok for a text with anything else in it, such as an
// identifier, an address or a quotation.
func plain(text string) (words []string, ok bool) {
	ok = !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !strings.ContainsRune(" _-'%", r)
	})
	split := strings.NewReplacer("%", " percent ", "_", " ", "-", " ").Replace(strings.ToLower(text))
	return numerals(strings.Fields(split)), ok
}

// parts are the words of a name: of list_add, listAdd, list-add.
func parts(name string) []string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if unicode.IsUpper(r) && small {
			b.WriteByte(' ')
		}
		small = unicode.IsLower(r)
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			b.WriteRune(unicode.ToLower(r))
		} else {
			b.WriteByte(' ')
		}
	}
	return strings.Fields(b.String())
}

// comparing compares a call with an order.
type comparing struct {
	order
	used  []bool // words of the order that occur in the call
	named bool   // the call says what is to be done
}

// says reports whether the call says the same as o.
func (s *spec) says(o order) bool {
	c := comparing{order: o, used: make([]bool, len(o.words))}
	if !c.tool(s.name) {
		return false
	}
	values := slices.Clone(s.values)
	// Values that may be a repetition come last, and long names before short ones.
	slices.SortStableFunc(values, func(a, b value) int {
		if later := again[last(a.key)]; later != again[last(b.key)] {
			if later {
				return 1
			}
			return -1
		}
		return len(b.words) - len(a.words)
	})
	for _, v := range values {
		if !c.value(v) {
			return false
		}
	}
	return c.named && !slices.Contains(c.used, false)
}

func last(key []string) string {
	if len(key) == 0 {
		return ""
	}
	return key[len(key)-1]
}

// tool compares the name of the tool.
func (c *comparing) tool(parts []string) bool {
	for _, p := range parts {
		switch {
		case c.acts(p), general[p], little[p], light[p] && particles[c.action] != "":
		case p == "set" && c.begins():
			c.named = true
		case p == "list" && c.lists():
			c.take([]string{p}, true)
		case actions[p] != "" || !c.take([]string{p}, true):
			return false
		}
	}
	return true
}

// lists reports whether the order means the shopping list without naming one.
func (c *comparing) lists() bool { return c.action == "add" || c.action == "remove" }

// begins reports whether the order starts something: start a timer.
func (c *comparing) begins() bool { return c.action == "start" || c.action == "create" }

// acts notes that the call names the action of the order.
func (c *comparing) acts(word string) bool {
	is := actions[word] == c.action
	c.named = c.named || is
	return is
}

// value compares an argument.
func (c *comparing) value(v value) bool {
	if !c.key(v) {
		return false
	}
	switch v.is {
	case 'y':
		return c.yes(v.key)
	case 'n':
		return c.number(v)
	case 't':
		return c.text(v)
	}
	return true
}

// key reports whether the key of a value is known or said. The class of another action is
// neither.
func (c *comparing) key(v value) bool {
	for _, k := range v.key {
		said := slices.Contains(c.spoken, k) && actions[k] == "" || actions[k] == c.action
		unit := v.is == 'n' && (k == "s" || seconds(k) > 0)
		if !keys[k] && !said && !unit {
			return false
		}
	}
	return len(v.key) > 0
}

// yes compares an argument that is true: its key must have been said.
func (c *comparing) yes(key []string) bool {
	for _, k := range key {
		if !c.acts(k) && !c.take([]string{k}, false) {
			return false
		}
	}
	return true
}

// text compares a text: an action, or words that stand together in the order.
func (c *comparing) text(v value) bool {
	key := last(v.key)
	doing := !slices.ContainsFunc(v.words, func(w string) bool { return actions[w] == "" && !light[w] })
	if doing && stateKeys[key] {
		other := slices.ContainsFunc(v.words, func(w string) bool { return actions[w] != "" && actions[w] != c.action })
		done := slices.ContainsFunc(v.words, func(w string) bool { return actions[w] == c.action })
		c.named = c.named || done
		return done && !other
	}
	if len(v.words) == 1 && measures[key][v.words[0]] {
		c.take(v.words, false)
		return true
	}
	words := content(v.words)
	if len(words) == 0 || verbKeys[key] {
		return false
	}
	usual := key == "list" && c.lists() && strings.TrimSuffix(strings.Join(words, " "), " list") == "shopping"
	return c.take(words, true) || again[key] && c.holds(words) || usual
}

// holds reports whether the order has all of words.
func (c *comparing) holds(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool {
		return !slices.ContainsFunc(c.words, func(said string) bool { return same(said, w, true) })
	})
}

// take uses words that stand together in the order, in any sequence, and have not been used yet.
func (c *comparing) take(words []string, plural bool) bool {
	for from := 0; from+len(words) <= len(c.words); from++ {
		left := slices.Clone(words)
		for i := from; i < from+len(words) && !c.used[i]; i++ {
			at := slices.IndexFunc(left, func(w string) bool { return same(c.words[i], w, plural) })
			if at < 0 {
				break
			}
			left = slices.Delete(left, at, at+1)
		}
		if len(left) == 0 {
			c.use(from, from+len(words))
			return true
		}
	}
	return false
}

func (c *comparing) use(from, to int) {
	for i := from; i < to; i++ {
		c.used[i] = true
	}
}

// same reports whether a word of the call was said: a person who said lights has also said light,
// but not the other way round.
func same(said, word string, plural bool) bool { return said == word || plural && said == word+"s" }

// number compares a number: one that was said, or a length of time in the unit of the key.
func (c *comparing) number(v value) bool {
	type found struct{ from, to int }
	var times []found
	total := 0.0
	for i, w := range c.words {
		n, err := strconv.ParseFloat(w, 64)
		if err != nil || c.used[i] {
			continue
		}
		if i+1 == len(c.words) || seconds(c.words[i+1]) == 0 {
			if n == v.number {
				c.use(i, i+1)
				return true
			}
			continue
		}
		times, total = append(times, found{i, i + 2}), total+n*seconds(c.words[i+1])
	}
	unit := 0.0
	for _, k := range v.key {
		switch {
		case k == "s" || k == "duration" && unit == 0:
			unit = 1
		case seconds(k) > 0:
			unit = seconds(k)
		}
	}
	if len(times) == 0 || unit == 0 || total != v.number*unit {
		return false
	}
	for _, t := range times {
		c.use(t.from, t.to)
	}
	return true
}
