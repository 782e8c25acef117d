package template

import (
	"math"
	"strings"
	"time"
	"unicode"
)

// use is how a fn may be used.
type use int

const (
	filter   use = 1 << iota // behind a bar
	function                 // called by its name
	method                   // behind a dot
	test                     // behind "is"
)

// table is what templates may use: the filters, functions and tests of Jinja and of Home
// Assistant that discovery documents use, and the methods of Python's texts, dictionaries
// and lists. from_keys is Home Assistant's own, which is called on dict itself.
var table = []struct {
	use   use
	names string
	fn    fn
}{
	{filter | function, "abs", absolute},
	{filter, "add", pair("+")},
	{filter | function, "as_datetime", asDatetime},
	{filter | function, "as_local", asLocal},
	{filter | function, "as_timestamp", asTimestamp},
	{method, "astimezone", asLocal},
	{filter | function, "average", average},
	{filter, "base64_decode", fromBase64},
	{filter, "bitwise_and", onWholes(func(a, b int64) int64 { return a & b })},
	{filter, "bitwise_or", onWholes(func(a, b int64) int64 { return a | b })},
	{filter, "bitwise_xor", onWholes(func(a, b int64) int64 { return a ^ b })},
	{filter | function, "bool", boolean},
	{test, "boolean", whether(is[bool])},
	{filter | method, "capitalize", onText(capitalize)},
	{filter | test, "contains", contains},
	{filter, "count length", count},
	{filter, "default d", otherwise},
	{test, "defined", whether(func(v any) bool { return !is[undefined](v) })},
	{function, "dict namespace", fromPairs},
	{test, "divisibleby", func(c call) any { return !truth(c.arithmetic("%", c.first(), c.second())) }},
	{method, "endswith", onTexts(strings.HasSuffix)},
	{test, "eq equalto sameas ==", operator("==")},
	{test, "even", whether(func(v any) bool { n, ok := integer(v); return ok && n%2 == 0 })},
	{test, "false", whether(func(v any) bool { return v == false })},
	{method, "find", onTexts(func(t, part string) int64 { return int64(strings.Index(t, part)) })},
	{filter, "first", func(c call) any { return c.item(c.first(), int64(0)) }},
	{filter | function, "float", float},
	{test, "float", whether(is[float64])},
	{filter, "format", func(c call) any { return c.format(c.text(0, "", ""), c.rest(1)) }},
	{filter, "from_json", fromJSON},
	{method, "from_keys", func(c call) any { c.args = c.rest(1); return fromPairs(c) }},
	{test, "ge >=", operator(">=")},
	{method, "get", get},
	{test, "gt greaterthan >", operator(">")},
	{filter | function, "iif", iif},
	{test, "in", operator("in")},
	{filter | function, "int", toInt},
	{test, "integer", whether(is[int64])},
	{filter, "is_defined", isDefined},
	{filter | function | test, "is_number", isNumber},
	{method, "isalpha", everyLetter(unicode.IsLetter)},
	{method, "isdigit isdecimal isnumeric", everyLetter(unicode.IsDigit)},
	{method, "isoformat", onMoment(noDefault, func(_ call, m time.Time) any { return m.Format(isoLocal) })},
	{filter | method, "items", entries},
	{filter, "dictsort", entries},
	{filter, "join", join},
	{method, "join", swapped(join)},
	{filter, "last", func(c call) any { return c.item(c.first(), int64(-1)) }},
	{test, "le <=", operator("<=")},
	{filter, "list", elements},
	{method, "keys", elements},
	{filter, "log", onNumber(math.Log)},
	{filter | method, "lower", onText(strings.ToLower)},
	{method, "lstrip", strip(strings.TrimLeftFunc)},
	{test, "lt lessthan <", operator("<")},
	{filter, "map", mapped},
	{test, "mapping", whether(isMapping)},
	{filter | function, "max", extreme(">")},
	{filter | function, "min", extreme("<")},
	{filter, "multiply", pair("*")},
	{test, "ne !=", operator("!=")},
	{test, "none", whether(func(v any) bool { return v == nil })},
	{function, "now", func(call) any { return moment{time.Now()} }},
	{test, "number", whether(func(v any) bool { _, ok := num(v); return ok })},
	{test, "odd", whether(func(v any) bool { n, ok := integer(v); return ok && n%2 != 0 })},
	{filter, "ord", ord},
	{function, "range", numbers},
	{filter, "regex_findall", findAll},
	{filter, "regex_findall_index", findAllIndex},
	{filter, "regex_match", matches(`^(?:`, `)`)},
	{filter, "regex_replace", regexReplace},
	{filter, "regex_search", matches("", "")},
	{test, "match", matches(`^(?:`, `)`)},
	{test, "search", matches("", "")},
	{filter, "reject", pick(false, false)},
	{filter, "rejectattr", pick(false, true)},
	{method, "removeprefix", onTexts(strings.TrimPrefix)},
	{method, "removesuffix", onTexts(strings.TrimSuffix)},
	{filter | method, "replace", replace},
	{filter, "reverse", reverse},
	{filter | function, "round", round},
	{method, "rstrip", strip(strings.TrimRightFunc)},
	{filter, "safe", call.first},
	{filter, "select", pick(true, false)},
	{filter, "selectattr", pick(true, true)},
	{test, "sequence iterable", whether(isIterable)},
	{filter, "sort", sorted},
	{filter | method, "split", split},
	{filter, "sqrt", onNumber(math.Sqrt)},
	{method, "startswith", onTexts(strings.HasPrefix)},
	{method, "strftime", onMoment(noDefault, func(c call, m time.Time) any {
		return c.strftime(c.text(1, "format", ""), m)
	})},
	{filter, "string", func(c call) any { return c.str(c.first()) }},
	{test, "string", whether(is[string])},
	{method, "strip", strip(strings.TrimFunc)},
	{function, "strptime", strptime},
	{filter, "sum", sum},
	{function, "timedelta", timedelta},
	{method, "timestamp", onMoment(noDefault, func(_ call, m time.Time) any { return float64(m.UnixMicro()) / 1e6 })},
	{filter, "timestamp_custom", onMoment(3, timestampCustom)},
	{filter, "timestamp_local", onMoment(1, func(_ call, m time.Time) any { return m.Local().Format(isoLocal) })},
	{filter, "timestamp_utc", onMoment(1, func(_ call, m time.Time) any { return m.UTC().Format(isoLocal) })},
	{filter | method, "title", onText(title)},
	{filter, "to_json tojson", toJSON},
	{function, "today_at", todayAt},
	{method, "total_seconds", totalSeconds},
	{filter, "trim", onText(strings.TrimSpace)},
	{test, "true", whether(func(v any) bool { return v == true })},
	{filter, "truncate", truncate},
	{test, "undefined", whether(is[undefined])},
	{filter, "unique", unique},
	{filter | method, "upper", onText(strings.ToUpper)},
	{function, "utcnow", func(call) any { return moment{time.Now().UTC()} }},
	{method, "values", values},
	{method, "zfill", zfill},
	{function, "zip", zip},
}

var filters, functions, methods, tests = usable(filter), usable(function), usable(method), usable(test)

// usable is what may be used in one way, by name.
func usable(as use) map[string]fn {
	known := map[string]fn{}
	for _, row := range table {
		if row.use&as != 0 {
			for _, name := range strings.Fields(row.names) {
				known[name] = row.fn
			}
		}
	}
	return known
}
