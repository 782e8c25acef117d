package template

import (
	"errors"
	"math"
	"strings"
	"unicode/utf8"
)

// filters are those of Jinja and of Home Assistant that discovery documents use.
var filters = map[string]fn{
	"abs":         absolute,
	"add":         pair("+"),
	"average":     average,
	"bitwise_and": bitwise(func(a, b int64) int64 { return a & b }), "bitwise_or": bitwise(func(a, b int64) int64 { return a | b }),
	"bitwise_xor":   bitwise(func(a, b int64) int64 { return a ^ b }),
	"bool":          boolean,
	"capitalize":    onText(capitalize),
	"base64_decode": fromBase64,
	"contains":      func(s *state, a arguments) (any, error) { return s.contains(a.first(), second(a)) },
	"count":         count,
	"d":             otherwise, "default": otherwise,
	"dictsort":   items,
	"first":      func(s *state, a arguments) (any, error) { return s.item(a.first(), int64(0)) },
	"float":      float,
	"format":     func(s *state, a arguments) (any, error) { return s.format(a.text(0, "", ""), a.rest(1)) },
	"from_json":  fromJSON,
	"iif":        iif,
	"int":        toInt,
	"is_defined": isDefined,
	"is_number":  isNumber,
	"items":      items,
	"join":       join,
	"last":       func(s *state, a arguments) (any, error) { return s.item(a.first(), int64(-1)) },
	"length":     count,
	"list":       func(s *state, a arguments) (any, error) { v, err := s.list(a.first()); return v, err },
	"log":        onNumber(func(f float64) any { return math.Log(f) }),
	"lower":      onText(strings.ToLower),
	"map":        mapped,
	"max":        extreme(">"), "min": extreme("<"),
	"multiply":      pair("*"),
	"ord":           ord,
	"regex_findall": findAll, "reject": pick(false, false), "rejectattr": pick(false, true), "select": pick(true, false), "selectattr": pick(true, true),
	"regex_findall_index": findAllIndex, "regex_match": matches(`^(?:`, `)`), "regex_search": matches("", ""),
	"regex_replace": regexReplace,
	"replace":       replace,
	"reverse":       reverse,
	"round":         round,
	"safe":          func(_ *state, a arguments) (any, error) { return a.first(), nil },
	"sort":          sorted,
	"split":         split,
	"sqrt":          onNumber(func(f float64) any { return math.Sqrt(f) }),
	"string":        onText(func(t string) string { return t }),
	"sum":           sum,
	"as_timestamp":  asTimestamp, "as_datetime": asDatetime, "as_local": asLocal,
	"timestamp_custom": timestamp("%Y-%m-%d %H:%M:%S", true), "timestamp_local": timestamp("", true), "timestamp_utc": timestamp("", false),
	"title":   onText(title),
	"to_json": toJSON, "tojson": toJSON,
	"trim":     onText(strings.TrimSpace),
	"truncate": truncate,
	"unique":   unique,
	"upper":    onText(strings.ToUpper),
}

func count(s *state, a arguments) (any, error) {
	n, err := s.length(a.first())
	return int64(n), err
}

func ord(_ *state, a arguments) (any, error) {
	r, size := utf8.DecodeRuneInString(a.text(0, "", ""))
	if size == 0 {
		return nil, errors.New("the text is empty")
	}
	return int64(r), nil
}

func otherwise(_ *state, a arguments) (any, error) {
	_, missing := a.first().(undefined)
	if !missing && (!a.flag(2, "boolean", false) || truth(a.first())) {
		return a.first(), nil
	}
	if v, ok := a.get(1, "default_value"); ok {
		return v, nil
	}
	return "", nil
}

func isDefined(_ *state, a arguments) (any, error) {
	if _, missing := a.first().(undefined); missing {
		return nil, errUndefined
	}
	return a.first(), nil
}
