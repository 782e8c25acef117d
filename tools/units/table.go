package units

import (
	"slices"
	"strings"
)

type kind int

const (
	volume kind = iota // in milliliters
	mass               // in grams
	temperature
	length // in millimeters
	span   // of time, in seconds
)

// unit is a unit of the kitchen. size is how many milliliters, grams,
// millimeters or seconds it has.
type unit struct {
	one, many string
	kind      kind
	size      float64
	metric    bool // spoken in decimals; the others in halves, thirds and quarters
	others    string
}

// US customary measures, exact by definition: the gallon is 231 cubic inches
// of 2.54 cm, and its parts divide it; the pound is 453.59237 g. NIST Special
// Publication 811 (2008), appendix B.8; NIST Handbook 44, appendix C.
const (
	gallon = 3785.411784
	// The imperial gallon: Weights and Measures Act 1985, schedule 1.
	imperial = 4546.09
	pound    = 453.59237
	inch     = 25.4 // millimeters, exact since 1959: NIST Handbook 44, appendix C
)

// all are the known units. others are further names, without spaces, that people and models use.
var all = []unit{
	{"teaspoon", "teaspoons", volume, gallon / 768, false, "tsp"},
	{"tablespoon", "tablespoons", volume, gallon / 256, false, "tbsp"},
	{"cup", "cups", volume, gallon / 16, false, ""},
	{"fluid ounce", "fluid ounces", volume, gallon / 128, false, "floz"},
	{"pint", "pints", volume, gallon / 8, false, "pt"},
	{"quart", "quarts", volume, gallon / 4, false, "qt"},
	{"gallon", "gallons", volume, gallon, false, "gal"},
	{"British pint", "British pints", volume, imperial / 8, false,
		"imperialpint imperialpints ukpint ukpints englishpint englishpints"},
	{"British fluid ounce", "British fluid ounces", volume, imperial / 160,
		false, "imperialfluidounce imperialfluidounces ukfluidounce ukfluidounces"},
	{"British gallon", "British gallons", volume, imperial, false, "imperialgallon imperialgallons ukgallon ukgallons"},
	{"milliliter", "milliliters", volume, 1, true, "ml mil millilitre millilitres"},
	{"centiliter", "centiliters", volume, 10, true, "cl centilitre centilitres"},
	{"deciliter", "deciliters", volume, 100, true, "dl decilitre decilitres"},
	{"liter", "liters", volume, 1000, true, "l litre litres"},
	{"gram", "grams", mass, 1, true, "g gramme grammes"},
	{"decagram", "decagrams", mass, 10, true, "dag dekagram dekagrams"},
	{"kilogram", "kilograms", mass, 1000, true, "kg kilo kilos"},
	{"ounce", "ounces", mass, pound / 16, false, "oz"},
	{"pound", "pounds", mass, pound, false, "lb lbs"},
	{"stone", "stones", mass, 14 * pound, false, "st"}, // Weights and Measures Act 1985, schedule 1
	{"milligram", "milligrams", mass, 0.001, true, "mg"},
	// A stick of butter is a quarter of a pound; a pinch is a sixteenth of a
	// teaspoon, as measuring spoons that have one are made.
	{"stick", "sticks", mass, pound / 4, false, ""},
	{"pinch", "pinches", volume, gallon / 768 / 16, false, ""},
	{"millimeter", "millimeters", length, 1, true, "mm millimetre millimetres"},
	{"centimeter", "centimeters", length, 10, true, "cm centimetre centimetres"},
	{"meter", "meters", length, 1000, true, "m metre metres"},
	{"kilometer", "kilometers", length, 1e6, true, "km kilometre kilometres"},
	{"inch", "inches", length, inch, false, "in"},
	{"foot", "feet", length, 12 * inch, false, "ft"},
	{"yard", "yards", length, 36 * inch, false, "yd"},
	{"mile", "miles", length, 63360 * inch, false, "mi"},
	{"nautical mile", "nautical miles", length, 1.852e6, false, "nm"},
	{"second", "seconds", span, 1, true, "sec secs"},
	{"minute", "minutes", span, 60, true, "min mins"},
	{"hour", "hours", span, 3600, true, "hr hrs"},
	{"day", "days", span, 86400, true, ""},
	{"week", "weeks", span, 604800, true, ""},
	{"gas mark", "gas marks", temperature, 0, true, "gasmark"},
	{"degree Celsius", "degrees Celsius", temperature, 0, true, "celsius c centigrade"},
	{"degree Fahrenheit", "degrees Fahrenheit", temperature, 0, true, "fahrenheit f"},
}

// imperialSizes are those of British units that are called as American ones are. Cups stay American, because only
// American recipes use them.
var imperialSizes = map[string]float64{
	"pint": imperial / 8, "quart": imperial / 4, "gallon": imperial, "fluid ounce": imperial / 160,
}

// metricSpoons are spoons as they are sold in Britain and the rest of Europe.
var metricSpoons = map[string]float64{"teaspoon": 5, "tablespoon": 15}

// sized is the unit of the same name that has its size, if sizes has one.
func (u *unit) sized(sizes map[string]float64) *unit {
	size, ok := sizes[u.one]
	if !ok {
		return u
	}
	same := *u
	same.size = size
	return &same
}

// unitOf finds a unit by any of its names; nil: there is none.
func unitOf(name string) *unit {
	name = foldUnit(name)
	for i := range all {
		u := &all[i]
		if name == foldUnit(u.one) || name == foldUnit(u.many) || slices.Contains(strings.Fields(u.others), name) {
			return u
		}
	}
	return nil
}

// foldUnit is a name of a unit without case, spaces and dots: "fl. oz." is "floz".
func foldUnit(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-.°", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// gramsPerCup is the mass of one US cup, spooned and levelled where that
// matters. Dry goods, sugars, chocolate and maple syrup: King Arthur Baking,
// "Ingredient Weight Chart". The others: USDA FoodData Central, SR Legacy,
// household portions (baking powder and soda from the teaspoon, 4.6 g).
var gramsPerCup = map[string]float64{
	"flour":             120,
	"whole wheat flour": 113,
	"almond flour":      96,
	"sugar":             198,
	"brown sugar":       213,
	"powdered sugar":    113,
	"rolled oats":       89,
	"cocoa":             84,
	"cornmeal":          138,
	"chocolate chips":   170,
	"maple syrup":       312,
	"water":             237,
	"milk":              244,
	"cream":             238,
	"yogurt":            245,
	"butter":            227,
	"oil":               218,
	"honey":             339,
	"rice":              185,
	"salt":              292,
	"cornstarch":        128,
	"bread crumbs":      108,
	"peanut butter":     258,
	"baking powder":     4.6 * 48,
	"baking soda":       4.6 * 48,
}

// sameAs are other names of an ingredient in gramsPerCup.
var sameAs = map[string]string{
	"all purpose flour": "flour", "white flour": "flour", "plain flour": "flour", "bread flour": "flour",
	"wholemeal flour": "whole wheat flour",
	"white sugar":     "sugar", "granulated sugar": "sugar", "icing sugar": "powdered sugar",
	"confectioners sugar": "powdered sugar",
	"oats":                "rolled oats", "oatmeal": "rolled oats", "cocoa powder": "cocoa", "corn meal": "cornmeal",
	"chocolate chip": "chocolate chips",
	"whole milk":     "milk", "heavy cream": "cream", "whipping cream": "cream", "yoghurt": "yogurt",
	"vegetable oil": "oil", "canola oil": "oil", "sunflower oil": "oil", "cooking oil": "oil", "olive oil": "oil",
	"white rice": "rice", "uncooked rice": "rice", "table salt": "salt", "corn starch": "cornstarch",
	"breadcrumbs": "bread crumbs", "bicarbonate of soda": "baking soda",
}

// density gives grams per milliliter.
func density(ingredient string) (float64, bool) {
	name := strings.Join(strings.Fields(strings.NewReplacer("-", " ", "'",
		"", "’", "").Replace(strings.ToLower(ingredient))), " ")
	if same, ok := sameAs[name]; ok {
		name = same
	}
	perCup, ok := gramsPerCup[name]
	return perCup / (gallon / 16), ok
}
