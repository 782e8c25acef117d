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
	later            bool // its requests may be for later
}

// When an intent counts, as the data names it: always; while something rings, and
// then before all others; or never as a request, because its words are but the
// answer to a question and stand in the grammar only.
const (
	always = iota
	ringing
	asked
)

var whiles = []string{always: "", ringing: "ringing", asked: "asked"}

// Tools that no registry has: whoever runs calls answers these.
const (
	answers = "confirm" // a yes or a no
	// Ask is the tool of a request that lacks something. Its arguments are the
	// question, and in then the requests that an answer makes of it, with {answer}.
	Ask   = "ask"
	Reply = "reply" // the tool of what has an answer as it is: the argument text
	// nothing is the tool of what is worded like a request and is none.
	nothing = "nothing"
)

// Match is a request that was understood.
type Match struct {
	Intent string       // name of the intent in the data
	Call   llm.ToolCall // its ID is empty: whoever runs it gives it one
}

// found is a pattern that covers a request.
type found struct {
	intent  *intent
	pattern *pattern
	slots   []filled
	aside   []filled // of slots, those of a time beside the request
	cost    lang.Cost
	read    []lang.Token // in which the pattern was found, without a time beside it
	start   int          // its tokens of these
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

// args are what the slots hold and what the intent adds. A {slot} in a text of
// the intent stands for what that slot holds, which is then no argument itself.
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

// fill writes what the slots hold into a text, and takes them out of args.
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
