package template

import (
	"maps"
	"slices"
	"strings"
)

func count(c call) any { return int64(c.length(c.first())) }

func elements(c call) any { return c.list(c.first()) }

func contains(c call) any { return c.contains(c.first(), c.second()) }

// entries are the pairs of a dictionary.
func entries(c call) any {
	if !isMapping(c.first()) {
		panic(failed("%s has no items", kindOf(c.first())))
	}
	keys := c.list(c.first())
	c.items(4 * len(keys))
	out := make([]any, len(keys))
	for i, k := range keys {
		out[i] = []any{k, c.item(c.first(), k)}
	}
	return out
}

func values(c call) any {
	pairs := entries(c).([]any)
	c.items(len(pairs))
	out := make([]any, len(pairs))
	for i, p := range pairs {
		out[i] = p.([]any)[1]
	}
	return out
}

func get(c call) any {
	v := c.item(c.first(), c.second())
	if is[undefined](v) {
		return c.or(2, "default", nil)
	}
	return v
}

func reverse(c call) any {
	list := c.list(c.first())
	c.items(len(list))
	list = slices.Clone(list)
	slices.Reverse(list)
	if is[string](c.first()) {
		return join(call{state: c.state, args: []any{list}})
	}
	return list
}

func sorted(c call) any {
	list := c.list(c.first())
	c.sorting(len(list))
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b any) int {
		order, ok := c.order(a, b)
		if !ok || order == unordered { // it stays where it is
			return 0
		}
		return order
	})
	if c.flag(1, "reverse", false) {
		slices.Reverse(list)
	}
	return list
}

func unique(c call) any {
	var out []any
	for _, v := range c.list(c.first()) {
		c.items(1)
		if !c.contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// extreme gives the largest or smallest of a list, or of the arguments.
func extreme(o string) fn {
	return func(c call) any {
		list := c.args
		if len(list) == 1 {
			list = c.list(list[0])
		}
		if len(list) == 0 {
			return undefined{}
		}
		best := list[0]
		for _, v := range list[1:] {
			c.step()
			if c.compare(o, v, best) {
				best = v
			}
		}
		return best
	}
}

func sum(c call) any {
	var total any = int64(0)
	for _, v := range c.list(c.first()) {
		c.step()
		total = c.arithmetic("+", total, v)
	}
	return total
}

func average(c call) any {
	n := len(c.list(c.first()))
	if n == 0 {
		panic(failed("there is nothing to average"))
	}
	return c.arithmetic("/", sum(c), int64(n))
}

// attribute follows a name or index, or several with points between, into v.
func (s *state) attribute(v, path any) any {
	t, ok := path.(string)
	if !ok {
		return s.item(v, path)
	}
	for more := true; more; {
		s.step()
		var k string
		k, t, more = strings.Cut(t, ".")
		v = s.item(v, k)
	}
	return v
}

// pick makes select, reject, selectattr and rejectattr: those elements whose
// value passes the test that is named behind, or is true without one.
func pick(keep, byAttribute bool) fn {
	return func(c call) any {
		rest := c.rest(1)
		value := func(v any) any { return v }
		if byAttribute {
			if len(rest) == 0 {
				panic(failed("the name of an attribute is needed"))
			}
			path := rest[0]
			value, rest = func(v any) any { return c.attribute(v, path) }, rest[1:]
		}
		test := whether(truth)
		if len(rest) > 0 {
			name, _ := rest[0].(string)
			if test, rest = c.known.tests[name], rest[1:]; test == nil {
				panic(failed("the test %.40q is not known", name))
			}
		}
		var out []any
		for _, v := range c.list(c.first()) {
			c.items(2 + len(rest))
			if truth(test(call{state: c.state, args: append([]any{value(v)}, rest...)})) == keep {
				out = append(out, v)
			}
		}
		return out
	}
}

// mapped is map(attribute=…) and map('filter', …).
func mapped(c call) any {
	name := c.text(1, "", "")
	f := c.known.filters[name]
	if path, ok := c.named["attribute"]; ok {
		f = func(one call) any {
			found := c.attribute(one.first(), path)
			if is[undefined](found) && c.named["default"] != nil {
				return c.named["default"]
			}
			return found
		}
	}
	if f == nil {
		panic(failed("the filter %.40q is not known", name))
	}
	list := c.list(c.first())
	c.items(len(list))
	out := make([]any, len(list))
	for i, v := range list {
		c.items(1 + len(c.args))
		out[i] = f(call{c.state, append([]any{v}, c.rest(2)...), c.named})
	}
	return out
}

// zip joins the elements of lists in pairs, as far as the shortest goes.
func zip(c call) any {
	lists := make([][]any, len(c.args))
	n := 0
	for i, v := range c.args {
		lists[i] = c.list(v)
		if i == 0 || len(lists[i]) < n {
			n = len(lists[i])
		}
	}
	c.spend(perItem * int64(n) * int64(len(lists)+2))
	out := make([]any, n)
	for i := range out {
		row := make([]any, len(lists))
		for j := range lists {
			row[j] = lists[j][i]
		}
		out[i] = row
	}
	return out
}

// fromPairs makes a dictionary of pairs, or of what is named.
func fromPairs(c call) any {
	pairs := c.first()
	if isMapping(pairs) {
		pairs = entries(c)
	}
	d := &dict{}
	for _, p := range c.list(pairs) {
		kv, ok := p.([]any)
		if !ok || len(kv) != 2 {
			panic(failed("%s is no pair", kindOf(p)))
		}
		c.set(d, kv[0], kv[1])
	}
	for _, k := range slices.Sorted(maps.Keys(c.named)) {
		c.set(d, k, c.named[k])
	}
	return d
}
