package medical

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

func newTools(t *testing.T) map[string]tools.Tool {
	t.Helper()
	all := New(phrase.English())
	if err := tools.NewRegistry(phrase.English()).Register(all...); err != nil {
		t.Fatal(err)
	}
	byName := map[string]tools.Tool{}
	for _, tool := range all {
		byName[tool.Spec().Name] = tool
	}
	return byName
}

func call(t *testing.T, name, args string) tools.Result {
	t.Helper()
	tool := newTools(t)[name]
	if tool == nil {
		t.Fatalf("there is no %s", name)
	}
	r, err := tool.Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(args)}})
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	return r
}

// TestPublishedExamples holds examples that others worked out and published.
// The papers of Mosteller, of Cockcroft and Gault, of Devine, of Payne and of
// CKD-EPI were searched for examples of their own and none could be had; what
// stands here is from who teaches their formulas.
func TestPublishedExamples(t *testing.T) {
	for _, c := range []struct {
		tool, args, key string
		want, within    float64
		from            string
	}{
		{"medical_bmi", `{"weight_kg":68,"height_cm":165}`, "bmi", 24.98, 0.005, "CDC, About adult BMI"},
		{"medical_bmi", `{"weight_lb":150,"height_in":65}`, "bmi", 24.96, 0.005, "CDC, About adult BMI"},
		{"medical_bsa", `{"weight_kg":20,"height_cm":100}`, "m2", 0.745,
			0.001, "Mosteller 1987: root of 100 × 20 / 3600"},
		{"medical_ideal_weight", `{"height_ft":5,"height_in":10,"sex":"male"}`, "kg",
			73, 1e-9, "5 feet 10: 50 + 2.3 × 10"},
		{"medical_ideal_weight", `{"height_in":66,"sex":"female"}`, "kg", 59.3, 1e-9, "5 feet 6: 45.5 + 2.3 × 6"},
		{"medical_dose", `{"weight_kg":14,"mg_per_kg":0.2}`, "mg", 2.8, 1e-9, "BCcampus, sample exercise 15.1"},
		{"medical_dose", `{"weight_kg":24,"mg_per_kg":0.1}`, "mg", 2.4, 1e-9, "BCcampus, sample exercise 15.2, least"},
		{"medical_dose", `{"weight_kg":24,"mg_per_kg":0.5}`, "mg", 12, 1e-9, "BCcampus, sample exercise 15.2, most"},
		{"medical_dose", `{"weight_kg":20,"mg_per_kg":25,"mg_per_ml":50}`, "ml", 10,
			1e-9, "20 kg × 25 mg, 250 mg in 5 ml"},
		{"medical_dose", `{"weight_kg":3.75,"mg_per_kg":100,"doses_per_day":2,"per_day":true}`, "mg", 187.5,
			1e-9, "3.75 kg × 100 mg a day, in two doses"},
		{"medical_egfr", `{"creatinine_mg_dl":1.2,"age":55,"sex":"male"}`, "ml_min_173", 71, 0.5,
			"Inker 2021, CKD-EPI creatinine, table 2: 142 × (1.2 / 0.9)^-1.2 × 0.9938^55"},
		{"medical_creatinine_clearance", `{"creatinine_mg_dl":1.0,"age":70,"weight_kg":75,"sex":"male"}`, "ml_min",
			72.9, 0.05, "Cockcroft and Gault 1976, the equation of the summary: (140 − 70) × 75 / (72 × 1.0)"},
		{"medical_creatinine_clearance", `{"creatinine_mg_dl":0.9,"age":45,"weight_kg":60,"sex":"female"}`, "ml_min",
			74.8, 0.05, "the same, 15 % less in females: 0.85 × (140 − 45) × 60 / (72 × 0.9)"},
		{"medical_anion_gap", `{"sodium":138,"chloride":103,"bicarbonate":8}`, "mmol_l", 27, 1e-9,
			"Emmett and Narins 1977: 138 − (103 + 8)"},
		{"medical_corrected_calcium", `{"calcium_mg_dl":8.0,"albumin_g_dl":2.0}`, "mg_dl", 9.6, 1e-9,
			"BMJ 1977: 8.0 + 0.8 × (4.0 − 2.0)"},
		{"medical_corrected_calcium", `{"calcium_mg_dl":6.8,"albumin_g_dl":1.8}`, "mg_dl", 8.56,
			1e-9, "BMJ 1977: 6.8 + 0.8 × (4.0 − 1.8)"},
		{"medical_mean_pressure", `{"systolic":83,"diastolic":50}`, "mmhg", 61, 0.5,
			"DeMers and Wachs 2023: 50 + (83 − 50) / 3"},
		{"medical_mean_pressure", `{"systolic":120,"diastolic":80}`, "mmhg", 93.33, 0.005,
			"DeMers and Wachs 2023: 80 + (120 − 80) / 3"},
	} {
		got, ok := call(t, c.tool, c.args).Data.(map[string]any)[c.key].(float64)
		if !ok || math.Abs(got-c.want) > c.within {
			t.Errorf("%s %s: %v, want %v (%s)", c.tool, c.args, got, c.want, c.from)
		}
	}
}

// TestIndependentCalculations compares with the formula written another way.
func TestIndependentCalculations(t *testing.T) {
	value := func(tool, args, key string) float64 { return call(t, tool, args).Data.(map[string]any)[key].(float64) }
	for kg := 3.0; kg < 150; kg += 7 {
		cm := 50 + kg
		args := fmt.Sprintf(`{"weight_kg":%g,"height_cm":%g`, kg, cm)
		// Mosteller in pounds and inches has the constant 3131, which is 0.2 % too great.
		lb, in := kg/0.45359237, cm/2.54
		if got, want := value("medical_bsa", args+`}`, "m2"), math.Sqrt(lb*in/3131); math.Abs(got/want-1) > 2e-3 {
			t.Errorf("Mosteller of %g kg and %g cm: %g, want %g", kg, cm, got, want)
		}
		// Du Bois in meters has the constant 0.20247.
		if got, want := value("medical_bsa", args+`,"formula":"du_bois"}`, "m2"),
			0.20247*math.Pow(kg, 0.425)*math.Pow(cm/100, 0.725); math.Abs(got/want-1) > 1e-3 {
			t.Errorf("Du Bois of %g kg and %g cm: %g, want %g", kg, cm, got, want)
		}
	}
	// CKD-EPI 2021 as the four cases in which the National Kidney Foundation also
	// writes it, by logarithms.
	for _, years := range []float64{18, 40, 65, 90} {
		for _, mgdl := range []float64{0.4, 0.7, 0.8, 0.9, 1.0, 1.9, 6} {
			for _, sex := range []string{"female", "male"} {
				kappa, below, factor := 0.9, -0.302, 0.0
				if sex == "female" {
					kappa, below, factor = 0.7, -0.241, math.Log(1.012)
				}
				exponent := -1.2
				if mgdl <= kappa {
					exponent = below
				}
				want := math.Exp(math.Log(142) + exponent*math.Log(mgdl/kappa) + years*math.Log(0.9938) + factor)
				got := value("medical_egfr", fmt.Sprintf(`{"creatinine_mg_dl":%g,"age":%g,"sex":%q}`, mgdl, years, sex),
					"ml_min_173")
				if math.Abs(got-want) > 1e-9 {
					t.Errorf("eGFR of %s, %g years, %g: %g, want %g", sex, years, mgdl, got, want)
				}
			}
		}
	}
}

func TestScoresAreTheSumOfTheTablesOfTheirPapers(t *testing.T) {
	all := func(items []item) string {
		var b strings.Builder
		for _, it := range items {
			fmt.Fprintf(&b, `,%q:true`, it.name)
		}
		return b.String()
	}
	for _, c := range []struct {
		tool, args string
		want       int
	}{
		// Lip 2010: nine at most; the points of each criterion.
		{"medical_cha2ds2_vasc", `{"age":75,"sex":"female"` + all(chads) + `}`, 9},
		{"medical_cha2ds2_vasc", `{"age":64,"sex":"male"}`, 0},
		{"medical_cha2ds2_vasc", `{"age":65,"sex":"male"}`, 1},
		{"medical_cha2ds2_vasc", `{"age":74,"sex":"female"}`, 2},
		{"medical_cha2ds2_vasc", `{"age":75,"sex":"male"}`, 2},
		{"medical_cha2ds2_vasc", `{"age":50,"sex":"male","stroke":true}`, 2},
		// Lip 2010, table 2: 2 for the age, 1, 2
		{"medical_cha2ds2_vasc", `{"age":80,"sex":"male","hypertension":true,"stroke":true}`, 5},
		{"medical_cha2ds2_vasc",
			`{"age":50,"sex":"male","heart_failure":true,"hypertension":true,"diabetes":true,"vascular_disease":true}`,
			4},
		// Pisters 2010: nine at most, age above 65.
		{"medical_has_bled", `{"age":66` + all(hasBled) + `}`, 9},
		{"medical_has_bled", `{"age":65}`, 0},
		{"medical_has_bled", `{"age":70,"drugs":true,"alcohol":true}`, 3},
		// Wells 2003: nine criteria of one point, and one of minus two.
		{"medical_wells_dvt", `{` + all(wells)[1:] + `}`, 7},
		{"medical_wells_dvt", `{"alternative":true}`, -2},
		{"medical_wells_dvt", `{"cancer":true,"calf_swollen":true}`, 2},
	} {
		if got := call(t, c.tool, c.args).Data.(map[string]any)["score"]; got != c.want {
			t.Errorf("%s %s: %v, want %d", c.tool, c.args, got, c.want)
		}
	}
}

func TestAnswersAreSentencesThatClaimNoAdvice(t *testing.T) {
	for _, c := range []struct{ tool, args, want string }{
		{"medical_bmi", `{"weight_kg":70,"height_m":1.75}`,
			"The body mass index is 22.9, which for an adult is called normal."},
		{"medical_bmi", `{"weight_kg":68,"height_cm":165}`,
			"The body mass index is 24.98, which for an adult is called normal."},
		{"medical_bmi", `{"weight_kg":30,"height_cm":130,"age":9}`, "The body mass index is 17.8."},
		{"medical_bsa", `{"weight_kg":70,"height_cm":175}`,
			"The body surface area is 1.84 square meters by the formula of Mosteller."},
		{"medical_egfr", `{"creatinine_umol_l":90,"age":60,"sex":"female"}`, "The estimated filtration rate is 63 " +
			"milliliters per minute for 1.73 square meters, which is the range of G 2."},
		{"medical_dose", `{"weight_kg":50,"mg_per_kg":15,"max_mg":500}`, "One dose is 500 milligrams, because that " +
			"is the greatest dose. Please check it with a doctor or pharmacist."},
		{"medical_dose", `{"weight_kg":10,"mg_per_kg":15,"mg_per_ml":24,"doses_per_day":4}`,
			"One dose is 150 milligrams, which is 6.25 milliliters, and in a day it is 600 milligrams. Please check " +
				"it with a doctor or pharmacist."},
		{"medical_dose", `{"weight_kg":10,"mg_per_kg":20,"per_day":true}`,
			"The dose for one day is 200 milligrams. Please check it with a doctor or pharmacist."},
		{"medical_dose", `{"weight_kg":20,"mg_per_kg":60,"per_day":true,"max_mg":500}`,
			"The dose for one day is 1,200 milligrams, in single doses of at most 500 milligrams. Please check it " +
				"with a doctor or pharmacist."},
		{"medical_dose", `{"weight_kg":40,"mg_per_kg":60,"per_day":true,"doses_per_day":4,"max_mg":500}`,
			"One dose is 500 milligrams, because that is the greatest dose, and in a day it is 2,000 milligrams. " +
				"Please check it with a doctor or pharmacist."},
		{"medical_dose", `{"weight_kg":50,"mg_per_kg":15,"max_mg":312.5}`, "One dose is 312.5 milligrams, because " +
			"that is the greatest dose. Please check it with a doctor or pharmacist."},
		{"medical_anion_gap", `{"sodium":120,"chloride":110,"bicarbonate":20}`,
			"The anion gap without potassium is minus 10 millimoles per liter."},
		{"medical_wells_dvt", `{"alternative":true}`, "The score is minus 2, which the paper calls unlikely."},
		{"medical_corrected_calcium", `{"calcium_mmol_l":2.0,"albumin_g_l":30}`,
			"The corrected calcium is 8.8 milligrams per deciliter, or 2.2 millimoles per liter."},
	} {
		r := call(t, c.tool, c.args)
		if r.Text != c.want+" This is arithmetic and no medical advice." || len(r.Sources) != 1 {
			t.Errorf("%s %s\n got %s\nwant %s", c.tool, c.args, r.Text, c.want)
		}
	}
}

func TestAnswersInGerman(t *testing.T) {
	book, err := phrase.New(phrase.Options{Language: "de"})
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]tools.Tool{}
	for _, tool := range New(book) {
		byName[tool.Spec().Name] = tool
	}
	const end = " Das ist nur gerechnet und kein ärztlicher Rat."
	for _, c := range []struct{ tool, args, want string }{
		{"medical_bmi", `{"weight_kg":70,"height_m":1.75}`,
			"Der Body-Mass-Index ist 22,9. Bei Erwachsenen heißt das Normalgewicht." + end},
		{"medical_dose", `{"weight_kg":10,"mg_per_kg":15,"mg_per_ml":24,"doses_per_day":4}`, "Eine Dosis ist 150 " +
			"Milligramm, das sind 6,25 Milliliter, und am Tag sind es 600 Milligramm. Bitte lass das in der Praxis " +
			"oder Apotheke prüfen." + end},
		{"medical_bmi", `{"weight_kg":900,"height_cm":170}`,
			"Mit einem Gewicht von 900 Kilogramm kann ich nicht rechnen. Möglich ist 2 bis 500."},
	} {
		r, err := byName[c.tool].Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(c.args)}})
		if f := (*tools.Failure)(nil); errors.As(err, &f) {
			r.Text = f.Say
		}
		if r.Text != c.want {
			t.Errorf("%s %s\n got %s\nwant %s", c.tool, c.args, r.Text, c.want)
		}
	}
}

func TestValuesOutOfRangeAreRefusedWithASentence(t *testing.T) {
	byName := newTools(t)
	for _, c := range []struct{ tool, args, want string }{
		{"medical_bmi", `{"weight_kg":900,"height_cm":170}`,
			"I can't calculate with a weight of 900 kilograms. It must be from 2 to 500."},
		{"medical_bmi", `{"weight_kg":70,"height_m":175}`,
			"I can't calculate with a height of 17,500 centimeters. It must be from 40 to 260."},
		{"medical_egfr", `{"creatinine_mg_dl":1,"age":12,"sex":"male"}`,
			"I can't calculate with an age of 12 years. It must be from 18 to 120."},
		{"medical_ideal_weight", `{"height_cm":140,"sex":"male"}`,
			"I can't calculate with a height of 140 centimeters. It must be from 152.4 to 260."},
	} {
		_, err := byName[c.tool].Call(t.Context(),
			tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(c.args)}})
		var f *tools.Failure
		if !errors.As(err, &f) || f.Say != c.want {
			t.Errorf("%s %s: %v", c.tool, c.args, err)
		}
	}
	_, err := byName["medical_bmi"].Call(t.Context(),
		tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(`{"weight_kg":70}`)}})
	var bad *tools.ArgumentError
	if !errors.As(err, &bad) || bad.Reason != "height_cm or height_m or height_ft or height_in is needed" {
		t.Errorf("%v", err)
	}
}

func TestEveryCalculatorHasASourceAndIsTested(t *testing.T) {
	seen := 0
	for _, c := range append(append(bodyCalculators(), kidneyCalculators()...),
		append(bloodCalculators(), scores()...)...) {
		if c.source == (llm.Source{}) || !strings.Contains(c.source.Title, "(") {
			t.Errorf("%s: source %q has no year", c.name, c.source.Title)
		}
		seen++
	}
	if seen != len(New(phrase.English())) || seen != 12 {
		t.Errorf("%d calculators", seen)
	}
}

func TestOneValueInTwoUnitsIsRefusedAndNotAddedUp(t *testing.T) {
	for _, args := range []string{
		`{"weight_kg":20,"weight_lb":44,"height_cm":110}`, `{"weight_kg":20,"height_cm":110,"height_m":1.1}`,
		`{"weight_kg":20,"height_cm":110,"height_in":43}`,
	} {
		_, err := newTools(t)["medical_bmi"].Call(t.Context(),
			tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(args)}})
		var bad *tools.ArgumentError
		if !errors.As(err, &bad) || !strings.Contains(bad.Reason, "given twice") {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// TestSmallDosesAreNotRoundedAway: digoxin for a newborn is told in micrograms a kilogram.
func TestSmallDosesAreNotRoundedAway(t *testing.T) {
	for args, want := range map[string]string{
		`{"weight_kg":3,"mg_per_kg":0.005,"doses_per_day":2}`: "One dose is 0.015 milligrams, and in a day it is " +
			"0.03 milligrams.",
		`{"weight_kg":2.4,"mg_per_kg":0.05,"doses_per_day":2}`: "One dose is 0.12 milligrams, and in a day it is " +
			"0.24 milligrams.",
		`{"weight_kg":0.4,"mg_per_kg":0.0001,"mg_per_ml":0.05}`: "One dose is 0.00004 milligrams, which is 0.0008 " +
			"milliliters.",
		`{"weight_kg":20,"mg_per_kg":25,"doses_per_day":3}`: "One dose is 500 milligrams, and in a day it is 1,500 " +
			"milligrams.",
	} {
		if got := call(t, "medical_dose", args).Text; !strings.HasPrefix(got, want) {
			t.Errorf("%s\n got %s\nwant %s", args, got, want)
		}
	}
	_, err := newTools(t)["medical_dose"].Call(t.Context(),
		tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(`{"weight_kg":3,"mg_per_kg":0.00001}`)}})
	if f := (*tools.Failure)(nil); !errors.As(err, &f) || !strings.Contains(f.Say, "with a dose per kilogram of "+
		"0.00001 milligrams. It must be from 0.0001 to 1,000.") {
		t.Errorf("out of range: %v", err)
	}
}
