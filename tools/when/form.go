package when

import (
	"encoding"
	"fmt"
)

// Form is what an argument of a tool says of time. The schema of a tool names it as the format
// of a text.
type Form string

// The forms, each that of a type.
const (
	Repeats Form = "repetition" // Repeat
)

// Known reports whether there is such a form.
func (f Form) Known() bool { return f == Repeats }

// Check reports whether text is written as this form is.
func (f Form) Check(text string) error {
	to, ok := map[Form]encoding.TextUnmarshaler{Repeats: new(Repeat)}[f]
	if !ok {
		return fmt.Errorf("there is no form %q", f)
	}
	return to.UnmarshalText([]byte(text))
}
