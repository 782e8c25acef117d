package template

// fn is a filter, test, function or method.
type fn func(call) any

// call is the arguments of a fn. The value before the bar or the dot is the first.
type call struct {
	*state
	args  []any
	named map[string]any
}

// lookup is what a filter may name in its arguments.
type lookup struct{ filters, tests map[string]fn }

func (c *call) take(name string, v any) {
	if name == "" {
		c.args = append(c.args, v)
		return
	}
	if c.named == nil {
		c.named = map[string]any{}
	}
	c.named[name] = v
}

// get gives the argument at place i, or of that name.
func (c call) get(i int, name string) (any, bool) {
	if i < len(c.args) {
		return c.args[i], true
	}
	v, ok := c.named[name]
	return v, ok
}

// or returns the argument at place i or of that name, or the default.
func (c call) or(i int, name string, otherwise any) any {
	if v, ok := c.get(i, name); ok {
		return v
	}
	return otherwise
}

// rest are the arguments from place i on.
func (c call) rest(i int) []any { return c.args[min(i, len(c.args)):] }

// first is the value that a filter works on, and second what it is compared with.
func (c call) first() any  { return c.or(0, "", undefined{}) }
func (c call) second() any { return c.or(1, "value", nil) }

// text is the argument at place i, or the default.
func (c call) text(i int, name, otherwise string) string {
	if t, ok := c.or(i, name, nil).(string); ok {
		return t
	}
	return otherwise
}

// whole is the argument at place i, or the default.
func (c call) whole(i int, name string, otherwise int64) int64 {
	if n, ok := integer(c.or(i, name, nil)); ok {
		return n
	}
	return otherwise
}

// flag is the argument at place i, or the default.
func (c call) flag(i int, name string, otherwise bool) bool { return truth(c.or(i, name, otherwise)) }

// instead is the default at place i, for a value of another kind.
func (c call) instead(i int, kind string) any {
	v, ok := c.get(i, "default")
	if !ok {
		panic(failed("%s is no %s", kindOf(c.first()), kind))
	}
	return v
}
