package intent

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"hearthd/llm"
	"hearthd/tools/intent/lang"
)

// found is a pattern that covers a request.
type found struct {
	intent  *intent
	pattern *pattern
	slots   []filled
	cost    lang.Cost
	start   int // its tokens
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
