package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxText = 1000 // bytes of a text
	maxList = 64   // entries of a key
)

// checker collects what is wrong with values. What concerns a single value is declared beside it, in
// the tags of its field, the same tags that arguments of tools have:
//
//	need      "yes": it must not be empty
//	min, max  bounds of a number or a duration
//	enum      what may be written, with commas between
//	form      what it looks like, see forms
//	bytes     the greatest length of a text, where that is not maxText
//
// For a list they hold for each entry.
type checker struct {
	problems Problems
}

func (k *checker) add(key, value, reason string) {
	k.problems = append(k.problems, Problem{Key: key, Value: value, Reason: reason})
}

// group checks the fields of a group.
func (k *checker) group(path string, v reflect.Value) {
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		k.value(join(path, tag.Get("yaml")), tag, v.Field(i))
	}
}

func (k *checker) value(key string, tag reflect.StructTag, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		k.group(key, v)
	case reflect.Slice:
		if v.Len() > maxList && entryOf(key) == "" {
			k.add(key, "", fmt.Sprintf("has more than %d entries", maxList))
		}
		for i := range v.Len() {
			k.value(fmt.Sprintf("%s[%d]", key, i), tag, v.Index(i))
		}
	case reflect.String:
		k.text(key, tag, v.String())
		if s, ok := v.Interface().(Secret); ok && !s.valid() {
			k.add(key, "", "must be file:/PATH or credential:NAME; the secret itself does not stand here")
		}
	case reflect.Int, reflect.Int64:
		k.bounds(key, tag, v)
	}
}

// bounds checks a number or a duration.
func (k *checker) bounds(key string, tag reflect.StructTag, v reflect.Value) {
	if tag.Get("max") == "" {
		return
	}
	low, high := reflect.New(v.Type()).Elem(), reflect.New(v.Type()).Elem()
	if err := errors.Join(setText(low, tag.Get("min")), setText(high, tag.Get("max"))); err != nil {
		k.add(key, "", "has bad bounds: "+err.Error()) // the default would fail too
	}
	if v.Int() < low.Int() || v.Int() > high.Int() {
		k.add(key, fmt.Sprint(v), fmt.Sprintf("must be between %v and %v", low, high))
	}
}

func (k *checker) text(key string, tag reflect.StructTag, value string) {
	need, most := tag.Get("need") != "", cmp.Or(tag.Get("bytes"), strconv.Itoa(maxText))
	if strings.HasSuffix(key, "]") && tag.Get("bytes") == "" {
		most = "" // an argument of a program may be long
	}
	if limit, err := strconv.Atoi(most); err == nil && len(value) > limit {
		k.add(key, "", fmt.Sprintf("is longer than %d bytes", limit))
	}
	if enum, ok := tag.Lookup("enum"); ok {
		k.oneOf(key, value, strings.Split(enum, ",")...)
	}
	switch form := tag.Get("form"); {
	case form != "" && (value != "" || need):
		k.form(key, value, form)
	case need:
		k.filled(key, value)
	}
}

func (k *checker) filled(key, value string) {
	if strings.TrimSpace(value) == "" {
		k.add(key, value, "must not be empty")
	}
}

// oneOf refuses all but choices; "" stands first where the key may be left out.
func (k *checker) oneOf(key, value string, choices ...string) {
	if !slices.Contains(choices, value) {
		k.add(key, value, "must be one of "+strings.TrimPrefix(strings.Join(choices, ", "), ", "))
	}
}

// once refuses a name that occurs twice.
func (k *checker) once(key string, names []string) {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			k.add(fmt.Sprintf(key, i), name, "stands twice")
		}
	}
}

// patterns are forms, each with the message for a text that does not match.
var patterns = map[string]struct{ expression, reason string }{
	"node":      {`^[A-Za-z0-9_-]{1,64}$`, "must be letters, digits, - and _, at most 64"},
	"level":     {`^[A-Za-z0-9_-]{1,64}$`, "must be one topic level of letters, digits, - and _"},
	"word":      {`^[\p{L}0-9'-]+( [\p{L}0-9'-]+){0,7}$`, "must be letters, digits, spaces, - and ', at most 64"},
	"phrase":    {`^[a-z']+( [a-z']+){0,4}$`, "must be one to five words in small letters"},
	"language":  {`^[a-z]{2,8}$`, "must be small letters, such as en"},
	"country":   {`^[a-z]{2}$`, "must be two small letters"},
	"currency":  {`^[A-Z]{3}$`, "must be three capital letters"},
	"server":    {`^[a-z][a-z0-9]{0,15}$`, "must be small letters and digits, at most 16"},
	"secret_in": {`^[A-Za-z][A-Za-z0-9_-]{0,63}$`, "must be the name of a header or of an environment variable"},
	"tools":     {`^[^*?\[\\\s]*\*?$`, "must be names, or the beginning of one and *"},
	"path":      {`^/`, "must be an absolute path"},
	"unix":      {`^unix:/.`, "must be unix:/PATH: what voices are known by stays on this box"},
	"led":       {`^[A-Za-z0-9_+:-][A-Za-z0-9_.+:-]{0,63}$`, "must be the name of a folder in /sys/class/leds"},
	"trigger":   {`^[A-Za-z0-9_.:-]{0,64}$`, "must be a trigger of the kernel, such as heartbeat"},
	"host": {`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`,
		"must be a host's name in small letters, without a port"},
}

// form checks a text that looks like something.
func (k *checker) form(key, value, form string) {
	good, reason := true, patterns[form].reason
	switch form {
	case "http":
		u, err := url.Parse(value)
		good = err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
		value, reason = "", "must be an http:// or https:// address without user and password"
	case "address", "host:port":
		host, port, err := net.SplitHostPort(value)
		good, reason = err == nil && host != "" && port != "", "must be HOST:PORT"
		if path, ok := strings.CutPrefix(value, "unix:"); ok && form == "address" {
			good, reason = strings.HasPrefix(path, "/"), "must be unix:/PATH or HOST:PORT"
		}
	case "port":
		_, port, err := net.SplitHostPort(value)
		_, wrong := strconv.ParseUint(port, 10, 16)
		good, reason = err == nil && wrong == nil, "must be HOST:PORT, or empty"
	case "hours":
		_, _, good = Hours(value)
		reason = "must be like 07:00-22:30"
	case "timezone":
		_, err := time.LoadLocation(value)
		good, reason = err == nil, "is not a known time zone, such as Europe/Vienna; timedatectl list-timezones names all"
	case "key":
		_, good = keyCode(value)
		reason = "must be a key such as playpause, f1 or btn_0, or its number"
	default:
		good = regexp.MustCompile(patterns[form].expression).MatchString(value)
	}
	if !good {
		k.add(key, value, reason)
	}
}

func (k *checker) command(key string, argv []string) {
	switch {
	case len(argv) == 0 || argv[0] == "":
		k.add(key, "", "must name a program")
	case strings.Contains(argv[0], "/") && !strings.HasPrefix(argv[0], "/"):
		k.add(key, argv[0], "must be an absolute path or a name on PATH")
	case strings.ContainsRune(strings.Join(argv, ""), 0):
		k.add(key, "", "holds a zero byte, which no argument may")
	}
}

// house refuses a host outside the house: one that is neither an address of a private network nor a name
// that only such a network resolves.
func (k *checker) house(key, host, reason string) {
	if ip, err := netip.ParseAddr(host); err == nil {
		if !ip.IsLoopback() && !ip.IsPrivate() && !ip.IsLinkLocalUnicast() {
			k.add(key, host, reason)
		}
		return
	}
	if strings.Contains(host, ".") && !regexp.MustCompile(`\.(local|lan|home\.arpa|internal)$`).MatchString(host) {
		k.add(key, host, reason)
	}
}

// hostOf is the host of host:port; a unix socket is in the house, and a bad address was refused already.
func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if strings.HasPrefix(address, "unix:") || err != nil {
		return "localhost"
	}
	return host
}

// Problem is one mistake in the configuration, with its place.
type Problem struct {
	File   string // file, or "environment", or "" for a default
	Line   int    // 1-based, 0 where there is none
	Key    string // path such as "audio.volume", or the variable's name
	Value  string // as written; empty for secrets
	Reason string
}

func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
		}
		b.WriteString(": ")
	}
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	if p.Value != "" {
		fmt.Fprintf(&b, "%q: ", p.Value)
	}
	b.WriteString(p.Reason)
	return b.String()
}

// Problems is every mistake that was found, as one error.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}
