package when

import (
	"encoding"
	"fmt"
)

// Form is what kind of time an argument of a tool takes. The schema of a tool names it as the
// format of a text.
type Form string

// The forms, each that of a type.
const (
	Clocks  Form = "clock"      // Clock
	Days    Form = "day"        // Day
	Spans   Form = "days"       // Span
	Repeats Form = "repetition" // Repeat
)

// Known reports whether there is such a form.
func (f Form) Known() bool { return f.of() != nil }

// Check reports what is wrong with a text that is to be written as this form is.
func (f Form) Check(text string) error {
	to := f.of()
	if to == nil {
		return fmt.Errorf("there is no form %q", f)
	}
	return to.UnmarshalText([]byte(text))
}

// of is something of the form's type.
func (f Form) of() encoding.TextUnmarshaler {
	switch f {
	case Clocks:
		return new(Clock)
	case Days:
		return new(Day)
	case Spans:
		return new(Span)
	case Repeats:
		return new(Repeat)
	}
	return nil
}
