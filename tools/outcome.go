package tools

import (
	"errors"
	"strings"
	"time"

	"hearthd/config/letters"
	"hearthd/tools/when"
)

// Class says how a call ended.
type Class string

// The classes. In all but OK the tool did not do what was asked, as far as is
// known: after Timeout and Cancelled it may have. After Asked it does so when the
// person says yes.
const (
	OK           Class = "ok"
	BadArguments Class = "bad_arguments"
	UnknownTool  Class = "unknown_tool"
	Timeout      Class = "timeout"
	Panic        Class = "panic"
	Cancelled    Class = "cancelled"
	Cooldown     Class = "cooldown"
	Failed       Class = "failed"
	NoPerson     Class = "no_person" // it needs to know who asks
	Asked        Class = "asked"     // a person has to agree first
)

// Outcome is the one result of a call, for whoever made it. Text is never empty and is what a model
// reads. Err is the cause for log and console; it is nil when Class is OK and is never spoken, for
// it may contain the words of a program.
type Outcome struct {
	Result
	Class Class
	Err   error
	Took  time.Duration
	// Question is what the person is to be asked: whether to run the call, where Class is
	// Asked, or for their words.
	Question string
}

// Spoken is what a person hears when no model words the answer: the result, or
// one plain sentence. It is the question where the person is asked one, and empty after
// Cancelled, which the person asked for.
func (o Outcome) Spoken(book Book) string {
	var f *Failure
	switch {
	case o.Question != "":
		return o.Question
	case o.Class == OK:
		return o.Text
	case o.Class == Cancelled:
		return ""
	case o.Class == NoPerson:
		return book.Say("tools.who_asks")
	case errors.As(o.Err, &f) && o.Class == Failed:
		return f.Say
	case o.Class == Timeout:
		return book.Say("tools.timeout")
	case o.Class == Cooldown:
		return book.Say("tools.cooldown")
	case errors.Is(o.Err, when.ErrDay):
		return book.Say("tools.no_day")
	case o.Class == UnknownTool || o.Class == BadArguments:
		return book.Say("tools.cannot")
	}
	return book.Say("tools.failed")
}

const (
	maxText   = 8 << 10 // bytes of a result that a model reads
	cutMarker = " … (cut)"
)

// shorten cuts text to limit bytes of valid UTF-8, the marker included.
func shorten(text string, limit int) string {
	return letters.Marked(strings.ToValidUTF8(text, "\uFFFD"), limit, cutMarker)
}

// Book has the sentences of a language, by keys.
type Book interface {
	Say(key string, args ...map[string]any) string
}
