package template

import (
	"fmt"
	"regexp"
	"strings"
)

// maxPattern bounds a regular expression; Go's take linear time.
const maxPattern = 200

func pattern(a arguments, before, after string) (*regexp.Regexp, error) {
	p := a.text(1, "find", "")
	if len(p) > maxPattern {
		return nil, fmt.Errorf("a pattern of %d bytes is more than %d", len(p), maxPattern)
	}
	if a.flag(2, "ignorecase", false) {
		before = "(?i)" + before
	}
	re, err := regexp.Compile(before + p + after)
	if err != nil {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	return re, nil
}

func matches(before, after string) fn {
	return func(s *state, a arguments) (any, error) {
		re, err := pattern(a, before, after)
		if err != nil {
			return nil, err
		}
		t, err := s.str(a.first())
		return err == nil && re.MatchString(t), err
	}
}

func regexReplace(s *state, a arguments) (any, error) {
	a.named = map[string]any{"ignorecase": a.flag(3, "ignorecase", false)}
	re, err := pattern(arguments{list: a.list[:min(len(a.list), 2)], named: a.named}, "", "")
	if err != nil {
		return nil, err
	}
	t, err := s.str(a.first())
	if err != nil {
		return nil, err
	}
	with := regexp.MustCompile(`\\(\d)`).ReplaceAllString(strings.ReplaceAll(a.text(2, "replace", ""), "$", "$$"), "$${$1}")
	if err := s.make(len(t) + (len(t)+1)*len(with)); err != nil {
		return nil, err
	}
	return re.ReplaceAllString(t, with), nil
}

// found are what a pattern finds in the value, with its groups.
func (s *state) found(a arguments) ([][]string, error) {
	re, err := pattern(arguments{list: a.list[:min(len(a.list), 2)], named: a.named}, "", "")
	if err != nil {
		return nil, err
	}
	t, err := s.str(a.first())
	if err != nil {
		return nil, err
	}
	return re.FindAllStringSubmatch(t, 100), nil
}

// findAll gives what a pattern finds: the text, its group, or its groups.
func findAll(s *state, a arguments) (any, error) {
	found, err := s.found(a)
	if err != nil {
		return nil, err
	}
	out := []any{}
	for _, m := range found {
		if err := s.make(16 * len(m)); err != nil {
			return nil, err
		}
		if len(m) <= 2 {
			out = append(out, m[len(m)-1])
			continue
		}
		groups := make([]any, len(m)-1)
		for i := range groups {
			groups[i] = m[i+1]
		}
		out = append(out, groups)
	}
	return out, nil
}

func findAllIndex(s *state, a arguments) (any, error) {
	found, err := s.found(a)
	if err != nil {
		return nil, err
	}
	i := a.whole(2, "index", 0)
	if i < 0 || i >= len(found) {
		return nil, errUndefined
	}
	return found[i][min(1, len(found[i])-1)], nil
}
