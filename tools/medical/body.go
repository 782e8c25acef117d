package medical

import (
	"math"

	"hearthd/llm"
	"hearthd/tools/phrase"
)

func bodyCalculators() []*calculator {
	return []*calculator{
		{
			name: "bmi", description: "Body mass index from weight and height.",
			inputs: []input{weight(2, 500), height(40, 260),
				{name: "age", value: "age", low: 2, high: 120, optional: true}},
			source: llm.Source{Title: "World Health Organization: Obesity, preventing and managing the global " +
				"epidemic, Technical Report 894 (2000)", URL: "https://iris.who.int/handle/10665/42330"},
			compute: bodyMassIndex,
		},
		{
			name: "bsa", description: "Body surface area from weight and height, by Mosteller or Du Bois.",
			inputs: []input{weight(1, 400), height(30, 260),
				{name: "formula", choices: []string{"mosteller", "du_bois"}, optional: true}},
			source: llm.Source{Title: "Mosteller: Simplified calculation of body-surface area, N Engl J Med 317:1098 " +
				"(1987); Du Bois and Du Bois, Arch Intern Med 17:863 (1916)",
				URL: "https://doi.org/10.1056/NEJM198710223171717"},
			compute: surface,
		},
		{
			name: "ideal_weight", description: "Ideal body weight by Devine, as it is used for doses; for adults of " +
				"five feet or more.",
			inputs: []input{height(152.4, 260), sex()},
			source: llm.Source{Title: "Devine: Gentamicin therapy, Drug Intell Clin Pharm 8:650 (1974)"},
			compute: func(book *phrase.Book, v values) (string, map[string]any) {
				base := 50.0
				if v.choice["sex"] == "female" {
					base = 45.5
				}
				kg := base + 2.3*(v.number["height_cm"]/2.54-60)
				return book.Say("medical.ideal_weight", phrase.Args{"kg": rounded(kg, 1)}),
					map[string]any{"kg": kg}
			},
		},
		{
			name: "dose",
			description: "Dose of a medicine for a child by weight, from the dose per kilogram that a doctor or the " +
				"package names. Gives milliliters if the strength of the liquid is known.",
			inputs: []input{
				weight(0.4, 150),
				{name: "mg_per_kg", value: "per_kg", low: 0.0001, high: 1000},
				{name: "max_mg", value: "greatest", low: 0.001, high: 50_000,
					optional: true},
				{name: "doses_per_day", value: "doses", low: 1, high: 24, optional: true},
				{name: "mg_per_ml", value: "strength", low: 0.0001, high: 1000,
					optional: true},
				{name: "per_day", about: "whether mg_per_kg is for a whole day and is to be divided by doses_per_day",
					yesNo: true},
			},
			source: llm.Source{Title: "BCcampus: A Guide to Numeracy in Nursing, chapter 15, Calculating Medication " +
				"Doses Based on Weight (2021)",
				URL: "https://opentextbc.ca/nursingnumeracy/chapter/calculating-medication-doses-based-on-weight/"},
			compute: dose,
		},
	}
}

func bodyMassIndex(book *phrase.Book, v values) (string, map[string]any) {
	bmi := v.number["weight_kg"] / math.Pow(v.number["height_cm"]/100, 2)
	class, figures := bmiClass(bmi), 1
	for figures < 4 && bmiClass(rounded(bmi, figures)) != class {
		figures++ // 24.98 is normal, and 25 is not
	}
	if v.has("age") && v.number["age"] < 20 {
		class = "" // children are compared with their age
	}
	text := book.Say("medical.bmi", phrase.Args{"bmi": rounded(bmi, figures), "class": class})
	return text, map[string]any{"bmi": bmi, "class": class}
}

// bmiClass is the WHO's class of an adult.
func bmiClass(bmi float64) string {
	switch {
	case bmi < 18.5:
		return "underweight"
	case bmi < 25:
		return "normal"
	case bmi < 30:
		return "overweight"
	}
	return "obesity"
}

// dose multiplies, divides the dose of a day by the number of doses, and caps a single dose at
// the greatest one. The dose of a whole day is not capped; the greatest single dose is told
// with it.
func dose(book *phrase.Book, v values) (string, map[string]any) {
	wholeDay := v.yes["per_day"] && !v.has("doses_per_day")
	mg := v.number["weight_kg"] * v.number["mg_per_kg"]
	if v.yes["per_day"] && v.has("doses_per_day") {
		mg /= v.number["doses_per_day"]
	}
	result := map[string]any{"mg_by_weight": mg}
	capped := v.has("max_mg") && !wholeDay && mg > v.number["max_mg"]
	if capped {
		mg = v.number["max_mg"]
	}
	result["mg"] = mg
	said := phrase.Args{
		"day": wholeDay, "capped": capped, "dose": rounded(mg, decimals(mg)), "liquid": nil, "each": nil, "total": nil,
	}
	if capped {
		said["dose"] = rounded(mg, exactly)
	}
	if v.has("mg_per_ml") {
		ml := mg / v.number["mg_per_ml"]
		result["ml"], said["liquid"] = ml, rounded(ml, decimals(ml))
	}
	if wholeDay && v.has("max_mg") {
		said["each"] = rounded(v.number["max_mg"], exactly)
	}
	if v.has("doses_per_day") {
		day := mg * v.number["doses_per_day"]
		said["total"] = rounded(day, max(1, decimals(day)))
	}
	return book.Say("medical.dose", said), result
}

// exactly is the number of decimals of a dose that somebody has given, so that it is not rounded up.
const exactly = 4

// decimals is the number of decimals that leaves a dose about three digits.
func decimals(v float64) int {
	switch {
	case v >= 100:
		return 0
	case v >= 10:
		return 1
	case v >= 1:
		return 2
	}
	return max(4, 2-int(math.Floor(math.Log10(max(v, 1e-9)))))
}

// surface is the area of a body.
func surface(book *phrase.Book, v values) (string, map[string]any) {
	w, h := v.number["weight_kg"], v.number["height_cm"]
	area, by := math.Sqrt(w*h/3600), "Mosteller"
	if v.choice["formula"] == "du_bois" {
		area, by = 0.007184*math.Pow(w, 0.425)*math.Pow(h, 0.725), "Du Bois"
	}
	text := book.Say("medical.bsa", phrase.Args{"area": rounded(area, 2), "by": by})
	return text, map[string]any{"m2": area, "formula": by}
}
