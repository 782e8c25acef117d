package intent

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"hearthd/llm"
	"hearthd/tools/intent/lang"
)

// intent is an entry whose patterns are parsed.
type intent struct {
	name, tool, file string
	args             map[string]any
	while            int  // its place in whiles
	trigger          bool // a declared tool's; its patterns are plain words
	later            bool // its requests may be put off
}

// When an intent counts, by the names in the data: always; while something rings, and then before
// all others; beside all others while somebody is asked which of several is meant; or never as a
// request, because its words only answer a question and are there for the grammar.
const (
	always = iota
	ringing
	choosing
	asked
)

var whiles = []string{always: "", ringing: "ringing", choosing: "choosing", asked: "asked"}

// Tools that are in no registry: whoever runs calls handles these.
const (
	answers = "confirm" // a yes or a no
	// Ask is the tool of a request that lacks something. Its arguments are the question, and in
	// then the requests that an answer leads to, with {answer}.
	Ask   = "ask"
	Reply = "reply" // the tool of a sentence with a fixed reply: the argument text
	// Choose is the tool of an answer to the question which of several is meant.
	Choose = "choose"
	// nothing is the tool of a sentence that is worded like a request and is not one.
	nothing = "nothing"
	two     = "two" // the tool of a sentence that would be one request and is two
)

// Match is a request that was understood.
type Match struct {
	Intent string       // name of the intent in the data
	Call   llm.ToolCall // its ID is empty: the caller sets it
}

// found is a pattern that covers a request.
type found struct {
	intent  *intent
	pattern *pattern
	slots   []filled
	aside   []filled // slots of a time beside the request
	cost    lang.Cost
	read    []lang.Token // the tokens in which the pattern was found, without a time beside it
	start   int          // index in read of its first token
	end     int
	tree    int32 // in the chart
}

// filled is an argument and the tokens that it was read from.
type filled struct {
	arg, typ   string
	start, end int
	value      any
}

// unused is the name of a slot whose words are no argument.
const unused = "_"

func (f *found) match() (Match, bool) {
	text, err := json.Marshal(f.args())
	if err != nil {
		return Match{}, false
	}
	return Match{f.intent.name, llm.ToolCall{Name: f.intent.tool, Arguments: text}}, true
}

// args are the values of the slots and the arguments that the intent adds. A {slot} in a text of
// the intent stands for that slot's value, which is then no argument itself.
func (f *found) args() map[string]any {
	args := make(map[string]any, len(f.slots)+len(f.intent.args))
	for _, s := range f.slots {
		if s.arg == unused {
			continue
		}
		if v, ok := s.value.(interface{ Args() map[string]any }); ok { // it fills several
			maps.Copy(args, v.Args())
			continue
		}
		args[s.arg] = s.value
	}
	for k, v := range f.intent.args {
		switch v := v.(type) {
		case string:
			if strings.Contains(v, "{") {
				args[k] = lang.Typed(f.fill(v, args))
				continue
			}
		case []any:
			list := make([]any, len(v))
			for i, one := range v {
				list[i] = f.fill(fmt.Sprint(one), args)
			}
			args[k] = list
			continue
		}
		args[k] = v
	}
	return args
}

// fill writes values of slots into a text, and takes them out of args.
func (f *found) fill(text string, args map[string]any) string {
	for _, s := range f.slots {
		if name := "{" + s.arg + "}"; strings.Contains(text, name) {
			text = strings.ReplaceAll(text, name, plainText(s.value))
			delete(args, s.arg)
		}
	}
	return text
}

// plainText is a value inside a text.
func plainText(v any) string {
	if n, ok := v.(float64); ok {
		return lang.Decimal(n)
	}
	return fmt.Sprint(v)
}

// gap is a place from which reading may go on at another place, for a cost.
type gap struct {
	to   int
	cost lang.Cost
}

// topics are the names in a sentence of what a request may be about. They are read once, when they are first asked for:
// a sentence of nothing but commas asks at each.
type topics struct {
	types []string
	read  func(typ string, i int) []lang.Reading
	size  int // of the sentence, in tokens
	names []name
	known bool
}

// name is where a name stands, and its slot type.
type name struct {
	from, to int
	typ      string
}

// saying is a way to read a sentence: its words, after what was said is replaced by what was meant,
// and the cost of that.
type saying struct {
	toks []lang.Token
	cost lang.Cost
	cut  int // where words were taken back; 0: none were
}

// half is one of the two requests of a sentence, and the tokens that its pattern covers.
type half struct {
	found
	request []lang.Token
}

// later is how orders for later are read.
type later struct {
	*laterWords
	orders, asks, never, ends *intent
}

// situation is when something is said.
type situation struct {
	while int    // its place in whiles
	topic string // the tool that the last turn was about; empty: none, or that is long ago
}
