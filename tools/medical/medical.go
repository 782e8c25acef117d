package medical

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// input is one value that a calculator needs.
type input struct {
	name      string // as an argument, with its unit
	value     string // how a value of it is said: the answer medical.value_VALUE
	about     string // of a yes or no
	low, high float64
	also      []conversion // other arguments for the same value
	optional  bool
	choices   []string // instead of a number
	yesNo     bool     // instead of a number; no when it is not given
}

// conversion turns an argument in another unit into the input's: value × factor.
type conversion struct {
	name   string
	factor float64
	adds   bool // it is added to others like it, as inches to feet
}

// calculator is one formula or score.
type calculator struct {
	name, description string
	inputs            []input
	source            llm.Source
	compute           func(book *phrase.Book, v values) (sentence string, result map[string]any)
}

// values are the inputs of one call, all within their ranges.
type values struct {
	number map[string]float64
	choice map[string]string
	yes    map[string]bool
}

func (v values) has(name string) bool { _, ok := v.number[name]; return ok }

// New makes the tools, which answer with the sentences of book.
func New(book *phrase.Book) []tools.Tool {
	var list []tools.Tool
	for _, c := range slices.Concat(bodyCalculators(), kidneyCalculators(), bloodCalculators(), scores()) {
		list = append(list, tools.Func(llm.ToolSpec{
			Name: "medical_" + c.name, Description: c.description, Parameters: c.schema(), ReadOnly: true,
		}, func(_ context.Context, args map[string]any) (tools.Result, error) { return c.call(book, args) }))
	}
	return list
}

// schema describes the arguments. It has no ranges; call checks those, so that a person hears
// which value is out of range.
func (c *calculator) schema() json.RawMessage {
	properties := make(map[string]any)
	required := []string{}
	for _, in := range c.inputs {
		switch {
		case in.yesNo:
			properties[in.name] = map[string]any{"type": "boolean", "description": in.about}
			continue
		case in.choices != nil:
			properties[in.name] = map[string]any{"type": "string", "enum": in.choices}
		default:
			properties[in.name] = map[string]any{"type": "number"}
			for _, a := range in.also {
				properties[a.name] = map[string]any{"type": "number", "description": "instead of " + in.name}
			}
		}
		if !in.optional && in.also == nil {
			required = append(required, in.name)
		}
	}
	text, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required,
		"additionalProperties": false})
	if err != nil {
		return nil // cannot happen: it has only strings and maps
	}
	return text
}

// call reads the arguments, checks their ranges and computes.
func (c *calculator) call(book *phrase.Book, args map[string]any) (tools.Result, error) {
	v := values{map[string]float64{}, map[string]string{}, map[string]bool{}}
	for _, in := range c.inputs {
		if in.yesNo {
			v.yes[in.name], _ = args[in.name].(bool)
			continue
		}
		if in.choices != nil {
			if text, ok := args[in.name].(string); ok {
				v.choice[in.name] = text
			}
			continue
		}
		n, ok, err := in.read(book, args)
		if err != nil {
			return tools.Result{}, err
		}
		if ok {
			v.number[in.name] = n
		}
	}
	sentence, result := c.compute(book, v)
	text := sentence + " " + book.Say("medical.no_advice")
	return tools.Result{Text: text, Data: result, Sources: []llm.Source{c.source}}, nil
}

// read returns the input in its own unit. Feet and inches are added. Otherwise only one
// argument may give the value: a child of "20 kg" and "44 lb" does not weigh the sum.
func (in input) read(book *phrase.Book, args map[string]any) (value float64, given bool, err error) {
	adds := false
	for _, a := range append([]conversion{{name: in.name, factor: 1}}, in.also...) {
		n, ok := args[a.name].(float64)
		if !ok {
			continue
		}
		if given && !(adds && a.adds) {
			return 0, false, &tools.ArgumentError{Reason: in.name + " is given twice; give it in one unit"}
		}
		value, given, adds = value+n*a.factor, true, a.adds
	}
	switch {
	case !given && in.optional:
		return 0, false, nil
	case !given:
		names := []string{in.name}
		for _, a := range in.also {
			names = append(names, a.name)
		}
		return 0, false, &tools.ArgumentError{Reason: strings.Join(names, " or ") + " is needed"}
	case math.IsNaN(value) || value < in.low || value > in.high:
		figure := rounded(value, max(2, decimals(math.Abs(value))))
		say := book.Say("medical.outside", phrase.Args{
			"what": book.Part("medical.value_"+in.value, phrase.Args{"value": figure}), "low": in.low, "high": in.high,
		})
		return 0, false, &tools.Failure{Say: say, Cause: fmt.Errorf("calculate: %s %v is outside %v to %v", in.name,
			value, in.low, in.high)}
	}
	return value, true, nil
}

// rounded is a number with at most so many decimals, and never minus zero.
func rounded(v float64, decimals int) float64 {
	scale := math.Pow(10, float64(decimals))
	return math.Round(v*scale)/scale + 0
}

// The inputs that several calculators share.
func weight(low, high float64) input {
	return input{name: "weight_kg", value: "weight", low: low, high: high,
		also: []conversion{{name: "weight_lb", factor: 0.45359237}}}
}

func height(low, high float64) input {
	return input{
		name: "height_cm", value: "height", low: low, high: high,
		also: []conversion{{name: "height_m", factor: 100}, {name: "height_ft", factor: 30.48, adds: true},
			{name: "height_in", factor: 2.54, adds: true}},
	}
}

func age() input { return input{name: "age", value: "age", low: 18, high: 120} }

func sex() input { return input{name: "sex", choices: []string{"female", "male"}} }

// creatinine of serum. 1 mg/dl is 88.4 µmol/l (molar mass 113.12 g/mol).
func creatinine() input {
	return input{
		name: "creatinine_mg_dl", value: "creatinine", low: 0.1, high: 30,
		also: []conversion{{name: "creatinine_umol_l", factor: 1 / 88.4}},
	}
}
