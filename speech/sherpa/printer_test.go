package sherpa

import (
	"math"
	"testing"

	"hearthd/rigs/speechtest"
)

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

func TestPrintsOfOneVoiceAreNearerThanThoseOfTwo(t *testing.T) {
	l, m := load(t, speechtest.Prints)
	p, err := l.Printer(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var prints [][]float32
	var who []string
	for _, voice := range []string{"slt", "rms"} {
		for _, words := range []string{"Put the butter on my list and tell me when the shop opens.",
			"What will the weather be like on Saturday afternoon?", "Remind me to call the garage about the brakes."} {
			made, err := p.Print(speechtest.Say(t, voice, words))
			if err != nil || len(made) == 0 {
				t.Fatalf("%s: %d numbers, %v", voice, len(made), err)
			}
			prints, who = append(prints, made), append(who, voice)
		}
	}
	for i, a := range prints {
		for j, b := range prints[:i] {
			c := cosine(a, b)
			t.Logf("%s and %s: %.3f", who[i], who[j], c)
			if same := who[i] == who[j]; same != (c >= m.Likely()) {
				t.Errorf("%s and %s: %.3f", who[i], who[j], c)
			}
		}
	}
	if short, err := p.Print(make([]int16, 10)); len(short) > 0 || err != nil {
		t.Errorf("of ten samples: %d numbers, %v", len(short), err)
	}
}
