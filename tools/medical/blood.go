package medical

import (
	"fmt"

	"hearthd/llm"
)

func bloodCalculators() []*calculator {
	return []*calculator{
		{
			name: "anion_gap", description: "Anion gap of serum from sodium, chloride and bicarbonate, in millimoles " +
				"per liter; with potassium if it is given.",
			inputs: []input{
				{name: "sodium", say: "sodium", unit: "millimoles per liter", low: 90, high: 200},
				{name: "chloride", say: "chloride", unit: "millimoles per liter", low: 50, high: 160},
				{name: "bicarbonate", say: "bicarbonate", unit: "millimoles per liter", low: 1, high: 60},
				{name: "potassium", say: "potassium", unit: "millimoles per liter", low: 1, high: 12, optional: true},
			},
			source: llm.Source{Title: "Emmett and Narins: Clinical use of the anion gap, Medicine 56:38 (1977)"},
			compute: func(v values) (string, map[string]any) {
				gap := v.number["sodium"] + v.number["potassium"] - v.number["chloride"] - v.number["bicarbonate"]
				how := "without potassium"
				if v.has("potassium") {
					how = "with potassium"
				}
				return fmt.Sprintf("The anion gap %s is %s millimoles per liter.", how, number(gap, 1)),
					map[string]any{"mmol_l": gap}
			},
		},
		{
			name: "corrected_calcium", description: "Calcium of serum, corrected for albumin.",
			inputs: []input{
				{name: "calcium_mg_dl", say: "calcium", unit: "milligrams per deciliter", low: 3,
					high: 20, also: []conversion{{name: "calcium_mmol_l", factor: 4.008}}},
				{name: "albumin_g_dl", say: "albumin", unit: "grams per deciliter", low: 0.5, high: 7,
					also: []conversion{{name: "albumin_g_l", factor: 0.1}}},
			},
			source: llm.Source{Title: "Payne and others: Interpretation of serum calcium in patients with abnormal " +
				"serum proteins, BMJ 4:643 (1973), with the factor 0.8 of BMJ 1:598 (1977)",
				URL: "https://doi.org/10.1136/bmj.4.5893.643"},
			compute: func(v values) (string, map[string]any) {
				mgdl := v.number["calcium_mg_dl"] + 0.8*(4.0-v.number["albumin_g_dl"])
				text := fmt.Sprintf("The corrected calcium is %s milligrams per deciliter, or %s millimoles per liter.",
					number(mgdl, 1), number(mgdl/4.008, 2))
				return text, map[string]any{"mg_dl": mgdl, "mmol_l": mgdl / 4.008}
			},
		},
		{
			name: "mean_pressure", description: "Mean arterial pressure from systolic and diastolic blood pressure.",
			inputs: []input{
				{name: "systolic", say: "systolic pressure", unit: "millimeters of mercury", low: 40, high: 300},
				{name: "diastolic", say: "diastolic pressure", unit: "millimeters of mercury", low: 20, high: 200},
			},
			source: llm.Source{Title: "DeMers and Wachs: Physiology, Mean Arterial Pressure, StatPearls (2023)",
				URL: "https://www.ncbi.nlm.nih.gov/books/NBK538226/"},
			compute: func(v values) (string, map[string]any) {
				high, low := v.number["systolic"], v.number["diastolic"]
				if low > high {
					high, low = low, high
				}
				mean := low + (high-low)/3
				return fmt.Sprintf("The mean arterial pressure is %s millimeters of mercury.", number(mean, 0)),
					map[string]any{"mmhg": mean}
			},
		},
	}
}
