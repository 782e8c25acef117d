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
		if f, err := strconv.ParseFloat(v, 64); err == nil && isFinite(f) {
			return f
		}
	}
	return otherwise
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

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

// topics are those of a key, without wildcards. A document has one; what we make of
// Tasmota's may have several.
func (c config) topics(key string) ([]string, error) {
	switch t := c[key].(type) {
	case nil:
		return nil, nil
	case []string:
		return t, nil
	case string:
		if t == "" {
			return nil, nil
		}
		if len(t) <= maxTopic && !strings.ContainsAny(t, "+#\x00") {
			return []string{t}, nil
		}
	}
	return nil, fmt.Errorf("%s is no topic", key)
}
