package template

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
)

// Budget is what one evaluation may spend. A unit is at most two nanoseconds of a PC, so
// that it ends after 10 ms there and 50 ms on a small board: BenchmarkHostileTemplates
// measures it. The longest template of a real device spends 150,000.
const Budget = 5_000_000

// Bounds of what a template holds and gives.
const (
	maxDepth = 40       // brackets, conditions and operators within each other; lists and dictionaries too
	maxOut   = 64 << 10 // bytes of what a template gives
)

// What things cost, in units. The size of data that an operation reads or makes is
// charged before it is read or made.
const (
	perNode  = 50  // a part of an expression or a statement, each time
	perByte  = 1   // of text that is looked at
	perMade  = 4   // a byte of text that is made
	perItem  = 64  // an element of a list or dictionary that is made or copied
	perRead  = 128 // a byte of JSON, of a number or of a format that is read
	perLarge = 4000
)

var (
	// ErrBudget is why an evaluation ends that needs more than its budget of work and
	// memory.
	ErrBudget = errors.New("it needs more work or memory than a template may")
	// ErrPanic is why an evaluation ends that found a mistake in this package.
	ErrPanic = errors.New("its evaluation panicked")

	errDepth = errors.New("values are nested too deep")
)

// state is the state of one evaluation.
type state struct {
	vars  map[string]any
	known lookup
	out   strings.Builder
	left  int64  // of the budget
	in    string // the filter, test, function or method that runs
}

// failure is the panic that ends parsing or evaluation, from however deep within. Parse and run
// turn it into an error.
type failure struct{ error }

func failed(format string, args ...any) failure { return failure{fmt.Errorf(format, args...)} }

// spend takes n units off the budget. Once that is used up, nothing more is done.
func (s *state) spend(n int64) {
	if n < 0 || n > s.left {
		s.left = 0
		panic(failure{ErrBudget})
	}
	s.left -= n
}

// step charges one operation.
func (s *state) step() { s.spend(perNode) }

// look charges n bytes that are about to be looked at.
func (s *state) look(n int) { s.spend(perByte * int64(n)) }

// make charges n bytes of text that are about to be made.
func (s *state) make(n int) { s.spend(perMade * int64(n)) }

// repeat charges n times as many bytes of text, of which n may be any number.
func (s *state) repeat(n int64, bytes int) {
	if n > Budget { // what follows does not overflow
		s.spend(-1)
	}
	s.spend(perMade * n * int64(bytes))
}

// items charges n elements that are about to be made.
func (s *state) items(n int) { s.spend(perItem * int64(n)) }

// sorting charges the work of sorting n elements but the looking at them.
func (s *state) sorting(n int) { s.spend(perItem * int64(n) * int64(bits.Len(uint(n)))) }
