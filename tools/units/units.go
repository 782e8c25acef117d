package units

import (
	"context"
	"fmt"
	"math"
	"strings"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

type arguments struct {
	Value      float64 `json:"value" need:"yes" min:"-1000" max:"100000"`
	From       string  `json:"from" need:"yes" min:"1" max:"30" about:"unit: teaspoon, tablespoon, cup, fluid_ounce, pint, quart, gallon, milliliter, deciliter, liter, gram, kilogram, ounce, pound, celsius, fahrenheit or gas mark; inch, centimeter and other lengths; second, minute, hour, day, week"`
	More       float64 `json:"more" min:"0" max:"1000" about:"what is added in a smaller unit: the 8 of five pounds eight ounces"`
	MoreIn     string  `json:"more_in" max:"30" about:"that unit"`
	To         string  `json:"to" need:"yes" min:"1" max:"30" about:"unit, like from"`
	Ingredient string  `json:"ingredient" max:"50" about:"needed between volume and weight"`
}

// conversion is the structured result, which is not rounded.
type conversion struct {
	Value      float64 `json:"value"`
	From       string  `json:"from"`
	Result     float64 `json:"result"`
	To         string  `json:"to"`
	Ingredient string  `json:"ingredient,omitempty"`
}

// Options is what New takes.
type Options struct {
	Book *phrase.Book // what is said
	// British reports whether pints, quarts, gallons and fluid ounces are imperial, and spoons
	// metric, for a person. Nil: they are US customary.
	British func(ctx context.Context, person string) bool
	// Metric: spoons are metric for everybody.
	Metric bool
}

// New makes the tool convert_unit. Measures are US customary, or British, and metric.
func New(o Options) tools.Tool {
	c := converter{o}
	return tools.CallFunc(llm.ToolSpec{
		Name: "convert_unit", Description: "Converts kitchen units, and between volume and weight of an ingredient.",
		ReadOnly: true,
	}, c.convert)
}

type converter struct{ opt Options }

func (c converter) convert(ctx context.Context, call tools.Call, a arguments) (tools.Result, error) {
	from, to, err := a.units()
	if err != nil {
		return tools.Result{}, err
	}
	switch {
	case from.kind == temperature && to.kind == temperature:
		return c.convertTemperature(a.Value, from, to), nil
	case from.kind != to.kind && !(weighable(from) && weighable(to)):
		return tools.Result{Text: c.opt.Book.Say("units.cannot", phrase.Args{"from": from.one, "to": to.one})}, nil
	case a.Value < 0:
		return tools.Result{Text: c.opt.Book.Say("units.nothing")}, nil
	}
	in := unitOf(a.MoreIn)
	if a.MoreIn != "" && (in == nil || in.kind != from.kind || in.size >= from.size) {
		why := fmt.Sprintf("more_in %.30q is no smaller unit than %s", a.MoreIn, a.From)
		return tools.Result{}, &tools.ArgumentError{Reason: why}
	}
	if a.Ingredient == "" && (from.one == "stick" || to.one == "stick") {
		a.Ingredient = "butter"
	}
	from, to = ounces(from, to, a.Ingredient)
	british := c.opt.British != nil && c.opt.British(ctx, call.For.Person)
	from, to, in = c.here(from, british), c.here(to, british), c.here(in, british)
	if in != nil {
		a.Value += a.More * in.size / from.size
	}
	return c.weighed(a, from, to), nil
}

// here is a unit, or nil, in the size that it has in this kitchen.
func (c converter) here(u *unit, british bool) *unit {
	switch {
	case u != nil && british:
		return u.sized(imperialSizes).sized(metricSpoons)
	case u != nil && c.opt.Metric:
		return u.sized(metricSpoons)
	}
	return u
}

// units are those from and to which is converted.
func (a *arguments) units() (from, to *unit, err error) {
	from, to = unitOf(a.From), unitOf(a.To)
	if a.To == "mil" && from != nil && from.kind == length { // and not a milliliter
		to = unitOf("mm")
	}
	if a.From == "mil" && to != nil && to.kind == length {
		from = unitOf("mm")
	}
	for name, u := range map[string]*unit{a.From: from, a.To: to} {
		if u == nil {
			return nil, nil, &tools.ArgumentError{Reason: fmt.Sprintf("there is no kitchen unit %q", name)}
		}
	}
	return from, to, nil
}

// weighed converts an amount from one unit to the other, if need be by the weight of an ingredient.
func (c converter) weighed(a arguments, from, to *unit) tools.Result {
	result, of := a.Value*from.size/to.size, ""
	if from.kind != to.kind {
		of = strings.Join(strings.Fields(a.Ingredient), " ")
		perML, known := density(of)
		switch {
		case of == "":
			return tools.Result{Text: c.opt.Book.Say("units.depends", phrase.Args{"from": from.one})}
		case !known:
			return tools.Result{Text: c.opt.Book.Say("units.unknown", phrase.Args{"of": of})}
		case from.kind == volume:
			result *= perML
		default:
			result /= perML
		}
	}
	return tools.Result{
		Text: c.sentence(a.Value, from, result, to, of),
		Data: conversion{a.Value, from.one, result, to.one, of},
	}
}

// sentence says that value is result, or about that. of is the ingredient that was weighed, or "".
func (c converter) sentence(value float64, from *unit, result float64, to *unit, of string) string {
	how := kitchen
	switch {
	case of != "":
		how = coarse
	case from.metric && to.metric:
		how = decimals
	}
	said, exact := spoken(result, to, how)
	amount, asAsked := amountOf(value, from)
	if !asAsked { // the result repeats the question when it is not rounded
		amount = digits(value, from)
	}
	return c.opt.Book.Say("units.is", phrase.Args{
		"asked": amount, "of": of, "about": (!exact || of != "") && said["less"] != true, "result": said,
	})
}

// ounces takes "ounce" for a fluid ounce if the other unit is a volume and no ingredient says
// that a weight is meant: "how many ounces are in a cup".
func ounces(from, to *unit, ingredient string) (*unit, *unit) {
	if strings.TrimSpace(ingredient) != "" {
		return from, to
	}
	if from.one == "ounce" && to.kind == volume {
		from = unitOf("fluidounce")
	}
	if to.one == "ounce" && from.kind == volume {
		to = unitOf("fluidounce")
	}
	return from, to
}

const absoluteZero = -273.15 // degrees Celsius

func (c converter) convertTemperature(value float64, from, to *unit) tools.Result {
	fahrenheit, mark := unitOf("fahrenheit"), unitOf("gasmark")
	celsius := value
	switch from {
	case fahrenheit:
		celsius = (value - 32) / 1.8
	case mark:
		if value < minGasMark || value > maxGasMark {
			return tools.Result{Text: c.opt.Book.Say("units.marks")}
		}
		celsius = (fromGasMark(value) - 32) / 1.8
	}
	if celsius < absoluteZero {
		return tools.Result{Text: c.opt.Book.Say("units.cold")}
	}
	result := celsius
	if to == fahrenheit {
		result = celsius*1.8 + 32
	}
	rounded := math.Round(result)
	if from != mark && value != math.Round(value) { // such as the temperature of a fever
		rounded = math.Round(result*10) / 10
	}
	if to == mark {
		if result = toGasMark(celsius*1.8 + 32); result > maxGasMark+0.5 || result < 0.2 {
			return tools.Result{Text: c.opt.Book.Say("units.no_mark")}
		}
		if rounded = math.Round(result); result < 1 {
			rounded = math.Exp2(math.Round(math.Log2(result))) // a half and a quarter
		}
	}
	return tools.Result{
		Text: c.opt.Book.Say("units.is", phrase.Args{
			"asked": digits(value, from), "of": "", "about": math.Abs(rounded-result) > 1e-6, "result": digits(rounded, to),
		}),
		Data: conversion{Value: value, From: from.one, Result: result, To: to.one},
	}
}

const minGasMark, maxGasMark = 0.25, 10

// fromGasMark is a gas mark in degrees Fahrenheit, as on British ovens: mark 1 is 275, each
// further mark 25 more, and each half of it 25 less (sizes.com/units/gas_mark.htm; a
// particular oven may differ).
func fromGasMark(mark float64) float64 {
	if mark < 1 {
		return 275 + 25*math.Log2(mark)
	}
	return 250 + 25*mark
}

func toGasMark(fahrenheit float64) float64 {
	if fahrenheit < 275 {
		return math.Exp2((fahrenheit - 275) / 25)
	}
	return (fahrenheit - 250) / 25
}

// weighable reports whether u measures something that can be poured or weighed.
func weighable(u *unit) bool { return u.kind == volume || u.kind == mass }
