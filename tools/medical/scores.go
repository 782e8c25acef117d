package medical

import (
	"hearthd/llm"
	"hearthd/tools/phrase"
)

// item is a criterion of a score.
type item struct {
	name, about string
	points      int
}

func yes(items []item) []input {
	var list []input
	for _, it := range items {
		list = append(list, input{name: it.name, about: it.about, yesNo: true})
	}
	return list
}

func sum(v values, items []item) int {
	total := 0
	for _, it := range items {
		if v.yes[it.name] {
			total += it.points
		}
	}
	return total
}

func scores() []*calculator {
	return []*calculator{
		{
			name: "cha2ds2_vasc", description: "CHA2DS2-VASc score of the risk of a stroke in atrial fibrillation. " +
				"Criteria that are not named count as absent.",
			inputs: append([]input{age(), sex()}, yes(chads)...),
			source: llm.Source{Title: "Lip and others: Refining clinical risk stratification for predicting stroke " +
				"and thromboembolism in atrial fibrillation, Chest 137:263 (2010)",
				URL: "https://doi.org/10.1378/chest.09-1584"},
			compute: func(book *phrase.Book, v values) (string, map[string]any) {
				total := sum(v, chads)
				switch {
				case v.number["age"] >= 75:
					total += 2
				case v.number["age"] >= 65:
					total++
				}
				if v.choice["sex"] == "female" {
					total++
				}
				return book.Say("medical.score", phrase.Args{"score": total}), map[string]any{"score": total}
			},
		},
		{
			name: "has_bled", description: "HAS-BLED score of the risk of a major bleeding under anticoagulation. " +
				"Criteria that are not named count as absent.",
			inputs: append([]input{age()}, yes(hasBled)...),
			source: llm.Source{Title: "Pisters and others: A novel user-friendly score (HAS-BLED) to assess 1-year " +
				"risk of major bleeding in patients with atrial fibrillation, Chest 138:1093 (2010)",
				URL: "https://doi.org/10.1378/chest.10-0134"},
			compute: func(book *phrase.Book, v values) (string, map[string]any) {
				total := sum(v, hasBled)
				if v.number["age"] > 65 {
					total++
				}
				return book.Say("medical.score", phrase.Args{"score": total}), map[string]any{"score": total}
			},
		},
		{
			name: "wells_dvt", description: "Wells score of the probability of a deep vein thrombosis, in two " +
				"levels. Criteria that are not named count as absent.",
			inputs: yes(wells),
			source: llm.Source{Title: "Wells and others: Evaluation of D-dimer in the diagnosis of suspected " +
				"deep-vein thrombosis, N Engl J Med 349:1227 (2003)", URL: "https://doi.org/10.1056/NEJMoa023153"},
			compute: func(book *phrase.Book, v values) (string, map[string]any) {
				total, level := sum(v, wells), "unlikely"
				if total >= 2 {
					level = "likely"
				}
				return book.Say("medical.wells", phrase.Args{"points": float64(total), "level": level}),
					map[string]any{"score": total, "level": level}
			},
		},
	}
}

// chads are the criteria of Lip's table besides age and sex.
var chads = []item{
	{"heart_failure", "congestive heart failure or left ventricular dysfunction", 1},
	{"hypertension", "hypertension", 1},
	{"diabetes", "diabetes mellitus", 1},
	{"stroke", "earlier stroke, transient ischemic attack or thromboembolism", 2},
	{"vascular_disease", "earlier myocardial infarction, peripheral artery disease or aortic plaque", 1},
}

// hasBled are the criteria of Pisters' table besides age.
var hasBled = []item{
	{"hypertension", "uncontrolled hypertension, above 160 systolic", 1},
	{"kidney", "dialysis, transplantation or creatinine of 200 µmol/l or more", 1},
	{"liver", "cirrhosis, or bilirubin above twice and enzymes above three times normal", 1},
	{"stroke", "earlier stroke", 1},
	{"bleeding", "earlier bleeding or a predisposition such as anemia", 1},
	{"labile_inr", "INR within the range less than 60 percent of the time", 1},
	{"drugs", "antiplatelet drugs or nonsteroidal anti-inflammatory drugs", 1},
	{"alcohol", "eight or more drinks a week", 1},
}

// wells are the criteria of the table of 2003.
var wells = []item{
	{"cancer", "active cancer, treated within six months or palliative", 1},
	{"paralysis", "paralysis, paresis or recent plaster immobilization of a leg", 1},
	{"bedridden", "bedridden for three days, or major surgery within twelve weeks", 1},
	{"tenderness", "localized tenderness along the deep veins", 1},
	{"leg_swollen", "entire leg swollen", 1},
	{"calf_swollen", "calf at least 3 cm larger than the other", 1},
	{"edema", "pitting edema of that leg alone", 1},
	{"collateral_veins", "collateral superficial veins that are not varicose", 1},
	{"earlier_dvt", "earlier deep vein thrombosis", 1},
	{"alternative", "another diagnosis is at least as likely", -2},
}
