package discovery

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// str is a text of the configuration, or otherwise. Booleans and numbers become
// the text that Python, and so Home Assistant, makes of them: of a number at most 25 bytes.
func (c config) str(key, otherwise string) string {
	switch v := c[key].(type) {
	case string:
		return v
	case bool:
		if v {
			return "True"
		}
		return "False"
	case float64:
		if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e16) {
			return strconv.FormatFloat(v, 'e', -1, 64)
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return otherwise
}

func (c config) num(key string, otherwise float64) float64 {
	switch v := c[key].(type) {
	case float64:
		return v
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return f
		}
	}
	return otherwise
}

func (c config) flag(key string, otherwise bool) bool {
	switch v := c[key].(type) {
	case bool:
		return v
	case float64:
		return v != 0
	case string:
		switch strings.ToLower(v) {
		case "true", "yes", "on", "1":
			return true
		case "false", "no", "off", "0":
			return false
		}
	}
	return otherwise
}

// list is a list of texts.
func (c config) list(key string) []string {
	var out []string
	switch v := c[key].(type) {
	case string:
		out = append(out, v)
	case []any:
		for i := range v {
			if t := (config{"": v[i]}).str("", ""); t != "" && len(t) <= maxText && len(out) < maxOptions {
				out = append(out, t)
			}
		}
	}
	return out
}

// topic is a topic without wildcards, or "".
func (c config) topic(key string) (string, error) {
	v, given := c[key]
	if !given || v == nil {
		return "", nil
	}
	t, ok := v.(string)
	if !ok || len(t) > maxTopic || strings.ContainsAny(t, "+#\x00") {
		return "", fmt.Errorf("%s is no topic", key)
	}
	return t, nil
}
