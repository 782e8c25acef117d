package medical

import (
	"hearthd/llm"
	"hearthd/tools/phrase"
)

func bloodCalculators() []*calculator {
	return []*calculator{
		{
			name: "anion_gap", description: "Anion gap of serum from sodium, chloride and bicarbonate, in millimoles " +
				"per liter; with potassium if it is given.",
			inputs: []input{
				{name: "sodium", value: "sodium", low: 90, high: 200},
				{name: "chloride", value: "chloride", low: 50, high: 160},
				{name: "bicarbonate", value: "bicarbonate", low: 1, high: 60},
				{name: "potassium", value: "potassium", low: 1, high: 12, optional: true},
			},
			source: llm.Source{Title: "Emmett and Narins: Clinical use of the anion gap, Medicine 56:38 (1977)"},
			compute: func(book *phrase.Book, v values) (string, map[string]any) {
				gap := v.number["sodium"] + v.number["potassium"] - v.number["chloride"] - v.number["bicarbonate"]
				with := v.has("potassium")
				return book.Say("medical.anion_gap", phrase.Args{"potassium": with, "gap": rounded(gap, 1)}),
					map[string]any{"mmol_l": gap}
			},
		},
		{
			name: "corrected_calcium", description: "Calcium of serum, corrected for albumin.",
			inputs: []input{
				{name: "calcium_mg_dl", value: "calcium", low: 3,
					high: 20, also: []conversion{{name: "calcium_mmol_l", factor: 4.008}}},
				{name: "albumin_g_dl", value: "albumin", low: 0.5, high: 7,
					also: []conversion{{name: "albumin_g_l", factor: 0.1}}},
			},
			source: llm.Source{Title: "Payne and others: Interpretation of serum calcium in patients with abnormal " +
				"serum proteins, BMJ 4:643 (1973), with the factor 0.8 of BMJ 1:598 (1977)",
				URL: "https://doi.org/10.1136/bmj.4.5893.643"},
			compute: func(book *phrase.Book, v values) (string, map[string]any) {
				mgdl := v.number["calcium_mg_dl"] + 0.8*(4.0-v.number["albumin_g_dl"])
				text := book.Say("medical.calcium", phrase.Args{"weight": rounded(mgdl, 1), "moles": rounded(mgdl/4.008, 2)})
				return text, map[string]any{"mg_dl": mgdl, "mmol_l": mgdl / 4.008}
			},
		},
		{
			name: "mean_pressure", description: "Mean arterial pressure from systolic and diastolic blood pressure.",
			inputs: []input{
				{name: "systolic", value: "systolic", low: 40, high: 300},
				{name: "diastolic", value: "diastolic", low: 20, high: 200},
			},
			source: llm.Source{Title: "DeMers and Wachs: Physiology, Mean Arterial Pressure, StatPearls (2023)",
				URL: "https://www.ncbi.nlm.nih.gov/books/NBK538226/"},
			compute: func(book *phrase.Book, v values) (string, map[string]any) {
				high, low := v.number["systolic"], v.number["diastolic"]
				if low > high {
					high, low = low, high
				}
				mean := low + (high-low)/3
				return book.Say("medical.mean_pressure", phrase.Args{"pressure": rounded(mean, 0)}),
					map[string]any{"mmhg": mean}
			},
		},
	}
}
