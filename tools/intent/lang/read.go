package lang

import (
	"fmt"

	"hearthd/tools/when"
)

// Read gives text as the form is written: "every monday", which is all of it, as FREQ=WEEKLY;BYDAY=MO. It is not ok for one that
// says no such thing.
func (l *Language) Read(form when.Form, text string) (strict string, ok bool) {
	toks, ok := l.Tokenize(text)
	if !ok {
		return "", false
	}
	var rs []Reading
	switch form {
	case when.Repeats:
		rs = l.repeats(toks, 0, true)
	}
	for _, r := range rs {
		if strict = fmt.Sprint(r.Value); r.End == len(toks) && r.End > 0 && form.Check(strict) == nil {
			return strict, true
		}
	}
	return "", false
}
