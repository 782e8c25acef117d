package template

import "strings"

// fn is a filter, test, function or method. The value before the bar or the dot
// is its first argument.
type fn func(*state, arguments) (any, error)

// arguments are the values that a call was given.
type arguments struct {
	list  []any
	named map[string]any
}

// stmt is a parsed statement, and expr a parsed expression.
type (
	stmt func(*state) error
	expr func(*state) (any, error)
)

const (
	maxDepth = 40       // brackets, conditions and operators within each other; lists and dictionaries too
	maxOut   = 64 << 10 // bytes of what a template gives
)

// lookup is what a filter may name in its arguments.
type lookup struct{ filters, tests map[string]fn }

// state is one evaluation.
type state struct {
	vars  map[string]any
	known lookup
	out   strings.Builder
	left  int64 // of the budget
}
