package template

import (
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf8"
)

func capitalize(t string) string {
	rs := []rune(strings.ToLower(t))
	if len(rs) > 0 {
		rs[0] = unicode.ToUpper(rs[0])
	}
	return string(rs)
}

func title(t string) string {
	rs := []rune(strings.ToLower(t))
	for i := range rs {
		if i == 0 || !unicode.IsLetter(rs[i-1]) {
			rs[i] = unicode.ToUpper(rs[i])
		}
	}
	return string(rs)
}

func ord(c call) any {
	r, size := utf8.DecodeRuneInString(c.text(0, "", ""))
	if size == 0 {
		panic(failed("the text is empty"))
	}
	return int64(r)
}

func strip(trim func(t string, of func(rune) bool) string) fn {
	return func(c call) any {
		t, set := c.text(0, "", ""), c.text(1, "chars", "")
		c.spend(perByte * int64(len(t)+1) * int64(len(set)+1)) // each is looked for in the set
		if set == "" {
			return trim(t, unicode.IsSpace)
		}
		return trim(t, func(r rune) bool { return strings.ContainsRune(set, r) })
	}
}

func zfill(c call) any {
	t, width := c.text(0, "", ""), max(c.whole(1, "width", 0), 0)
	c.repeat(width, 2)
	c.make(len(t))
	sign := ""
	if strings.HasPrefix(t, "-") || strings.HasPrefix(t, "+") {
		sign, t = t[:1], t[1:]
	}
	return sign + strings.Repeat("0", max(int(width)-len(sign)-len(t), 0)) + t
}

func replace(c call) any {
	t, from, to := c.str(c.first()), c.text(1, "old", ""), c.text(2, "new", "")
	c.look(len(t) + len(from))
	c.make(len(t))
	c.repeat(int64(strings.Count(t, from)), len(to)+1)
	return strings.ReplaceAll(t, from, to)
}

func split(c call) any {
	t, sep, most := c.str(c.first()), c.text(1, "sep", ""), c.whole(2, "maxsplit", -1)
	c.look(10 * (len(t) + len(sep)))
	if sep == "" {
		c.items(len(t)/2 + 1) // a word and a space each
		return c.anys(strings.Fields(t))
	}
	n := strings.Count(t, sep) + 1
	if most >= 0 {
		n = int(min(int64(n), most+1))
	}
	c.items(n)
	return c.anys(strings.SplitN(t, sep, n))
}

func join(c call) any {
	list, between := c.list(c.first()), c.text(1, "d", "")
	var b strings.Builder
	for i, v := range list {
		if i > 0 {
			c.add(&b, between)
		}
		c.add(&b, c.str(v))
	}
	return b.String()
}

func truncate(c call) any {
	t, end := c.str(c.first()), c.runes(c.text(3, "end", "..."))
	length := min(max(c.whole(1, "length", 255), 0), Budget)
	leeway := min(max(c.whole(4, "leeway", 5), 0), Budget)
	rs := c.runes(t)
	if int64(len(rs)) <= length+leeway {
		return t
	}
	c.make(len(t) + len(end))
	return string(rs[:max(0, min(int(length)-len(end), len(rs)))]) + string(end)
}

func fromBase64(c call) any {
	t := c.text(0, "", "")
	c.make(2 * len(t))
	data, err := base64.StdEncoding.DecodeString(t)
	if err != nil {
		panic(failed("decode base64: %w", err))
	}
	return string(data)
}
