package units

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

func newExecutor(t testing.TB) *tools.Executor {
	t.Helper()
	r := tools.NewRegistry(phrase.English())
	if err := r.Register(New(Options{Book: phrase.English()})); err != nil {
		t.Fatal(err)
	}
	e, err := tools.NewExecutor(tools.ExecutorOptions{Registry: r, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func run(t testing.TB, args string) tools.Outcome {
	t.Helper()
	return newExecutor(t).Run(t.Context(),
		tools.Call{ToolCall: llm.ToolCall{Name: "convert_unit", Arguments: json.RawMessage(args)}})
}

func TestConversionsAreSaidAsInAKitchen(t *testing.T) {
	cases := []struct {
		value, from, to, ingredient, want string
	}{
		{"2", "cup", "gram", "flour", "Two cups of flour is about 240 grams."},
		{"1", "cup", "gram", "sugar", "One cup of sugar is about 200 grams."},
		{"0.5", "cup", "gram", "butter", "Half a cup of butter is about 115 grams."},
		{"1", "tablespoon", "gram", "honey", "One tablespoon of honey is about 21 grams."},
		{"1", "teaspoon", "gram", "baking powder", "One teaspoon of baking powder is about 4.6 grams."},
		{"500", "gram", "cup", "all-purpose flour", "500 grams of all-purpose flour is about four and a quarter cups."},
		{"100", "gram", "cup", "sugar", "100 grams of sugar is about half a cup."},
		{"1", "pound", "cup", "rice", "One pound of rice is about two and a half cups."},
		{"1", "kilogram", "cup", "milk", "One kilogram of milk is about four cups."},
		{"1", "cup", "milliliter", "", "One cup is about 237 milliliters."},
		{"3", "teaspoon", "tablespoon", "", "Three teaspoons is one tablespoon."},
		{"1", "cup", "tablespoon", "", "One cup is 16 tablespoons."},
		{"1", "gallon", "liter", "", "One gallon is about 3.8 liters."},
		{"0.25", "cup", "tablespoon", "", "A quarter cup is four tablespoons."},
		{"1.5", "cup", "fluid_ounce", "", "One and a half cups is twelve fluid ounces."},
		{"1", "cup", "ounce", "", "One cup is eight fluid ounces."},
		{"8", "ounce", "cup", "", "Eight fluid ounces is one cup."},
		{"1", "pound", "ounce", "", "One pound is 16 ounces."},
		{"1", "pound", "gram", "", "One pound is about 454 grams."},
		{"1", "kilogram", "gram", "", "One kilogram is 1,000 grams."},
		{"1", "liter", "deciliter", "", "One liter is 10 deciliters."},
		{"13.5", "cup", "quart", "", "13.5 cups is about three and a third quarts."},
		{"1", "teaspoon", "cup", "", "One teaspoon is about 0.021 cups."},
		{"1", "gram", "kilogram", "", "One gram is 0.001 kilograms."},
		{"1", "stick", "gram", "butter", "One stick is about 113 grams."},
		{"1", "stick", "tablespoon", "", "One stick of butter is about eight tablespoons."},
		{"8", "inch", "centimeter", "", "Eight inches is about 20 centimeters."},
		{"5", "mile", "kilometer", "", "Five miles is about 8 kilometers."},
		{"5", "kilometer", "mile", "", "Five kilometers is about 3.1 miles."},
		{"180", "centimeter", "foot", "", "180 centimeters is about 5.9 feet."},
		{"54", "inch", "yard", "", "54 inches is one and a half yards."},
		{"6", "gas mark", "celsius", "", "Gas mark 6 is about 204 degrees Celsius."},
		{"0.5", "gas mark", "fahrenheit", "", "Gas mark 0.5 is 250 degrees Fahrenheit."},
		{"180", "celsius", "gas mark", "", "180 degrees Celsius is about gas mark 4."},
		{"250", "fahrenheit", "gas mark", "", "250 degrees Fahrenheit is gas mark 0.5."},
		{"110", "celsius", "gas mark", "", "110 degrees Celsius is about gas mark 0.25."},
		{"0.1", "gas mark", "celsius", "", "Gas marks go from a quarter to ten."},
		{"37.5", "celsius", "fahrenheit", "", "37.5 degrees Celsius is 99.5 degrees Fahrenheit."},
		{"100.6", "fahrenheit", "celsius", "", "100.6 degrees Fahrenheit is about 38.1 degrees Celsius."},
		{"1250", "gram", "kilogram", "", "1,250 grams is 1.25 kilograms."},
		{"0.125", "kilogram", "gram", "", "0.125 kilograms is 125 grams."},
		{"123", "gram", "kilogram", "", "123 grams is 0.123 kilograms."},
		{"143", "week", "day", "", "143 weeks is 1,001 days."},
		{"100", "minute", "hour", "", "100 minutes is about 1.7 hours."},
		{"1", "cup", "inch", "", "I can't turn cups into inches."},
		{"1e-9", "cup", "gallon", "", "Less than 0.001 cups is less than 0.001 gallons."},
		{"0", "cup", "liter", "", "Zero cups is 0 liters."},
		{"350", "fahrenheit", "celsius", "", "350 degrees Fahrenheit is about 177 degrees Celsius."},
		{"180", "celsius", "fahrenheit", "", "180 degrees Celsius is 356 degrees Fahrenheit."},
		{"3", "hour", "second", "", "Three hours is 10,800 seconds."},
		{"210", "minute", "hour", "", "210 minutes is 3.5 hours."},
		{"-40", "celsius", "fahrenheit", "", "Minus 40 degrees Celsius is minus 40 degrees Fahrenheit."},
		{"1", "celsius", "celsius", "", "1 degree Celsius is 1 degree Celsius."},
	}
	for _, c := range cases {
		args := fmt.Sprintf(`{"value":%s,"from":%q,"to":%q,"ingredient":%q}`, c.value, c.from, c.to, c.ingredient)
		if out := run(t, args); out.Class != tools.OK || out.Result.Text != c.want {
			t.Errorf("%s\n got %s %q\nwant %q", args, out.Class, out.Result.Text, c.want)
		}
	}
}

func TestAMilIsAMillimeterAmongLengths(t *testing.T) {
	for args, want := range map[string]string{
		`{"value":2,"from":"inch","to":"mil"}`:     "Two inches is about 51 millimeters.",
		`{"value":2,"from":"cup","to":"mil"}`:      "Two cups is about 473 milliliters.",
		`{"value":50,"from":"mil","to":"inch"}`:    "50 millimeters is about two inches.",
		`{"value":5,"from":"mil","to":"teaspoon"}`: "Five milliliters is about one teaspoon.",
	} {
		if out := run(t, args); out.Class != tools.OK || out.Result.Text != want {
			t.Errorf("%s: %s %q", args, out.Class, out.Result.Text)
		}
	}
}

func TestTheRestOfAnAmountMayBeInASmallerUnit(t *testing.T) {
	for args, want := range map[string]string{
		`{"value":5,"from":"pound","more":8,"more_in":"ounce","to":"gram"}`:          "Five and a half pounds is about 2,490 grams.",
		`{"value":11,"from":"stone","more":7,"more_in":"pound","to":"kilogram"}`:     "Eleven and a half stones is about 73 kilograms.",
		`{"value":1,"from":"cup","more":2,"more_in":"tablespoon","to":"milliliter"}`: "1.125 cups is about 266 milliliters.",
		`{"value":2,"from":"hour","more":15,"more_in":"minute","to":"second"}`:       "2.25 hours is 8,100 seconds.",
	} {
		if out := run(t, args); out.Class != tools.OK || out.Result.Text != want {
			t.Errorf("%s: %s %q", args, out.Class, out.Result.Text)
		}
	}
}

func TestWhatCannotBeConvertedIsSaidPolitely(t *testing.T) {
	for args, want := range map[string]string{
		`{"value":2,"from":"cup","to":"gram"}`: "That depends on what it is. Ask me for cups " +
			"of flour, for example.",
		`{"value":2,"from":"cup","to":"gram","ingredient":"glitter"}`: "Sorry, I don't know how much glitter weighs.",
		`{"value":2,"from":"cup","to":"celsius"}`:                     "I can't turn cups into degrees Celsius.",
		`{"value":-2,"from":"cup","to":"liter"}`:                      "I can't measure less than nothing.",
		`{"value":-300,"from":"celsius","to":"fahrenheit"}`:           "Nothing is as cold as that.",
	} {
		if out := run(t, args); out.Class != tools.OK || out.Result.Text != want {
			t.Errorf("%s: %s %q", args, out.Class, out.Result.Text)
		}
	}
	for _, args := range []string{
		`{"value":1,"from":"pound","to":"gram","more":4,"more_in":"stone"}`, `{"value":1,"from":"pound","to":"gram","more":4,"more_in":"cup"}`, `{"value":2,"from":"cubit","to":"gram"}`,
		`{"value":2,"from":"cup"}`, `{"value":1e9,"from":"cup","to":"liter"}`,
		`{"value":"two","from":"cup","to":"liter"}`,
	} {
		if out := run(t, args); out.Class != tools.BadArguments {
			t.Errorf("%s: %+v", args, out)
		}
	}
}

func TestUnitsAreKnownByTheirUsualNames(t *testing.T) {
	for name, want := range map[string]string{
		"Tbsp.": "tablespoon", "fl. oz.": "fluid ounce", "fluid_ounces": "fluid ounce", "ML": "milliliter",
		"litres": "liter",
		"lbs":    "pound", "°C": "degree Celsius", "degrees fahrenheit": "degree Fahrenheit", "kilos": "kilogram",
	} {
		if u := unitOf(name); u == nil || u.one != want {
			t.Errorf("%q is %v", name, u)
		}
	}
}

func TestEveryUnitGoesThereAndBack(t *testing.T) {
	for _, from := range all {
		for _, to := range all {
			if from.kind != to.kind && !(weighable(&from) && weighable(&to)) || from.kind == temperature {
				continue
			}
			there := convertValue(t, 3, from.one, to.one)
			if back := convertValue(t, there, to.one, from.one); math.Abs(back-3) > 1e-9 {
				t.Errorf("3 %s are %v %s are %v", from.many, there, to.many, back)
			}
		}
	}
}

func convertValue(t *testing.T, v float64, from, to string) float64 {
	t.Helper()
	result, err := converter{Options{Book: phrase.English()}}.convert(t.Context(), tools.Call{},
		arguments{Value: v, From: from, To: to, Ingredient: "milk"})
	if err != nil {
		t.Fatal(err)
	}
	return result.Data.(conversion).Result
}

func TestOtherNamesMeanKnownIngredients(t *testing.T) {
	for other, name := range sameAs {
		if _, ok := gramsPerCup[name]; !ok {
			t.Errorf("%q means %q, which has no weight", other, name)
		}
	}
	for name, grams := range gramsPerCup { // between puffed rice and syrup
		if perML := grams / unitOf("cup").size; perML < 0.2 || perML > 1.5 {
			t.Errorf("%s weighs %.2f grams per milliliter", name, perML)
		}
	}
}

func TestEveryAnswerIsSpeakable(t *testing.T) {
	for _, u := range all {
		for _, v := range []float64{0, 1e-310, 1e-9, 0.001, 0.01, 0.09, 0.12, 0.2, 0.3, 0.6, 0.95, 0.999, 1,
			1.01, 1.9, 2.49, 11.97, 12.5, 12.99, 99.6, 12345.678} {
			said, _ := spoken(v, &u, kitchen)
			text := phrase.English().Part("units.amount", said)
			if strings.Contains(text, "e+") || strings.Contains(text, "NaN") || strings.HasPrefix(text, " ") ||
				len(text) > 50 {
				t.Errorf("%v is said %q", v, text)
			}
			if v > 0 && (strings.HasPrefix(text, "0 ") || strings.HasPrefix(text, "zero")) {
				t.Errorf("%v is said %q", v, text)
			}
		}
	}
}
