package template

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

func (s *state) write(text string) {
	if s.out.Len()+len(text) > maxOut {
		s.spend(-1)
	}
	s.make(len(text))
	s.out.WriteString(text)
}

// How Home Assistant writes a moment: isoformat() and str().
const (
	isoLocal  = "2006-01-02T15:04:05.999999-07:00"
	isoSpaced = "2006-01-02 15:04:05.999999-07:00"
)

// form is how values are written.
type form struct {
	comma, colon string
	key, single  func(*state, any) string
}

var (
	python = form{", ", ": ", (*state).repr, (*state).repr}
	asJSON = form{",", ":", (*state).jsonKey, (*state).json}
)

// str is Python's str().
func (s *state) str(v any) string {
	switch v := v.(type) {
	case undefined:
		return ""
	case string:
		return v
	}
	var b strings.Builder
	s.put(&b, v, python, 0)
	return b.String()
}

// put writes a value, however much it holds. A list may hold itself many times over.
func (s *state) put(b *strings.Builder, v any, f form, depth int) {
	if depth > maxDepth {
		panic(failure{errDepth})
	}
	s.step()
	switch v := v.(type) {
	case []any:
		s.add(b, "[")
		for i, x := range v {
			if i > 0 {
				s.add(b, f.comma)
			}
			s.put(b, x, f, depth+1)
		}
		s.add(b, "]")
	case map[string]any, *dict:
		s.add(b, "{")
		for i, k := range s.list(v) {
			if i > 0 {
				s.add(b, f.comma)
			}
			s.add(b, f.key(s, k))
			s.add(b, f.colon)
			s.put(b, s.item(v, k), f, depth+1)
		}
		s.add(b, "}")
	default:
		s.add(b, f.single(s, v))
	}
}

// add adds t to a text. Its growth copies what there is, so it counts twice.
func (s *state) add(b *strings.Builder, t string) {
	s.make(2*len(t) + 1)
	b.WriteString(t)
}

// repr is Python's repr() of a value that holds no others.
func (s *state) repr(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		s.spend(perLarge / 4)
		return floatText(v)
	case moment:
		return v.Format(isoSpaced)
	case span:
		return time.Duration(v).String()
	case string:
		s.make(4 * len(v))
		return quote(v)
	}
	panic(failed("%s cannot be written", kindOf(v)))
}

// perEscape is how many bytes JSON may make of one.
const perEscape = 6

// json is the JSON of a value that holds no others.
func (s *state) json(v any) string {
	switch x := v.(type) {
	case string:
		s.make(perEscape * len(x))
	case float64:
		s.spend(perLarge / 4)
	case moment:
		v = x.Format(isoLocal)
	case undefined:
		v = nil
	case span:
		panic(failed("%s cannot be written as JSON", kindOf(v)))
	}
	s.items(2)
	data, err := json.Marshal(v)
	if err != nil {
		panic(failed("write JSON: %w", err))
	}
	return string(data)
}

// jsonKey is the key of an object, which is text in JSON.
func (s *state) jsonKey(k any) string {
	if !is[string](k) {
		k = s.json(k)
	}
	return s.json(k)
}

func fromJSON(c call) any {
	t, _ := c.first().(string)
	c.spend(perRead * int64(len(t)))
	if v, ok := decode(t); ok {
		return v
	}
	return c.instead(1, "JSON")
}

func toJSON(c call) any {
	var b strings.Builder
	c.put(&b, c.first(), asJSON, 0)
	return b.String()
}

var (
	inSingle = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "'", `\'`)
	inDouble = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)
)

// quote writes a text as Python does.
func quote(t string) string {
	if strings.Contains(t, "'") && !strings.Contains(t, `"`) {
		return `"` + inDouble.Replace(t) + `"`
	}
	return "'" + inSingle.Replace(t) + "'"
}

// floatText writes a number as Python does: 21.0, 0.1, 1e-05.
func floatText(f float64) string {
	switch a := math.Abs(f); {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.Replace(strconv.FormatFloat(f, 'g', -1, 64), "+Inf", "inf", 1)
	case a != 0 && (a < 1e-4 || a >= 1e16):
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	t := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(t, ".") {
		t += ".0"
	}
	return t
}
