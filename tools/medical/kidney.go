package medical

import (
	"math"

	"hearthd/llm"
	"hearthd/tools/phrase"
)

func kidneyCalculators() []*calculator {
	return []*calculator{
		{
			name: "egfr", description: "Estimated glomerular filtration rate of an adult by CKD-EPI 2021, from " +
				"creatinine, age and sex.",
			inputs: []input{creatinine(), age(), sex()},
			source: llm.Source{Title: "Inker and others: New creatinine- and cystatin C-based equations to estimate " +
				"GFR without race, N Engl J Med 385:1737 (2021)", URL: "https://doi.org/10.1056/NEJMoa2102953"},
			compute: func(book *phrase.Book, v values) (string, map[string]any) {
				gfr := ckdEPI(v.number["creatinine_mg_dl"], v.number["age"], v.choice["sex"] == "female")
				stage := gfrStage(math.Round(gfr))
				text := book.Say("medical.egfr", phrase.Args{"rate": rounded(gfr, 0), "stage": stage})
				return text, map[string]any{"ml_min_173": gfr, "stage": "G" + stage}
			},
		},
		{
			name: "creatinine_clearance", description: "Creatinine clearance of an adult by Cockcroft and Gault, " +
				"from creatinine, age, weight and sex.",
			inputs: []input{creatinine(), age(), weight(20, 300), sex()},
			source: llm.Source{Title: "Cockcroft and Gault: Prediction of creatinine clearance from serum " +
				"creatinine, Nephron 16:31 (1976)", URL: "https://doi.org/10.1159/000180580"},
			compute: func(book *phrase.Book, v values) (string, map[string]any) {
				ml := (140 - v.number["age"]) * v.number["weight_kg"] / (72 * v.number["creatinine_mg_dl"])
				if v.choice["sex"] == "female" {
					ml *= 0.85
				}
				return book.Say("medical.clearance", phrase.Args{"rate": rounded(ml, 0)}),
					map[string]any{"ml_min": ml}
			},
		},
	}
}

// ckdEPI is the creatinine equation of 2021, in ml/min/1.73 m².
func ckdEPI(mgdl, years float64, female bool) float64 {
	kappa, alpha, factor := 0.9, -0.302, 1.0
	if female {
		kappa, alpha, factor = 0.7, -0.241, 1.012
	}
	ratio := mgdl / kappa
	return 142 * math.Pow(min(ratio, 1), alpha) * math.Pow(max(ratio, 1), -1.200) * math.Pow(0.9938, years) * factor
}

// gfrStage is the category of KDIGO (2012, 2024).
func gfrStage(gfr float64) string {
	switch {
	case gfr >= 90:
		return "1"
	case gfr >= 60:
		return "2"
	case gfr >= 45:
		return "3a"
	case gfr >= 30:
		return "3b"
	case gfr >= 15:
		return "4"
	}
	return "5"
}
